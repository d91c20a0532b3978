package conformance

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/conformance/steps"
	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// A kernel that was loaded as a module has no IR, though one of the same name may have. The host
// device, which has no Go code of it, takes it into no graph.
func TestGF16_NoIR(t *testing.T) {
	onDevices(t, noIR)
}

func noIR(t *testing.T, dev *runtime.Device) {
	var desc abi.Kernel
	for _, k := range stepsgen.Kernels() {
		if k.ABI().Name == "Grow" {
			desc = *k.ABI()
		}
	}
	spirv := []byte(desc.SPIRV)
	if !dev.Has(properties.Int64) {
		spirv = []byte(desc.Variants[slices.IndexFunc(desc.Variants, func(v abi.Variant) bool { return v.Name == abi.VariantWords })].SPIRV)
	}
	desc.Sum, desc.Variants = 0, nil
	var words []uint32
	for i := 0; i < len(spirv); i += 4 {
		words = append(words, binary.LittleEndian.Uint32(spirv[i:]))
	}
	p := must(runtime.LoadModule(dev, words, desc))(t)
	exe := must(p.Build())(t)
	q := dev.DefaultQueue()
	x := buffer(t, dev, make([]int32, 16))
	g := runtime.NewGraph(dev)
	check(t, q.BeginRecording(g))
	_, err := runtime.LaunchKernel(q, p.Kernels()[0], runtime.Range1(16), []any{int32(3), x}, runtime.WithProgram(exe))
	if dev.Info().Backend == "host" {
		wantErr(t, err, runtime.ErrKernelNotSupported)
		check(t, q.EndRecording())
		if n := len(g.Nodes()); n != 0 {
			t.Errorf("the graph has %d nodes", n)
		}
		return
	}
	check(t, err)
	must(q.Enqueue(grow(x, 4)))(t)
	check(t, q.EndRecording())
	submit(t, q, refused(t, g, "Grow: it has no IR"))
	wantInts(t, dev, x, slices.Repeat([]int32{7}, 16))
}

// What is asked for again is there; another overlap, constant or device, barriers, and memory that
// has become internal are another kernel. All are right, also where the kernel was made for others.
func TestGF36_Cache(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		cached(t, dev)
		cached(t, open(t, dev.Info().Backend)) // which has none of the other's
	})
}

