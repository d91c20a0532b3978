package codegen

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/internal/wanttest"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/codegen/lower"
	"github.com/kgen-go/kgen/internal/tests/usermodule"
)

// TestAllAtOnce: what is wrong with a package is said in one run, whichever stage
// finds it, and once.
func TestAllAtOnce(t *testing.T) {
	const src = `package kernels

import (
	"fmt"

	"github.com/kgen-go/kgen/dsl"
)

type Bad struct {
	C chan int
}

func (k Bad) Kernel(it dsl.Item1) { println(<-k.C) }

type Worse struct{ X, Y []int }

func (k Worse) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	m := map[int]int{} // check
	m[i] = 2           // check
	fmt.Println(k.X[m[i]])
	p := (*[2]int)(k.X)
	var q [4]int
	if i > 3 {
		p = (*[2]int)(q[i&1:])
	}
	p[0] = 1 // lower
	if k.X[i] > 2 {
		it.Barrier() // deadlanes
	}
	if k.Y[i] > 0 {
		goto in
	}
again:
	k.Y[i]--
in:
	k.X[i]++
	if k.Y[i] > 3 {
		goto again // structurize
	}
}

type Third struct{ X []int }

func (k Third) Kernel(it dsl.Item1) {
	go func() {}()
}
`
	var got []string
	diags := compileSnippet(t, src)
	diags.Sort()
	for _, d := range diags {
		got = append(got, fmt.Sprintf("%d %v", d.Pos.Line, d.Code))
	}
	want := []string{"10 KG007", "13 KG104", "19 KG207", "20 KG207", "21 KG207", "25 KG203", "29 KG401", "31 KG101", "46 KG102"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestNoNoise: stages that work on what is left of wrong code say nothing about
// what follows from it.
func TestNoNoise(t *testing.T) {
	if testing.Short() {
		t.Skip("TestReject of packages check and lower compare the same diagnostics, and -short is set")
	}
	for _, dir := range []string{"check/testdata/reject", "lower/testdata/reject"} {
		prog, diags, err := load.Load(t.Context(), load.Config{Patterns: []string{"./" + dir}, Intrinsic: lower.Intrinsic})
		if err != nil || len(diags) > 0 {
			t.Fatal(diags, err)
		}
		for _, c := range compileAll(t.Context(), prog, &Config{onFollowUpPanic: failOnFollowUp}) {
			if c.err != nil {
				t.Error(c.err)
			}
			for _, d := range c.diags {
				// The test of check knows a function that the compiler does not.
				if !strings.Contains(d.Message, "reject.known has no") {
					diags = append(diags, d)
				}
			}
		}
		wanttest.Compare(t, dir, diags)
	}
}

// TestAllPackages: what is wrong with one package, so that it does not even
// compile, hides nothing of the others, and nothing is written.
func TestAllPackages(t *testing.T) {
	kernel := func(body string) string {
		return "package p\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\ntype K struct{ X []int }\n\n" +
			"func (k K) Kernel(it dsl.Item1) { " + body + " }\n"
	}
	dir := usermodule.Write(t, map[string]string{
		"good/k.go":   kernel(`k.X[0] = 1`),
		"types/k.go":  kernel(`k.X[0] = 1`) + "\nvar wrong int = \"\"\n",
		"body/k.go":   kernel(`k.X[0] = "no"`),
		"syntax/k.go": kernel(`k.X[0] = = 1`),
		"kernel/k.go": kernel(`go func() {}()`),
		"uses/k.go":   strings.Replace(kernel(`go func() {}()`), `"github`, "types \"example.com/m/types\"\nimport \"github", 1) + "\nvar _ types.K\n",
	})
	res, diags, err := Generate(t.Context(), Config{Dir: dir, Patterns: []string{"./..."}, onFollowUpPanic: failOnFollowUp})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range diags {
		got = append(got, fmt.Sprint(filepath.Base(filepath.Dir(d.Pos.File)), " ", d.Code))
	}
	got = slices.Compact(got)
	if want := []string{"body KG001", "kernel KG102", "syntax KG001", "types KG001"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q:\n%v", got, want, diags)
	}
	if len(res.Written) > 0 {
		t.Errorf("wrote %v", res.Written)
	}
}
