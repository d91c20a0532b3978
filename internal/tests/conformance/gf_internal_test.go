package conformance

import (
	"context"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/conformance/steps"
	"github.com/kgen-go/kgen/internal/tests/conformance/steps/stepsgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

var (
	inItem  = properties.AccessScope(properties.ScopeWorkItem)
	inGroup = properties.AccessScope(properties.ScopeWorkGroup)
	private = []properties.Property{inItem, properties.FusionInternalMemory(), properties.NoInit()}
)

const untouched = -1

// through runs out = 20x by way of tmp = 2x, fused, with views of tmp as given; opts are those of
// the first kernel and of the second. It reports whether tmp was left alone, and checks out.
func through(t *testing.T, dev *runtime.Device, write, read runtime.View[int32], opts ...runtime.LaunchOption) (internal bool) {
	t.Helper()
	const n = 512
	x, out := buffer(t, dev, ints(n, 0)), buffer(t, dev, make([]int32, n))
	check(t, write.CopyFrom(ctx, dev.DefaultQueue(), slices.Repeat([]int32{untouched}, n)))
	var first, second []runtime.LaunchOption
	if len(opts) == 2 {
		first, second = opts[:1], opts[1:]
	}
	first, second = slices.DeleteFunc(slices.Clone(first), isNil), slices.DeleteFunc(slices.Clone(second), isNil)
	ex := must(graphOf(t, dev, stepsgen.Affine{A: 2, In: x, Out: write}.Node(n, first...),
		stepsgen.Affine{A: 10, In: read, Out: out}.Node(n, second...)).Finalize(enable))(t)
	for range 2 {
		submit(t, dev.DefaultQueue(), ex)
	}
	double, want := make([]int32, n), make([]int32, n)
	for i := range want {
		double[i], want[i] = 2*int32(i), 20*int32(i)
	}
	wantInts(t, dev, out, want)
	got := make([]int32, n)
	check(t, write.CopyTo(ctx, dev.DefaultQueue(), got))
	internal = slices.Equal(got, slices.Repeat([]int32{untouched}, n))
	if !internal && !slices.Equal(got, double) {
		t.Errorf("tmp has %v", got)
	}
	if r := ex.Report(); internal != (len(r.Launches) == 1 && len(r.Launches[0].Internal) == 1) {
		t.Errorf("internal: %v; the report is\n%v", internal, r)
	}
	return internal
}

func isNil(o runtime.LaunchOption) bool { return o == nil }

// temporary returns a buffer with properties.
func temporary(t *testing.T, dev *runtime.Device, props ...properties.Property) runtime.View[int32] {
	t.Helper()
	b := must(runtime.NewBuffer[int32](dev, 512, props...))(t)
	t.Cleanup(func() { b.Close() })
	return b.All()
}

// The scope is that of the view, or of the buffer, for all of its views.
func TestGF23_Scopes(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		v := temporary(t, dev)
		if a := v.With(private...); !through(t, dev, a, a) {
			t.Error("the views' scope does not count")
		}
		if b := temporary(t, dev, private...); !through(t, dev, b, b) {
			t.Error("the buffer's scope does not count")
		}
		b := temporary(t, dev, inItem)
		if a := b.With(private[1:]...); !through(t, dev, a, a) {
			t.Error("the buffer's scope and the view's other properties do not count")
		}
		if a := b.Slice(0, 512).With(private...); !through(t, dev, a, a) {
			t.Error("the same scope twice does not count")
		}
		_, err := runtime.NewBuffer[int32](dev, 1, enable)
		wantErr(t, err, runtime.ErrInvalid)
		_, err = runtime.BufferOf(dev, []int32{1}, properties.AccessScope(7))
		wantErr(t, err, runtime.ErrInvalid)
		_, err = runtime.NewGraph(dev).Add(grow(v.With(properties.WorkGroupSize(8)), 1))
		wantErr(t, err, runtime.ErrInvalid)
		_, err = runtime.NewGraph(dev).Finalize(inItem)
		wantErr(t, err, runtime.ErrInvalid)
		_, err = dev.DefaultQueue().Enqueue(grow(v, 1), runtime.With(properties.NoInit()))
		wantErr(t, err, runtime.ErrInvalid)
	})
}

