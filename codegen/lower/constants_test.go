package lower_test

import (
	"strings"
	"testing"
)

// TestConstantsAsValues reads constants in the ways that Go has for variables.
func TestConstantsAsValues(t *testing.T) {
	const header = `package kernels

import "github.com/kgen-go/kgen/dsl"

type Mode uint8

var (
	N     = dsl.NewSpecConstant(3)
	M     = dsl.NewSpecConstant(4)
	Kind  = dsl.NewSpecConstant(Mode(2))
	Table = dsl.NewSpecConstant([4]int32{1, 2, 3})
	Both  = dsl.NewSpecConstant(struct {
		A [2]bool
		B float64
	}{[2]bool{true}, 1.5})
	local = dsl.NewSpecConstant(1)
)

type K struct{ Out []int32 }

func read(h dsl.KernelHandler, c *dsl.SpecConstant[int]) int { return c.Get(h) }

func either[T any](h dsl.KernelHandler, c *dsl.SpecConstant[T]) T { return c.Get(h) }

func (k K) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	BODY
}
`
	for body, code := range map[string]string{
		"k.Out[i] = int32(read(it, N) + read(it, M))":                                                  "",
		"k.Out[i] = int32(either(it, N)) + int32(either(it, Kind))":                                    "",
		"f := N.Get; k.Out[i] = int32(f(it))":                                                          "",
		"c := N; k.Out[i] = int32(c.Get(it))":                                                          "",
		"t := Table.Get(it); k.Out[i] = t[i%4]":                                                        "",
		"b := Both.Get(it); if b.A[i%2] { k.Out[i] = int32(b.B) }":                                     "",
		"for j := range N.Get(it) { for range M.Get(it) { k.Out[i] += int32(j) } }":                    "",
		"switch Kind.Get(it) { case 1: k.Out[i] = 1; case 2: k.Out[i] = 2; default: panic(\"kind\") }": "",
		"c := N; if i > 3 { c = M }; k.Out[i] = int32(c.Get(it))":                                      "KG601",
		"k.Out[i] = int32(local.Get(it))":                                                              "KG003",
		"c := dsl.NewSpecConstant(3); k.Out[i] = int32(c.Get(it))":                                     "KG601",
	} {
		diags := lowered(t, strings.ReplaceAll(header, "BODY", body))
		var got []string
		for _, d := range diags {
			got = append(got, d.Code.String())
		}
		if strings.Join(got, " ") != code {
			t.Errorf("%s: %v, want %q", body, diags, code)
		}
	}
}
