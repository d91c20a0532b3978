package conformance

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// sums returns for each element the sum of its run of size elements.
func sums(x []int32, size int) []int32 {
	out := make([]int32, len(x))
	for at := 0; at < len(x); at += size {
		sum := int32(0)
		for _, v := range x[at : at+size] {
			sum += v
		}
		for i := range size {
			out[at+i] = sum
		}
	}
	return out
}

// Kernels that have barriers of their own become part of one, each with its work-group memory.
func TestGF5_Barriers(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n, size = 256, 16
		r := runtime.NDRange1{Global: n, Local: size}
		list := ints(n, 0)
		x, s, y, z := buffer(t, dev, list), buffer(t, dev, make([]int32, n)), buffer(t, dev, make([]int32, n)), buffer(t, dev, make([]int32, n))
		ex := must(graphOf(t, dev, stepsgen.Tree{In: x, Out: s}.Node(r), stepsgen.Scan{In: x, Out: y}.Node(runtime.NDRange1{Global: 48, Local: size}),
			stepsgen.Tree{In: s, Out: z}.Node(r), stepsgen.Rotate{In: z, Out: x}.Node(r)).Finalize(require))(t)
		wantLaunches(t, ex, "steps.Tree+steps.Scan+steps.Tree+steps.Rotate")
		submit(t, dev.DefaultQueue(), ex)
		once := sums(list, size)
		wantInts(t, dev, s, once)
		wantInts(t, dev, z, sums(once, size))
		wantInts(t, dev, x, sums(once, size)) // all elements of a group are the same
		scan := make([]int32, n)
		for i := range 48 {
			if scan[i] = list[i]; i%size > 0 {
				scan[i] += scan[i-1]
			}
		}
		wantInts(t, dev, y, scan)
	})
}

// A work-item that returns before a barrier runs the next kernel, and comes to its barriers.
func TestGF5_EarlyReturn(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n, size = 64, 8
		r := runtime.NDRange1{Global: n, Local: size}
		list := ints(n, 0)
		x, y, z := buffer(t, dev, list), buffer(t, dev, make([]int32, n)), buffer(t, dev, make([]int32, n))
		quit := stepsgen.Quit{Tile: dsl.LocalLen[int32](size), In: x, Out: y}.Node(r)
		ex := must(graphOf(t, dev, quit, stepsgen.Tree{In: y, Out: z}.Node(r), quit).Finalize(require))(t)
		wantLaunches(t, ex, "steps.Quit+steps.Tree+steps.Quit")
		submit(t, dev.DefaultQueue(), ex)
		want := make([]int32, n)
		for i := range want {
			if j := i/size*size + (i+1)%size; i%3 != 0 && j%3 != 0 {
				want[i] = int32(j)
			}
		}
		wantInts(t, dev, z, sums(want, size))
		for i := range want {
			want[i] *= 2
		}
		wantInts(t, dev, y, want)
		// The lengths of local accessors are each launch's own.
		short := stepsgen.Quit{Tile: dsl.LocalLen[int32](size - 2), In: x, Out: y}.Node(r)
		ex = must(graphOf(t, dev, quit, short).Finalize(require))(t)
		err := must(dev.DefaultQueue().Submit(ex))(t).Wait(ctx)
		f := new(runtime.Fault)
		if !errors.As(err, &f) || !strings.Contains(err.Error(), "index out of range [7] with length 6") && !strings.Contains(err.Error(), "index out of range [6] with length 6") {
			t.Errorf("%v", err)
		}
	})
}

// A fault in a kernel with barriers is reported, and the others of the group do not wait.
func TestGF5_Fault(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n, size = 64, 8
		r := runtime.NDRange1{Global: n, Local: size}
		list := ints(n, -20)
		x, y, z := buffer(t, dev, list), buffer(t, dev, make([]int32, n)), buffer(t, dev, make([]int32, n))
		g := graphOf(t, dev, stepsgen.Tree{In: x, Out: z}.Node(r), stepsgen.Scan{In: z, Out: y}.Node(r), stepsgen.Scan{In: x, Out: y}.Node(r))
		var texts []string
		for _, props := range [][]properties.Property{nil, {require}} {
			err := must(dev.DefaultQueue().Submit(must(g.Finalize(props...))(t)))(t).Wait(ctx)
			if err == nil || !strings.Contains(err.Error(), ": large (work-item [") || !strings.Contains(err.Error(), "steps.Scan") {
				t.Fatal(err)
			}
			text, _, _ := strings.Cut(err.Error(), "(work-item") // of several, any
			texts = append(texts, text)
		}
		wantInts(t, dev, z, sums(list, size)) // those from 24 on are above 50
		if texts[0] != texts[1] {
			t.Errorf("fused: %s\nunfused: %s", texts[1], texts[0])
		}
	})
}

