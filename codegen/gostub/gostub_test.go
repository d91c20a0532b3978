package gostub

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/tests/golden"
	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/properties"
)

// shapes has one kernel of each form, with every kind of parameter.
func shapes() *Package {
	field := func(names ...string) (path []Step) {
		for _, n := range names {
			path = append(path, Step{Field: n})
		}
		return path
	}
	slice := func(name, typ string, off int) abi.Param {
		return abi.Param{Name: name, Kind: abi.Slice, Type: "[]" + typ, Offset: off, Size: 16, ElemSize: 4, ElemAlign: 4, Access: abi.ReadWrite}
	}
	from := &abi.Sources{Module: "example.com/shapes", Package: "example.com/shapes", Root: "../..",
		Files: []abi.Source{{File: "kernel.go", Package: "shapes", Sum: 7}, {File: "q/q.go", Package: "q", Sum: 8}}}
	point := Shape{Name: "q.Point", Literal: "struct{ X int32; Y int32 }"}
	return &Package{Path: "example.com/shapes", Name: "shapes", Sources: from, Kernels: []Kernel{
		{
			Doc: "FFTStep does one step.\nIt has more to say.\n",
			ABI: &abi.Kernel{
				Name: "FFTStep", Package: "example.com/shapes", Form: abi.NDRange, Rank: 2, Items: 1, ArgSize: 32,
				Params: []abi.Param{
					{Name: "Scratch", Kind: abi.LocalAccessor, Type: "dsl.LocalAccessor[float32]", Offset: -1, ElemSize: 4, ElemAlign: 4},
					slice("Out", "geom.Point", 0),
				},
				Properties: properties.List{properties.WorkGroupSize(16, 8), properties.SubGroupSize(8),
					properties.DeviceHas(properties.FP16), properties.Float(properties.FloatExact), properties.WorkGroupSizeHint(1, 2)},
				Aspects: []properties.Aspect{properties.FP16, properties.SubGroups},
				Uses: []abi.Use{{Aspect: properties.FP16, Chain: []abi.Frame{{Func: "(shapes.FFTStep).Kernel", Pos: "shapes/kernel.go:5:2"}, {Func: "shapes.half", Pos: "shapes/kernel.go:12:2"}}},
					{Aspect: properties.SubGroups, Chain: []abi.Frame{{Func: "(shapes.FFTStep).Kernel"}}}},
				Variables: []abi.Variable{{Name: "example.com/shapes/q.Table", Pos: "shapes/q/q.go:3:5", Sum: 7}},
				Specs:     []abi.SpecConstant{{ID: 3, Name: "example.com/shapes.Tile", Type: "int", Size: 8, Default: 16}},
				Locals:    []abi.Local{{Name: "Scratch", ElemSize: 4, Len: -1, Accessor: 0}},
				Sites:     []abi.Site{{Kind: abi.FaultIndex, Pos: "shapes/kernel.go:7:3"}, {Kind: abi.FaultPanic, Pos: "shapes/kernel.go:9:3", Message: "a \"bad\" one"}},
			},
			Args: []Arg{{Path: field("Scratch"), Type: "float32"}, {Path: field("Out"), Type: "«example.com/shapes/q».Point"}},
			Shapes: []Shape{{Value: "k", Name: "shapes.FFTStep", Literal: "struct{ Scratch «github.com/kgen-go/kgen/dsl».LocalAccessor[float32]; Out []«example.com/shapes/q».Point }"},
				{"k.Out[0]", point.Name, point.Literal, 0}},
		},
		{
			Pointer: true,
			ABI: &abi.Kernel{
				Name: "Nested", Package: "example.com/shapes", Form: abi.Range, Rank: 1, Items: 4, ArgSize: 200, Spilled: true,
				Params: []abi.Param{
					slice("In.A", "float32", 0),
					{Name: "In.M", Kind: abi.Value, Type: "int32", Offset: 16, Size: 4},
					slice("Bufs[0]", "float32", 24), slice("Bufs[1]", "float32", 40),
					{Name: "Deep[0].M", Kind: abi.Value, Type: "[2]q.Point", Offset: 56, Size: 16}, slice("Deep[0].In[0]", "int16", 72),
					{Name: "Deep[1].M", Kind: abi.Value, Type: "[2]q.Point", Offset: 88, Size: 16}, slice("Deep[1].In[0]", "int16", 104),
					{Name: "E", Kind: abi.Value, Type: "struct{}", Offset: -1},
					{Name: "Keep", Kind: abi.Slice, Type: "[]float32", Offset: -1, Size: 16, ElemSize: 4, ElemAlign: 4, Internal: 2},
				},
			},
			Args: []Arg{
				{Path: field("In", "A"), Type: "float32"}, {Path: field("In", "M"), Type: "int32"},
				{Path: []Step{{Field: "Bufs"}, {Index: 0}}, Type: "float32"}, {Path: []Step{{Field: "Bufs"}, {Index: 1}}, Type: "float32"},
				{Path: []Step{{Field: "Deep"}, {Index: 0}, {Field: "M"}}, Type: "[2]«example.com/shapes/q».Point"},
				{Path: []Step{{Field: "Deep"}, {Index: 0}, {Field: "In"}, {Index: 0}}, Type: "int16"},
				{Path: []Step{{Field: "Deep"}, {Index: 1}, {Field: "M"}}, Type: "[2]«example.com/shapes/q».Point"},
				{Path: []Step{{Field: "Deep"}, {Index: 1}, {Field: "In"}, {Index: 0}}, Type: "int16"},
				{Path: field("E"), Type: "struct{}"}, {Path: field("Keep"), Type: "float32"},
			},
			Shapes: []Shape{
				{"k", "shapes.Nested", "struct{ In T1 `tag:\"in\"`; Bufs [2][]float32; Deep [2]struct{ M [2]«example.com/shapes/q».Point; In [1][]int16 }; E struct{}; Keep []float32 }", 1},
				{"k.In", "shapes.pair", "struct{ A []float32; M int32 }", 0}, {"k.Deep[0].M[0]", point.Name, point.Literal, 0},
			},
		},
		{
			Doc: "Once runs once.",
			ABI: &abi.Kernel{Name: "Once", Package: "example.com/shapes", Items: 1, ArgSize: 16, Params: []abi.Param{slice("X", "struct", 0)},
				Variants: []abi.Variant{{Name: abi.VariantWords, Without: []properties.Aspect{properties.Int8, properties.Int64}},
					{Name: abi.VariantAlone, Without: []properties.Aspect{properties.SubGroups}}}},
			Variants: [][]uint32{{7, 8}, {9}}, Late: []string{abi.VariantAlone},
			Args: []Arg{{Path: field("X"), Type: "struct{A «example.com/shapes/q».Point; B int}"}},
		},
	}}
}

