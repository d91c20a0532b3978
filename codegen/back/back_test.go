package back

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass"
	"github.com/kgen-go/kgen/internal/tests/spirvtools"
)

// rows is a kernel in which each work-item stores a row of a matrix of W columns.
const rows = `module K built
form NDRange 1
items 1
args 24
param "W" Value "int" offset 0 size 8 host 0 elem 0 align 0 None
param "Out" Slice "[]float32" offset 8 size 16 host 8 elem 4 align 4 None
site 0 kind 1 "k.go":3:4 ""

kernel main {
b0:
	%0 = BuiltIn i32 GlobalInvocationId.x
	%1 = Arg i64 24
	%2 = Arg addr 32
	%3 = Arg i64 40
	%4 = UConvert i64 %0
	Jump b1
b1: preds b0, b3
	%5 = Phi i64 [i64 0 b0, %10 b3]
	%6 = SLt bool %5, %1
	Branch %6, b2, b5
b2: preds b1
	%7 = IMul i64 %4, %1
	%8 = IAdd i64 %7, %5
	%9 = ULt bool %8, %3
	Branch %9, b3, b4
b3: preds b2
	Store [%2 f32, %8], f32 1
	%10 = IAdd i64 %5, i64 1
	Jump b1
b4: preds b2
	Fault site 0, %8, %3, %0, i32 0, i32 0
	Return
b5: preds b1
	Return
}
`

// TestCompileText: modules that come from nobody's Go source get their SPIR-V, description and
// variants. spirv-val takes all of them.
func TestCompileText(t *testing.T) {
	for file, want := range map[string][]string{
		"rows.ir": {abi.VariantSmall, abi.VariantWords, abi.VariantCancel, "cancelWords"},
		"../pass/numbers/testdata/small_volume.ir": {abi.VariantWords}, // too little to be saved for small launches
		"../pass/numbers/testdata/fuse.ir":         {abi.VariantCancel},
	} {
		text := rows
		if file != "rows.ir" {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text = string(src)
		}
		m, err := ir.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for d, name := range []string{"LocalSizeX", "LocalSizeY", "LocalSizeZ"} {
			m.Specs = append(m.Specs, &ir.Spec{ID: abi.SpecLocalSizeX + uint32(d), Name: name, Type: ir.TypeI32, Default: 1})
		}
		var forms []string
		at := abi.Frame{Func: "(k.K).Kernel", Pos: "k.go:1:1"}
		c, diags, err := Compile(&Kernel{Module: m, Name: "K", Package: "example.com/k", At: at, Cancel: true,
			After: func(form string, m *ir.Module) { forms = append(forms, form) }})
		if err != nil || len(diags) > 0 {
			t.Errorf("%s: %v %v", file, diags, err)
			continue
		}
		var got []string
		for _, v := range c.ABI.Variants {
			got = append(got, v.Name)
		}
		if !slices.Equal(got, want) || len(c.Variants) != len(got) || len(c.Lacks) > 0 {
			t.Errorf("%s: variants %q with %d modules, want %q; without %v", file, got, len(c.Variants), want, c.Lacks)
		}
		if d := c.ABI; d.FullName() != "example.com/k.K" || len(d.Params) != len(m.Params) || len(d.Sites) != len(m.Sites) {
			t.Errorf("%s: description %+v", file, d)
		}
		if !slices.Contains(forms, pass.HostPoint) || !strings.HasPrefix(strings.Join(forms, " "), "soa sroa ") {
			t.Errorf("%s: forms %q", file, forms)
		}
		for _, words := range append(c.Variants, c.Words) {
			spirvtools.Validate(t, words)
		}
	}
}

// TestCompileRefuses: a module that the passes refuse has diagnostics and no words, and a
// broken one is an error.
func TestCompileRefuses(t *testing.T) {
	const text = `module K built
form NDRange 1
items 1
workgroup 4 1 1
args 0
group

kernel main {
b0:
	%0 = BuiltIn i32 LocalInvocationId.x
	%1 = IEq bool %0, i32 0
	Branch %1, b1, b2
b1: preds b0
	Barrier WorkGroup
	Jump b2
b2: preds b0, b1
	Return
}
`
	for _, broken := range []bool{false, true} {
		m, err := ir.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if broken {
			m.Kernel.Blocks[1].Insts[0].Args = []*ir.Value{m.Bool(true)}
		}
		c, diags, err := Compile(&Kernel{Module: m, Name: "K", Package: "k"})
		if c != nil || (err != nil) != broken || (len(diags) > 0) == broken {
			t.Errorf("broken %v: %v, %v, %v", broken, c, diags, err)
		}
	}
}
