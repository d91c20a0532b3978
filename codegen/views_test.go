package codegen

import (
	"github.com/kgen-go/kgen/internal/tests/usermodule"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const viewKernels = `package k

import (
	"example.com/m/geom"

	"github.com/kgen-go/kgen/dsl"
)

type Number interface{ ~float32 | ~int32 }

type Mat[T Number] struct {
	Data       []T
	Rows, Cols int
	_          int
}

type pair struct{ A, B []int32 }

type Sum struct {
	A, B, Out Mat[float32]
	Masks     [2]Mat[int32]
	Grid      geom.Grid
	Other     geom.Mat
	Pair      pair
	Plain     struct{ X []int32 }
}

func (k Sum) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out.Data[i] = k.A.Data[i] + k.B.Data[i]*float32(k.Masks[1].Data[i]) + k.Grid.Rows[1][i] + float32(k.Other.Cells[i]+k.Other.Scale) +
		float32(k.Pair.B[i]+k.Plain.X[i])
}

type Tile struct{ Cells []int32 }

// NewTile has the name of a function that would allocate a Tile.
type NewTile struct{ T Tile }

func (k NewTile) Kernel(it dsl.Item1) { k.T.Cells[it.GlobalID()] = 1 }

type Twice struct{ M Mat[float32] }

func (k Twice) Kernel(it dsl.Item1) { k.M.Data[it.GlobalID()] *= 2 }
`

const viewMain = `package main

import (
	"context"
	"errors"
	"fmt"
	"log"

	"example.com/m/geom"
	gen "example.com/m/generated/k"
	"example.com/m/k"

	"github.com/kgen-go/kgen/runtime"
)

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

func second[T any](_ T, err error) error { return err }

// double is what no helper could be while each kernel had types of its own.
func double(q *runtime.Queue, m gen.Mat[float32]) runtime.Event {
	return must(gen.Twice{M: m}.ParallelFor(q, runtime.Range1(m.Rows*m.Cols)))
}

func main() {
	ctx := context.Background()
	dev := must(runtime.Open())
	q := dev.DefaultQueue()
	mat := func(vs ...float32) gen.Mat[float32] {
		return must(gen.MatOf(ctx, q, k.Mat[float32]{Data: vs, Rows: 1, Cols: len(vs)}))
	}
	mask := must(gen.MatOf(ctx, q, k.Mat[int32]{Data: []int32{0, 1}, Rows: 1, Cols: 2}))
	a, out := mat(1, 2), mat(0, 0)
	double(q, a)
	grid := must(gen.GridOf(ctx, q, geom.Grid{Rows: [2][]float32{nil, {100, 200}}, Inner: geom.Mat{Cells: []int32{7}, Scale: 3}}))
	if grid.Inner.Scale != 3 || grid.Inner.Cells.Len() != 1 || grid.Rows[0].Len() != 0 {
		log.Fatal("the grid is another one")
	}
	n := must(gen.GeomMatOf(ctx, q, geom.Mat{Cells: []int32{1000, 2000}, Scale: 5}))
	x := must(runtime.BufferOf(dev, []int32{10000, 20000}))
	must(gen.Sum{A: a, B: mat(10, 20), Out: out, Masks: [2]gen.Mat[int32]{mask, mask}, Grid: grid, Other: n,
		Pair: gen.SumPair{A: x.All(), B: x.All()}, Plain: gen.SumPlain{X: x.All()}}.ParallelFor(q, runtime.Range1(2)))
	got := make([]float32, 2)
	if err := out.Data.CopyTo(ctx, q, got); err != nil {
		log.Fatal(err)
	}
	fmt.Println(got)
	out.Close()
	_, err := gen.Twice{M: out}.ParallelFor(q, runtime.Range1(2))
	fmt.Println(errors.Is(err, runtime.ErrKernelArgument))
	ended, cancel := context.WithCancel(ctx)
	cancel()
	big, err := gen.MatOf(ended, q, k.Mat[float32]{Data: make([]float32, 1 << 20)})
	fmt.Println(err != nil, big.Data.Len())

	ones := must(gen.NewMat(dev, k.Mat[float32]{Rows: 2, Cols: 3}, 6))
	if err := (gen.Sum{A: ones, B: ones, Out: ones}).Run(ctx, q, 0); err != nil || ones.Rows != 2 || ones.Cols != 3 {
		log.Fatal(err, ones.Rows, ones.Cols)
	}
	got = []float32{1, 2, 3, 4, 5, 6}
	if err := ones.Data.CopyTo(ctx, q, got); err != nil {
		log.Fatal(err)
	}
	fmt.Println(got)
	must(q.Enqueue(runtime.Fill(ones.Data, 4)))
	if err := (gen.Twice{M: ones}).Run(ctx, q, 5); err != nil {
		log.Fatal(err)
	}
	if err := ones.Data.CopyTo(ctx, q, got); err != nil {
		log.Fatal(err)
	}
	ones.Close()
	fmt.Println(got, errors.Is(gen.Twice{M: ones}.Run(ctx, q, 1), runtime.ErrKernelArgument))
	empty := must(gen.NewGrid(dev, geom.Grid{Inner: geom.Mat{Scale: 3}}, 1, 0, 2))
	fmt.Println(empty.Rows[0].Len(), empty.Rows[1].Len(), empty.Inner.Cells.Len(), empty.Inner.Scale)
	for _, err := range []error{
		second(gen.NewMat(dev, k.Mat[float32]{Data: []float32{1}}, 1)), // would be lost
		second(gen.NewGrid(dev, geom.Grid{}, 4, 4, -1)),
		second(gen.NewMat(nil, k.Mat[float32]{}, 1)),
	} {
		fmt.Println(errors.Is(err, runtime.ErrInvalid))
	}
	dev.Close()
	none, err := gen.MatOf(ctx, q, k.Mat[float32]{Data: []float32{1}, Rows: 4})
	fmt.Println(err != nil, none.Data.Len())
}
`

// TestViews: kernels share one type for each struct type of the source, which a function copies
// to the device.
func TestViews(t *testing.T) {
	dir := usermodule.Write(t, map[string]string{
		"k/k.go":       viewKernels,
		"geom/geom.go": "package geom\n\ntype Mat struct {\n\tCells []int32\n\tScale int32\n}\n\ntype Grid struct {\n\tRows  [2][]float32\n\tInner Mat\n}\n",
		"main.go":      viewMain,
	})
	if _, diags, err := Generate(t.Context(), Config{Dir: dir, Patterns: []string{"./k"}}); err != nil || len(diags) > 0 {
		t.Fatal(diags, err)
	}
	stub, err := os.ReadFile(filepath.Join(dir, "generated/k/k_kgen.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"type Mat[T kpkg.Number] struct {\n\tData runtime.View[T]\n\tRows int\n\tCols int\n}",
		"type GeomMat struct {\n\tCells runtime.View[int32]\n\tScale int32\n}",
		"type Grid struct {\n\tRows  [2]runtime.View[float32]\n\tInner GeomMat\n}",
		"func NewTileView(dev *runtime.Device, from kpkg.Tile, cellsLen int) (to TileView, err error) {",
		"func NewMat[T kpkg.Number](dev *runtime.Device, from kpkg.Mat[T], dataLen int) (to Mat[T], err error) {",
		"func NewGrid(dev *runtime.Device, from geom.Grid, rows0Len int, rows1Len int, innerCellsLen int) (to Grid, err error) {",
		"\tA     Mat[float32]\n\tB     Mat[float32]\n\tOut   Mat[float32]\n\tMasks [2]Mat[int32]\n\tGrid  Grid\n\tOther GeomMat\n\tPair  SumPair\n\tPlain SumPlain\n",
	} {
		if strings.Count(string(stub), want) != 1 {
			t.Errorf("not once in the stub: %s", want)
		}
	}
	if testing.Short() {
		return // lint vets the stubs of this repository, and package conformance has views
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "KGEN_DEVICE=host", "CGO_ENABLED=0", "GOFLAGS="+usermodule.Flags("-mod=mod -ldflags=-s"))
	out, err := cmd.CombinedOutput()
	if want := "[21107 42229]\ntrue\ntrue 0\n[0 0 0 0 0 0]\n[8 8 8 8 8 4] true\n1 0 2 3\ntrue\ntrue\ntrue\ntrue 0\n"; err != nil || string(out) != want {
		t.Errorf("%v: %s, want %s", err, out, want)
	}
	vet := exec.CommandContext(t.Context(), "go", "vet", "./...")
	vet.Dir, vet.Env = dir, cmd.Env
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("go vet: %s", out)
	}
}
