package difftest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/atomics"
	atomicsgen "github.com/kgen-go/kgen/internal/tests/difftest/atomics/atomicsgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/corpus"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// TestSubGroupSizes runs group algorithms on the host device and in the interpreter
// with sub-groups of several sizes. They agree at each size, and what is over
// work-groups does not depend on it: neither do sums of floats.
func TestSubGroupSizes(t *testing.T) {
	host := devtest.Host(t)
	in, err := corpusKernels()
	if err != nil {
		t.Fatal(err)
	}
	for _, local := range []int{6, 32, 40, 100} {
		var ints []int32
		var floats []float32
		for _, size := range []int{4, 8, 32} {
			t.Run(fmt.Sprintf("%d/%d", local, size), func(t *testing.T) {
				n := 2 * local
				k := corpus.GroupIntsInt32{In: mixedInts(n), Out: make([]int32, n*corpus.GroupIntResults)}
				f := corpus.GroupFloats32{In: mixedFloats[float32](n), Out: make([]float32, n*corpus.GroupFloatResults)}
				k2, f2 := k, f
				k2.Out, f2.Out = slices.Clone(k.Out), slices.Clone(f.Out)
				with := runtime.With(properties.SubGroupSize(size))
				if err := errors.Join(gen.RunGroupIntsInt32(context.Background(), host, k, nd1(n, local), with),
					gen.RunGroupFloats32(context.Background(), host, f, nd1(n, local), with)); err != nil {
					t.Fatal(err)
				}
				interpret(t, in, "GroupInts[int32]", &k2, n, local, size)
				interpret(t, in, "GroupFloats[float32]", &f2, n, local, size)
				if d := Diff(k2.Out, k.Out, false); d != "" {
					t.Errorf("integers: interpreter%s", d)
				}
				if d := Diff(f2.Out, f.Out, false); d != "" {
					t.Errorf("floats: interpreter%s", d)
				}
				// The first results of each work-item are over the work-group.
				var is []int32
				var fs []float32
				for i := range n {
					is = append(is, k.Out[i*corpus.GroupIntResults:][:12]...)
					fs = append(fs, f.Out[i*corpus.GroupFloatResults:][:8]...)
				}
				if ints != nil && (Diff(is, ints, false) != "" || Diff(fs, floats, false) != "") {
					t.Errorf("work-groups depend on the size: %s %s", Diff(is, ints, false), Diff(fs, floats, false))
				}
				ints, floats = is, fs
			})
		}
	}
}

// interpret runs a kernel of package corpus as it is emitted.
func interpret(t *testing.T, in *interpreted, name string, k any, n, local, size int) {
	t.Helper()
	c, err := in.kernels.Kernel("github.com/kgen-go/kgen/internal/tests/difftest/corpus." + name)
	if err != nil || c == nil {
		t.Fatalf("no kernel %s: %v", name, err)
	}
	l := oracle.Launch{Arg: k, Global: []int{n}, Local: []int{local}, SubGroupSize: size, MaxSteps: 1 << 40}
	if err := l.Run(c, "expand"); err != nil {
		t.Fatal(err)
	}
}

// TestAtomicAspects: devices without 64-bit atomics refuse kernels that use them,
// and only those.
func TestAtomicAspects(t *testing.T) {
	dev := devtest.Host(t, runtime.MaskAspects(properties.Atomic64))
	ctx := context.Background()
	k := atomics.Longs{In: make([]int64, 4), Sum: make([]int64, 7), U: make([]uint64, 6), Out: make([]int64, 8)}
	if err := atomicsgen.RunLongs(ctx, dev, k, 4); !errors.Is(err, runtime.ErrKernelNotSupported) {
		t.Errorf("Longs: %v", err)
	}
	o := atomics.Own{In: make([]int32, 4), Out: make([]int32, 4)}
	if err := atomicsgen.RunOwn(ctx, dev, o, 4); err != nil {
		t.Errorf("Own: %v", err)
	}
}