// Memory is internal if it has all three properties.
func TestGF24_AllThree(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for set := range 8 {
			var props []properties.Property
			for i, p := range private {
				if set>>i&1 != 0 {
					props = append(props, p)
				}
			}
			v := temporary(t, dev).With(props...)
			if internal := through(t, dev, v, v); internal != (set == 7) {
				t.Errorf("%v: internal: %v", props, internal)
			}
		}
	})
}

// A chain of kernels keeps what it computes in between to itself.
func TestGF25_Private(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 100
		x, out := buffer(t, dev, ints(n, 0)), buffer(t, dev, make([]int32, n))
		var tmp [3]runtime.View[int32]
		for i := range tmp {
			tmp[i] = buffer(t, dev, slices.Repeat([]int32{untouched}, n)).With(private...)
		}
		ex := must(graphOf(t, dev, affine(tmp[0], x, 2, 1), affine(tmp[1], tmp[0], 3, 2), affine(tmp[2], tmp[1], 5, 3),
			stepsgen.Sum{X: tmp[2], Y: tmp[0], Out: out}.Node(n)).Finalize(require))(t)
		submit(t, dev.DefaultQueue(), ex)
		want := make([]int32, n)
		for i := range want {
			a := 2*int32(i) + 1
			want[i] = 5*(3*a+2) + 3 + a
		}
		wantInts(t, dev, out, want)
		for _, v := range tmp {
			wantInts(t, dev, v, slices.Repeat([]int32{untouched}, n))
		}
	})
}

// Memory of a work-group needs work-groups of a stated size.
func TestGF26_Local(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		group := []properties.Property{inGroup, properties.FusionInternalMemory(), properties.NoInit()}
		v := temporary(t, dev).With(group...)
		size := runtime.With(properties.WorkGroupSize(32))
		if !through(t, dev, v, v, size, size) {
			t.Error("32 and 32: the memory is not internal")
		}
		for _, opts := range [][]runtime.LaunchOption{{nil, size}, {size, nil}, {nil, nil}} {
			if through(t, dev, v, v, opts...) {
				t.Errorf("%v: the memory is internal", opts)
			}
		}
	})
}

// The scopes of a buffer and of a view of it are one, or contradict each other.
func TestGF27_BufferAndView(t *testing.T) {
	scopes := []properties.Scope{properties.ScopeNone, properties.ScopeWorkItem, properties.ScopeWorkGroup}
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		for _, b := range scopes {
			for _, v := range scopes {
				view := temporary(t, dev, properties.AccessScope(b)).With(properties.AccessScope(v), private[1], private[2])
				if b != v && b != properties.ScopeNone && v != properties.ScopeNone {
					g := graphOf(t, dev, grow(view, 1), grow(view, 2))
					for _, p := range []properties.Property{enable, require} {
						_, err := g.Finalize(p)
						wantErr(t, err, runtime.ErrInvalid)
					}
					must(g.Finalize())(t)
					continue
				}
				size := runtime.With(properties.WorkGroupSize(32))
				if internal := through(t, dev, view, view, size, size); internal != (b != properties.ScopeNone || v != properties.ScopeNone) {
					t.Errorf("buffer %v, view %v: internal: %v", b, v, internal)
				}
			}
		}
	})
}

