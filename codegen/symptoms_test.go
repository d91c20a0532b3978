package codegen

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/internal/tests/usermodule"
)

// hitScene is a table of shapes, whose exported method returns what an interface holds.
const hitScene = `package kernels

import "github.com/kgen-go/kgen/dsl"

type Material interface{ Shade(v float32) float32 }

type Plain struct{ Col float32 }

func (p Plain) Shade(v float32) float32 { return p.Col * v }

type Hit struct {
	T float32
	M Material
}

type Shape interface{ Hit(o float32) (Hit, bool) }

type Floor struct {
	Y float32
	M Material
}

func (f Floor) Hit(o float32) (Hit, bool) {
	return Hit{f.Y - o, f.M}, o > 0
}

var scene = []Shape{Floor{1, Plain{2}}, Floor{2, LAST}}

type Trace struct{ Out []float32 }

func (k Trace) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	for _, s := range scene {
		if h, ok := s.Hit(k.Out[i]); ok {
			k.Out[i] = h.M.Shade(h.T)
		}
	}
}
`

// TestGivenInterfaces: what interfaces hold that is no pointer nobody writes, whoever gets it;
// and where one may hold a pointer, the message says which.
func TestGivenInterfaces(t *testing.T) {
	if diags := compileSnippet(t, strings.ReplaceAll(hitScene, "LAST", "Plain{3}")); len(diags) > 0 {
		t.Errorf("without pointers: %v", diags)
	}
	const mirror = "\ntype Mirror struct{ Col float32 }\n\nfunc (m *Mirror) Shade(v float32) float32 { return m.Col }\n"
	diags := compileSnippet(t, strings.ReplaceAll(hitScene, "LAST", "&Mirror{3}")+mirror)
	if len(diags) != 1 || diags[0].Code != diag.GlobalVar ||
		!strings.Contains(diags[0].Message, "kernels.go:24:2: the exported method Hit returns Hit, whose field M is Material, which may hold *Mirror") ||
		!strings.Contains(diags[0].Hint, "export the variable") {
		t.Errorf("with a pointer: %v", diags)
	}
	// It need not be the variable's initializer that puts the pointer there.
	writes := mirror + "\nfunc (t Trace) Fill() { mirror.Col = 4; scene[1] = Floor{3, &mirror} }\n\nvar mirror Mirror\n"
	diags = compileSnippet(t, strings.ReplaceAll(hitScene, "LAST", "Plain{3}")+writes)
	if len(diags) != 1 || diags[0].Code != diag.GlobalVar || !strings.Contains(diags[0].Message, "scene is written at") {
		t.Errorf("written: %v", diags)
	}
	// What a method of a generic type puts into interfaces may be of any type.
	const box = "\ntype anyer interface{ Any() any }\n\ntype box[T any] struct{ v T }\n\nfunc (b box[T]) Any() any { return b.v }\n\n" +
		"var boxes = []anyer{box[*Mirror]{&Mirror{3}}}\n"
	diags = compileSnippet(t, strings.ReplaceAll(hitScene, "LAST", "boxes[0].Any().(Material)")+mirror+box)
	if len(diags) != 1 || diags[0].Code != diag.GlobalVar || !strings.Contains(diags[0].Message, "scene is given away") {
		t.Errorf("boxed by a method: %v", diags)
	}
	// What the hint says helps.
	if diags := compileSnippet(t, strings.ReplaceAll(strings.ReplaceAll(hitScene, "LAST", "&Mirror{3}"), "scene", "Scene")+mirror); len(diags) > 0 {
		t.Errorf("exported: %v", diags)
	}
}

// TestNearKernels: where there is no kernel, but something is meant as one, its place and what
// is wrong with it are said.
func TestNearKernels(t *testing.T) {
	const item = "import \"github.com/kgen-go/kgen/dsl\"\n\n"
	for i, c := range []struct{ src, want string }{
		{"type K struct{ X []int }\n\nfunc (k K) Kernel(i int) { k.X[i] = 1 }\n", "kernel.go:5:12: method Kernel takes int"},
		{"type K struct{ X []int }\n\nfunc (k K) Kernel(x, y int) {}\n", "kernel.go:5:12: method Kernel has 2 parameters"},
		{item + "type K struct{ X []int }\n\nfunc (k K) kernel(it dsl.Item1) {}\n", "kernel.go:7:12: method kernel is no kernel: the method of a kernel is called Kernel"},
		{item + "func Kernel(it dsl.Item1, x []int) { x[it.GlobalID()] = 1 }\n", "kernel.go:5:6: Kernel is a function"},
	} {
		dir := usermodule.Write(t, map[string]string{"k/kernel.go": "package k\n\n" + c.src})
		patterns := []string{"./k", "./..."}
		if testing.Short() {
			patterns = patterns[i%2 : i%2+1]
		}
		for _, pattern := range patterns {
			_, diags, err := Generate(t.Context(), Config{Dir: dir, Patterns: []string{pattern}})
			if err != nil || len(diags) != 1 || diags[0].Code != diag.NoKernels || diags[0].Hint == "" {
				t.Fatalf("%s: %v, %v\nin %s", pattern, diags, err, c.src)
			}
			at, want, _ := strings.Cut(c.want, ": ")
			if d := diags[0]; !strings.HasSuffix(d.Pos.String(), at) || !strings.Contains(d.Message, want) {
				t.Errorf("%s: %v\nwant %s", pattern, d, c.want)
			}
		}
	}
}

// TestNestedSlices: fields that device memory cannot hold get the way to write them.
func TestNestedSlices(t *testing.T) {
	for field, want := range map[string]string{
		"[][]float32":               "make it []float32, add a field Cols int, and write [row*k.Cols+col]",
		"[]string":                  "into one []byte",
		"[]*int32":                  "indices into another slice of int32",
		"[]struct{ Vals []int32 }":  "what the fields Vals of all elements hold into one slice",
		"[]struct{ C chan int }":    "memory holds numbers",
		"[]map[string]int":          "memory holds numbers",
		"struct{ X [][]float64 }":   "make it []float64",
		"[2]struct{ X [][]uint16 }": "make it []uint16",
	} {
		diags := compileSnippet(t, "package kernels\n\nimport \"github.com/kgen-go/kgen/dsl\"\n\ntype K struct{ F "+field+
			" }\n\nfunc (k K) Kernel(it dsl.Item1) {}\n")
		if len(diags) == 0 || diags[0].Code != diag.FieldType || !strings.Contains(diags[0].Hint, want) {
			t.Errorf("%s: %v", field, diags)
		}
	}
}
