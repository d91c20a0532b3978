package codegen

import (
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
)

// TestVariantLeftOut: a barrier that all work-items reach together, unless sizes are
// assumed to be small, keeps the kernel from the variant that assumes it, and from
// nothing else.
func TestVariantLeftOut(t *testing.T) {
	const rest = "; for a := range k.W { for b := range k.H { for c := range k.N { k.Out[(a*k.H+b)*k.N+c] += k.X[(a*k.H+b)*k.N+c+i] } } }"
	for body, left := range map[string]bool{
		"for { it.Barrier(); if len(k.X) > 1<<29 { break }; if k.X[i] > 3 { return } }":                                                  true,
		"for j := i; ; j++ { it.Barrier(); if len(k.X) > 1<<29 { break }; if k.X[j] == 77 { return } }":                                  true,
		"for j := 0; j < 10; j++ { it.Barrier(); if len(k.X) > 1<<29 { break }; if k.X[i] > 3 { return } }":                              false,
		"for { it.Barrier(); if len(k.X) > 1<<20 { break }; if k.X[i] > 3 { return } }":                                                  false,
		"for j := 0; ; j++ { if j < len(k.X) { it.Barrier() } else { break }; if len(k.X) > 1<<29 { break }; if k.X[j] > 3 { return } }": false,
	} {
		src := "package kernels\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\ntype K struct{ X, Out []int32; N, W, H int }\n\n" +
			"func (k K) Kernel(it dsl.NDItem1) {\ni := it.GlobalID()\n" + body + rest + "\n}\n"
		base, err := snippets()
		if err != nil {
			t.Fatal(err)
		}
		prog, diags, err := base.Load("example.com/kernels", map[string]string{"kernels.go": src})
		if err != nil || len(diags) > 0 {
			t.Fatal(diags, err)
		}
		m, diags, err := Compile(prog, prog.Packages[0].Kernels[0], nil)
		if err != nil || len(diags) > 0 {
			t.Errorf("%s: %v %v", body, diags, err)
			continue
		}
		small := slices.ContainsFunc(m.ABI.Variants, func(v abi.Variant) bool { return v.Name == abi.VariantSmall })
		if small == left || left != (len(m.Lacks) > 0) || len(m.Variants) != len(m.ABI.Variants) {
			t.Errorf("%s: %v, without %v", body, m.ABI.Variants, m.Lacks)
		}
		for _, lack := range m.Lacks {
			if !strings.Contains(lack.Error(), "small") || !strings.Contains(lack.Error(), "kernels.go:9:") {
				t.Errorf("%s: %v", body, lack)
			}
		}
	}
}

// TestVariantListed: a kernel that runs only on devices with all of its integers has no variant in words.
func TestVariantListed(t *testing.T) {
	for list, want := range map[string]bool{"Int64": true, "Int16": true, "Int16, properties.Int64": false} {
		base, err := snippets()
		if err != nil {
			t.Fatal(err)
		}
		src := "package kernels\n\nimport (\n\t\"github.com/kgen-go/kgen/dsl\"\n\t\"github.com/kgen-go/kgen/properties\"\n)\n\ntype K struct{ X []int16; N int }\n\n" +
			"func (K) Properties() properties.List { return properties.List{properties.DeviceHas(properties." + list + ")} }\n" +
			"func (k K) Kernel(it dsl.Item1) { k.X[it.GlobalID()%k.N]++ }\n"
		prog, diags, err := base.Load("example.com/kernels", map[string]string{"kernels.go": src})
		if err != nil || len(diags) > 0 {
			t.Fatal(diags, err)
		}
		m, diags, err := Compile(prog, prog.Packages[0].Kernels[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		if list == "Int64" { // and not Int16, which is an error, after which the kernel is compiled nevertheless
			if len(diags) == 0 || !strings.Contains(diags[0].Message, "int16") {
				t.Errorf("%s: %v", list, diags)
			}
			continue
		}
		if got := slices.ContainsFunc(m.ABI.Variants, func(v abi.Variant) bool { return v.Name == abi.VariantWords }); got != want || len(diags) > 0 {
			t.Errorf("%s: a variant in words: %v, want %v; %v", list, got, want, diags)
		}
	}
}