// The scopes of several uses are one, or none.
func TestGF28_Views(t *testing.T) {
	scopes := []properties.Scope{properties.ScopeNone, properties.ScopeWorkItem, properties.ScopeWorkGroup}
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		size := runtime.With(properties.WorkGroupSize(32))
		tmp := temporary(t, dev)
		with := func(s properties.Scope) runtime.View[int32] {
			return tmp.With(properties.AccessScope(s), private[1], private[2])
		}
		for _, a := range scopes {
			for _, b := range scopes {
				if internal := through(t, dev, with(a), with(b), size, size); internal != (a == b && a != properties.ScopeNone) {
					t.Errorf("%v and %v: internal: %v", a, b, internal)
				}
				for _, c := range scopes {
					node := func(s properties.Scope) runtime.Command {
						return stepsgen.Grow{By: 1, Out: with(s)}.Node(512, size)
					}
					ex := must(graphOf(t, dev, node(a), node(b), node(c)).Finalize(require))(t)
					if n := len(ex.Report().Launches[0].Internal); n != 1 && a == b && b == c && a != properties.ScopeNone || n != 0 && (a != b || b != c || a == properties.ScopeNone) {
						t.Errorf("%v, %v and %v: %v", a, b, c, ex.Report())
					}
				}
			}
		}
	})
}

// Uses of different parts of the memory leave it visible.
func TestGF29_Parts(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 512
		q := dev.DefaultQueue()
		x, tmp, out := buffer(t, dev, ints(n, 0)), buffer(t, dev, make([]int32, n)), buffer(t, dev, make([]int32, 256))
		all, part := tmp.With(private...), tmp.Slice(128, 384).With(private...)
		ex := must(graphOf(t, dev, affine(all, x, 2, 0), affine(out, part, 10, 0)).Finalize(enable))(t)
		submit(t, q, ex)
		want, double := make([]int32, 256), make([]int32, n)
		for i := range want {
			want[i] = 20 * int32(128+i)
		}
		for i := range double {
			double[i] = 2 * int32(i)
		}
		wantInts(t, dev, out, want)
		wantInts(t, dev, tmp, double)
	})
}

// One use without the properties is enough for the memory to be visible, also that of a command
// beside the fused launch.
func TestGF30_OneUse(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		v := temporary(t, dev)
		if through(t, dev, v.With(private...), v) || through(t, dev, v, v.With(private...)) {
			t.Error("the memory is internal")
		}
		const n = 64
		x, tmp, out := buffer(t, dev, ints(n, 0)), buffer(t, dev, make([]int32, n)), buffer(t, dev, make([]int32, n))
		got := make([]int32, n)
		p := tmp.With(private...)
		ex := must(graphOf(t, dev, affine(p, x, 1, 7), affine(out, p, 1, 0), runtime.Download(got, tmp)).Finalize(require))(t)
		submit(t, dev.DefaultQueue(), ex)
		if r := ex.Report(); !slices.Equal(got, ints(n, 7)) || len(r.External) != 1 {
			t.Errorf("got %v;\n%v", got, r)
		}
	})
}

// Views that overlap are not fused where one is written.
func TestGF31_Overlap(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		x := buffer(t, dev, ints(80, 0))
		a, b := x.Slice(0, 64), x.Slice(16, 80)
		submit(t, dev.DefaultQueue(), refused(t, graphOf(t, dev, grow(a.With(private...), 1), grow(b.With(private...), 10)), "overlap"))
		want := ints(80, 0)
		for i := range 64 {
			want[i]++
			want[16+i] += 10
		}
		wantInts(t, dev, x, want)
		// A launch that overlaps with itself is fused with no other.
		refused(t, graphOf(t, dev, affine(a, b, 1, 1), grow(buffer(t, dev, ints(64, 0)), 1)), "overlap")
	})
}