// The work-group memory of all kernels together has to fit.
func TestGF15_LocalMemory(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		x, y := buffer(t, dev, ints(64, 1)), buffer(t, dev, make([]int32, 64))
		of := func(bytes int) runtime.Command {
			return stepsgen.Quit{Tile: dsl.LocalLen[int32](bytes / 4), In: x, Out: y}.Node(runtime.NDRange1{Global: 64, Local: 16})
		}
		most := dev.Info().Limits.LocalMemory
		if most > 1<<20 {
			most = 1 << 20
		}
		ex := refused(t, graphOf(t, dev, of(most), of(most/2+4)), "work-group memory would be", "and the device has")
		submit(t, dev.DefaultQueue(), ex)
		ex = must(graphOf(t, dev, of(most/4), of(most/2)).Finalize(require))(t)
		submit(t, dev.DefaultQueue(), ex)
		want := make([]int32, 64)
		for i := range want {
			if j := i/16*16 + (i+1)%16; (i+1)%3 != 0 && (j+1)%3 != 0 {
				want[i] = 4 * int32(j+1)
			}
		}
		wantInts(t, dev, y, want)
	})
}

// Internal memory that a work-group shares is in its work-group memory.
func TestGF26_Shared(t *testing.T) {
	group := []properties.Property{inGroup, properties.FusionInternalMemory(), properties.NoInit()}
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 96
		x, out := buffer(t, dev, ints(n, 0)), buffer(t, dev, make([]int32, n))
		tmp := buffer(t, dev, slices.Repeat([]int32{untouched}, n)).With(group...)
		want := make([]int32, n)
		for _, c := range []struct {
			name  string
			nodes []runtime.Command
			at    func(i int) int
		}{
			{"range", []runtime.Command{
				stepsgen.Affine{A: 2, B: 1, In: x, Out: tmp}.Node(n, runtime.With(properties.WorkGroupSize(32))),
				stepsgen.Swap{In: tmp, Out: out}.Node(n, runtime.With(properties.WorkGroupSize(32))),
			}, func(i int) int { return 2*(i^1) + 1 }},
			{"nd-range", []runtime.Command{
				stepsgen.Turn{In: x, Out: tmp}.Node(runtime.NDRange1{Global: n, Local: 8}),
				stepsgen.Turn{In: tmp, Out: out}.Node(runtime.NDRange1{Global: n, Local: 8}),
			}, func(i int) int { return i }},
			{"barriers", []runtime.Command{
				stepsgen.Tree{In: x, Out: tmp}.Node(runtime.NDRange1{Global: n, Local: 4}),
				stepsgen.Turn{In: tmp, Out: out}.Node(runtime.NDRange1{Global: n, Local: 4}),
			}, func(i int) int { return 4*(i&^3) + 6 }},
		} {
			ex := must(graphOf(t, dev, c.nodes...).Finalize(require, properties.InsertBarriers()))(t)
			if r := ex.Report(); len(r.Launches) != 1 || len(r.Launches[0].Internal) != 1 {
				t.Errorf("%s: %v", c.name, r)
			}
			for range 2 {
				submit(t, dev.DefaultQueue(), ex)
			}
			for i := range want {
				want[i] = int32(c.at(i))
			}
			wantInts(t, dev, out, want)
			wantInts(t, dev, tmp, slices.Repeat([]int32{untouched}, n))
		}
	})
}

// Internal memory that a work-group shares is internal as long as it fits beside the kernels' own
// work-group memory, and beside what is internal already.
func TestGF26_Room(t *testing.T) {
	group := []properties.Property{inGroup, properties.FusionInternalMemory(), properties.NoInit()}
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n, size, room = 64, 16, 4 * 16 // bytes of each memory
		x, y, out := buffer(t, dev, ints(n, 1)), buffer(t, dev, make([]int32, n)), buffer(t, dev, make([]int32, n))
		a, b := buffer(t, dev, make([]int32, n)).With(group...), buffer(t, dev, make([]int32, n)).With(group...)
		r := runtime.NDRange1{Global: n, Local: size}
		most := dev.Info().Limits.LocalMemory
		turned := func(i int) int32 { return int32(i/size*size + size - i%size) } // three times
		want := make([]int32, n)
		for i := range want {
			if next := turned(i/size*size + (i+1)%size); turned(i)%3 != 0 && next%3 != 0 {
				want[i] = next
			}
		}
		for _, c := range []struct{ left, internal int }{{0, 0}, {room - 4, 0}, {room, 1}, {2*room - 4, 1}, {2 * room, 2}} {
			check(t, out.CopyFrom(ctx, dev.DefaultQueue(), make([]int32, n)))
			tile := dsl.LocalLen[int32]((most - c.left) / 4)
			ex := must(graphOf(t, dev, stepsgen.Turn{In: x, Out: a}.Node(r), stepsgen.Turn{In: a, Out: b}.Node(r),
				stepsgen.Turn{In: b, Out: y}.Node(r), stepsgen.Quit{Tile: tile, In: y, Out: out}.Node(r)).Finalize(require, properties.InsertBarriers()))(t)
			internal := 0
			for _, l := range ex.Report().Launches {
				internal += len(l.Internal)
			}
			if internal != c.internal {
				t.Errorf("%d bytes left: %d are internal, want %d:\n%v", c.left, internal, c.internal, ex.Report())
			}
			submit(t, dev.DefaultQueue(), ex)
			wantInts(t, dev, out, want)
		}
	})
}