const shapesSource = `package shapes

import (
	"example.com/shapes/q"
	"github.com/kgen-go/kgen/dsl"
)

type FFTStep struct {
	Scratch dsl.LocalAccessor[float32]
	Out     []q.Point
}

func (FFTStep) Kernel(dsl.NDItem2) {}

type pair struct {
	A []float32
	M int32
}

type Nested struct {
	In   pair "tag:\"in\""
	Bufs [2][]float32
	Deep [2]struct {
		M  [2]q.Point
		In [1][]int16
	}
	E    struct{}
	Keep []float32 //kgen:internal
}

func (*Nested) Kernel(dsl.Item1) {}

type Once struct {
	X []struct {
		A q.Point
		B int
	}
}

func (Once) Kernel(dsl.Task) {}
`

func TestGolden(t *testing.T) {
	files, err := Files(shapes(), "example.com/generated/shapesgen", map[string]string{"example.com/shapes/q": "q"})
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, goldenFile, files[0].Data)
}

// compile compiles and vets the kernels of the golden file, with the given stubs; with -short it
// only compiles them.
func compile(t *testing.T, stubs string) (string, error) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := need.Dir(t)
	write := func(name, text string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/shapes\n\ngo 1.26.0\n\nrequire github.com/kgen-go/kgen v0.0.0\n\nreplace github.com/kgen-go/kgen => "+root+"\n")
	write("go.sum", read(t, filepath.Join(root, "go.sum")))
	write("kernel.go", shapesSource)
	write("q/q.go", "package q\n\ntype Point struct{ X, Y int32 }\n\nvar Table [4]int\n")
	write("generated/shapesgen/shapes_kgen.go", stubs)
	for _, k := range shapes().Kernels {
		write("generated/shapesgen/"+k.ABI.Name+".spv", "")
		for i := range k.ABI.Variants {
			if !k.madeLate(i) {
				write("generated/shapesgen/"+variantFile(k.ABI, i), "")
			}
		}
	}
	// Lint vets stubs like these. Go vet takes longer, as it looks at all that they import, too.
	cmd := exec.Command("go", []string{"vet", "build"}[sample.Of(0, 1)], "-mod=mod", "./...")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const goldenFile = "testdata/shapes_kgen.go.golden"

// TestCompiles checks that the golden file is valid code for its kernels.
func TestCompiles(t *testing.T) {
	if out, err := compile(t, read(t, goldenFile)); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestOtherVersion: stubs that another version of kgen wrote, an older one or a newer,
// do not compile, and the compiler names what is to enforce that.
func TestOtherVersion(t *testing.T) {
	stubs := read(t, goldenFile)
	for _, version := range []int{abi.Version - 1, abi.Version + 1} {
		other := strings.NewReplacer(
			fmt.Sprintf("abi.Version - %d)", abi.Version), fmt.Sprintf("abi.Version - %d)", version),
			fmt.Sprintf("(%d - abi.Version)", abi.Version), fmt.Sprintf("(%d - abi.Version)", version)).Replace(stubs)
		if other == stubs {
			t.Fatal("the stubs do not state their version")
		}
		if out, err := compile(t, other); err == nil || !strings.Contains(out, "EnforceVersion") {
			t.Errorf("version %d: %v\n%s", version, err, out)
		}
	}
}

func TestLowerFirst(t *testing.T) {
	for in, want := range map[string]string{"SAXPY": "saxpy", "MatMul": "matMul", "FFTStep": "fftStep", "K": "k", "ScaleF32": "scaleF32"} {
		if got := lowerFirst(in); got != want {
			t.Errorf("lowerFirst(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestNames checks that every kind of fault has a name here.
func TestNames(t *testing.T) {
	for k := abi.FaultNone + 1; k <= abi.FaultPanic; k++ {
		if faultNames[k] == "" {
			t.Errorf("fault kind %d has no name", k)
		}
	}
}