// Memory within a struct counts as other memory does: it is internal if all uses are such, and visible
// where another use has no properties or is beside the launch; parts that overlap are not fused.
func TestGF31_InStruct(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 64
		q := dev.DefaultQueue()
		x, tmp, out := buffer(t, dev, ints(n, 0)), buffer(t, dev, make([]int32, n+16)), buffer(t, dev, make([]int32, n))
		box := func(v runtime.View[int32]) stepsgen.Box { return stepsgen.Box{Plus: 5, Data: v} }
		rebox := func(from, to runtime.View[int32]) runtime.Command {
			return stepsgen.Rebox{From: box(from), To: box(to)}.Node(n)
		}
		v, ahead := tmp.Slice(0, n), tmp.Slice(16, n+16)
		p, hidden := v.With(private...), ahead.With(private...)
		for _, c := range []struct {
			name     string
			commands []runtime.Command
			fused    string // a part of why the graph cannot be fused
			internal bool
			by       int32 // what out, or of parts that overlap tmp, has more than x
		}{
			{"written in a struct", []runtime.Command{rebox(x, p), affine(out, p, 1, 0)}, "", true, 5},
			{"read in a struct", []runtime.Command{affine(p, x, 1, 2), rebox(p, out)}, "", true, 7},
			{"in two structs", []runtime.Command{rebox(x, p), rebox(p, out)}, "", true, 10},
			{"read without properties", []runtime.Command{affine(p, x, 1, 2), rebox(v, out)}, "", false, 7},
			{"written without properties", []runtime.Command{rebox(x, v), affine(out, p, 1, 0)}, "", false, 5},
			{"overlapping", []runtime.Command{affine(p, x, 1, 2), rebox(hidden, out)}, "overlap", false, 2},
			{"overlapping in two structs", []runtime.Command{rebox(x, p), rebox(hidden, out)}, "overlap", false, 5},
		} {
			check(t, tmp.CopyFrom(ctx, q, slices.Repeat([]int32{untouched}, n+16)))
			check(t, out.CopyFrom(ctx, q, make([]int32, n)))
			g := graphOf(t, dev, c.commands...)
			if c.fused != "" {
				submit(t, q, refused(t, g, c.fused))
				want := slices.Repeat([]int32{untouched + 5}, n)
				for i := range n - 16 {
					want[i] = int32(16+i) + c.by + 5
				}
				wantInts(t, dev, out, want)
				continue
			}
			ex := must(g.Finalize(require))(t)
			submit(t, q, ex)
			wantInts(t, dev, out, ints(n, int(c.by)))
			left := make([]int32, n)
			check(t, v.CopyTo(ctx, q, left))
			if internal := slices.Equal(left, slices.Repeat([]int32{untouched}, n)); internal != c.internal || internal != (len(ex.Report().Launches[0].Internal) == 1) {
				t.Errorf("%s: internal: %v;\n%v", c.name, internal, ex.Report())
			}
		}
		refused(t, graphOf(t, dev, rebox(p, hidden), grow(buffer(t, dev, ints(n, 0)), 1)), "overlap")
		// A kernel beside the fused launch has a part of it in a struct.
		ex := must(graphOf(t, dev, affine(p, x, 1, 2), affine(out, p, 1, 0), stepsgen.Rebox{From: box(ahead), To: box(x)}.Node(n-16)).Finalize(enable))(t)
		submit(t, q, ex)
		want := ints(n, 0)
		for i := range n - 16 {
			want[i] = int32(i+16) + 2 + 5
		}
		wantInts(t, dev, x, want)
		if r := ex.Report(); len(r.Launches) != 2 || len(r.Launches[0].Internal) != 0 {
			t.Errorf("the report is\n%v", r)
		}
	})
}

// Elements may be structs, whose parts are reached by pointers.
func TestGF32_Structs(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 70
		points := must(runtime.BufferOf(dev, slices.Repeat([]steps.Point{{X: untouched}}, n), private...))(t)
		defer points.Close()
		x, out := buffer(t, dev, ints(n, 0)), buffer(t, dev, make([]int32, n))
		ex := must(graphOf(t, dev, stepsgen.ToPoints{In: x, Out: points.All()}.Node(n), stepsgen.FromPoints{In: points.All(), Out: out}.Node(n)).Finalize(require))(t)
		submit(t, dev.DefaultQueue(), ex)
		want := make([]int32, n)
		for i := range want {
			want[i] = 21*int32(i) + 1
		}
		wantInts(t, dev, out, want)
		got := make([]steps.Point, n)
		check(t, points.CopyTo(ctx, dev.DefaultQueue(), got))
		if internal := got[3] == (steps.Point{X: untouched}); internal != (len(ex.Report().Launches[0].Internal) == 1) || !internal {
			t.Errorf("%v;\n%v", got[:4], ex.Report())
		}
	})
}