// cached runs graphs one behind the other, some of which are those of before in what their kernels are.
func cached(t *testing.T, dev *runtime.Device) {
	const n = 64
	q := dev.DefaultQueue()
	var m [4]runtime.View[int32]
	for i := range m {
		m[i] = buffer(t, dev, make([]int32, n))
	}
	x, y, z, w := m[0], m[1], m[2], m[3]
	factor := func(f int) runtime.LaunchOption { return runtime.WithSpec(steps.Factor, f) }
	turn := func(out, in runtime.View[int32]) runtime.Command {
		return stepsgen.Turn{In: in, Out: out}.Node(runtime.NDRange1{Global: n, Local: 8})
	}
	group := []properties.Property{inGroup, properties.FusionInternalMemory(), properties.NoInit()}
	// Work-groups of 8 and 16 work-items, which use as many elements of Tile.
	quit := func(tile, local int) runtime.Command {
		return stepsgen.Quit{Tile: dsl.LocalLen[int32](tile), In: x, Out: y}.Node(runtime.NDRange1{Global: n, Local: runtime.Range1(local)})
	}
	own, shared, inside := y.With(private...), y.With(inGroup), y.With(group...)
	meet := []properties.Property{properties.InsertBarriers()}
	for _, c := range []struct {
		what     string
		made     int
		commands []runtime.Command
		props    []properties.Property
	}{
		{"the first", 1, []runtime.Command{affine(y, x, 1, 2), affine(z, y, 3, 4)}, nil},
		{"the same", 0, []runtime.Command{affine(y, x, 1, 2), affine(z, y, 3, 4)}, nil},
		{"other scalars", 0, []runtime.Command{affine(y, x, 5, 6), affine(z, y, 7, 8)}, nil},
		{"other memory", 0, []runtime.Command{affine(w, z, 5, 6), affine(x, w, 7, 8)}, nil},
		{"another overlap", 1, []runtime.Command{affine(y, x, 1, 2), affine(x, y, 3, 4)}, nil},
		{"no overlap", 1, []runtime.Command{affine(y, x, 1, 2), affine(z, w, 3, 4)}, nil},
		{"another order", 1, []runtime.Command{grow(x, 1), affine(y, x, 1, 2)}, nil},
		{"the other order", 1, []runtime.Command{affine(y, x, 1, 2), grow(x, 1)}, nil},
		{"a constant", 1, []runtime.Command{stepsgen.Times{In: x, Out: y}.Node(n, factor(4)), grow(y, 1)}, nil},
		{"another constant", 1, []runtime.Command{stepsgen.Times{In: x, Out: y}.Node(n, factor(5)), grow(y, 1)}, nil},
		{"a local accessor", 1, []runtime.Command{quit(8, 8), quit(8, 8)}, nil},
		{"longer ones", 1, []runtime.Command{quit(16, 8), quit(16, 8)}, nil},
		{"one of them longer", 1, []runtime.Command{quit(8, 8), quit(16, 8)}, nil},
		{"larger groups", 1, []runtime.Command{quit(16, 16), quit(16, 16)}, nil},
		{"the first local accessor", 0, []runtime.Command{quit(8, 8), quit(8, 8)}, nil},
		{"internal memory of work-items", 1, []runtime.Command{affine(own, x, 1, 2), affine(z, own, 3, 4)}, nil},
		{"visible memory again", 0, []runtime.Command{affine(y, x, 1, 2), affine(z, y, 3, 4)}, nil},
		{"no barriers", 1, []runtime.Command{turn(y, x), turn(w, z)}, nil},
		{"barriers", 1, []runtime.Command{turn(y, x), turn(w, z)}, meet},
		{"memory of work-groups", 1, []runtime.Command{turn(shared, x), turn(z, shared)}, meet},
		{"internal memory of work-groups", 1, []runtime.Command{turn(inside, x), turn(z, inside)}, meet},
		{"the same with barriers", 0, []runtime.Command{turn(y, x), turn(w, z)}, meet},
		{"the same internal memory", 0, []runtime.Command{turn(inside, x), turn(z, inside)}, meet},
	} {
		var left [2][4][]int32 // fused, and not
		internal := false
		for i, props := range [][]properties.Property{append(c.props, require), nil} {
			for j, v := range m {
				check(t, v.CopyFrom(ctx, q, ints(n, 100*j)))
			}
			before := dev.Pipelines()
			ex := must(graphOf(t, dev, c.commands...).Finalize(props...))(t)
			if made := dev.Pipelines() - before; i == 0 && dev.Info().Backend != "host" && made != c.made {
				t.Errorf("%s: %d pipelines, want %d", c.what, made, c.made)
			}
			submit(t, q, ex)
			for j, v := range m {
				left[i][j] = make([]int32, n)
				check(t, v.CopyTo(ctx, q, left[i][j]))
			}
			if r := ex.Report(); i == 0 && len(r.Launches) != 1 {
				t.Errorf("%s: %v", c.what, r)
			} else if i == 0 {
				internal = len(r.Launches[0].Internal) > 0
			}
		}
		if want := strings.Contains(c.what, "internal"); internal != want {
			t.Errorf("%s: internal: %v", c.what, internal)
		} else if internal {
			left[1][1] = ints(n, 100) // y is left alone
		}
		for j := range m {
			if !slices.Equal(left[0][j], left[1][j]) {
				t.Errorf("%s, buffer %d: fused %v, unfused %v", c.what, j, left[0][j], left[1][j])
			}
		}
	}
}