// A work-item may have several elements, one behind the other.
func TestGF33_Blocks(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 64
		x, out := buffer(t, dev, ints(n, 0)), buffer(t, dev, make([]int32, n))
		tmp := buffer(t, dev, slices.Repeat([]int32{untouched}, n))
		p := tmp.With(private...)
		ex := must(graphOf(t, dev, stepsgen.Pairs{In: x, Out: p}.Node(n/2), stepsgen.Pairs{In: p, Out: out}.Node(n/2)).Finalize(require))(t)
		submit(t, dev.DefaultQueue(), ex)
		wantInts(t, dev, out, ints(n, 0))
		wantInts(t, dev, tmp, slices.Repeat([]int32{untouched}, n))
		// Elements that are the range apart are not known to be a work-item's own.
		g := graphOf(t, dev, stepsgen.Strided{In: x, Out: p}.Node(n/2), stepsgen.Strided{In: p, Out: out}.Node(n/2))
		check(t, out.CopyFrom(ctx, dev.DefaultQueue(), make([]int32, n)))
		submit(t, dev.DefaultQueue(), refused(t, g, "not only at the work-item's own index"))
		wantInts(t, dev, out, ints(n, 0))
		wantInts(t, dev, tmp, ints(n, 0))
	})
}

// What is read before it is written is zero.
func TestGF34_ReadFirst(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 64
		tmp, out := buffer(t, dev, slices.Repeat([]int32{12345}, n)), buffer(t, dev, make([]int32, n))
		p := tmp.With(private...)
		ex := must(graphOf(t, dev, grow(p, 1), affine(out, p, 1, 0)).Finalize(require))(t)
		for range 2 { // nor what the run before had
			submit(t, dev.DefaultQueue(), ex)
			wantInts(t, dev, out, slices.Repeat([]int32{1}, n))
		}
		wantInts(t, dev, tmp, slices.Repeat([]int32{12345}, n))
	})
}

// A run that was cancelled leaves nothing in internal memory that the next one could miss.
func TestGF30_Cancelled(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		const n = 512
		q := dev.DefaultQueue()
		x, out, busy := buffer(t, dev, ints(n, 0)), buffer(t, dev, make([]int32, n)), buffer(t, dev, make([]int32, n))
		tmp := temporary(t, dev, private...)
		ex := must(graphOf(t, dev, affine(tmp, x, 2, 0), affine(out, tmp, 3, 0)).Finalize(require))(t)
		want := make([]int32, n)
		for i := range want {
			want[i] = 6 * int32(i)
		}
		for range 3 {
			c, cancel := context.WithCancel(ctx)
			must(stepsgen.Spin{N: 1 << 15, Out: busy}.ParallelFor(q, n))(t) // which the run is behind when it is cancelled
			ev := must(q.Submit(ex, runtime.WithContext(c)))(t)
			cancel()
			t.Log(ev.Wait(ctx))
			check(t, out.CopyFrom(ctx, q, make([]int32, n))) // which the cancelled run was to write
			submit(t, q, ex)
			wantInts(t, dev, out, want)
		}
	})
}

// Memory of which the work-items of one kernel have one element by one parameter, and two by
// another, is not internal.
func TestGF33_TwoDivisions(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *runtime.Device) {
		tmp, x := temporary(t, dev, private...), buffer(t, dev, make([]int32, 256))
		for _, c := range []runtime.Command{stepsgen.Mixed{Two: tmp, One: tmp}.Node(256), stepsgen.Mixed{Two: tmp, One: tmp}.Node(200)} {
			ex := must(graphOf(t, dev, grow(x, 1), c).Finalize(require))(t)
			if r := ex.Report(); len(r.Launches[0].Internal) != 0 || len(r.External) != 1 {
				t.Error(r)
			}
		}
	})
}
