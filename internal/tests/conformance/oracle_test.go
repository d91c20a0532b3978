package conformance

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/conformance/consts"
	"github.com/kgen-go/kgen/internal/tests/conformance/privates"
	"github.com/kgen-go/kgen/internal/tests/oracle"
)

// TestInterpreter runs kernels in the strict interpreter with values of their
// constants, as they are at several points of the list of passes.
func TestInterpreter(t *testing.T) {
	kernels, err := oracle.Corpus(t.Context(), []string{"./consts", "./privates"}, oracle.Points)
	check(t, err)
	const module = "github.com/kgen-go/kgen/internal/tests/conformance/"
	run := func(name string, arg any, specs map[string]uint64, global, local []int) {
		t.Helper()
		k := kernels[module+name]
		if k == nil {
			t.Fatalf("no kernel %s", name)
		}
		byID := map[uint32]uint64{}
		for _, s := range k.ABI.Specs {
			for constant, v := range specs {
				if s.Name == module+constant {
					byID[s.ID] = v
				}
			}
		}
		equal(t, name+": constants that were set", len(byID), len(specs))
		for _, point := range oracle.Points {
			l := oracle.Launch{Global: global, Local: local, SubGroupSize: 4, Arg: arg, Specs: byID, MaxSteps: 1 << 30}
			if err := l.Run(k, point); err != nil {
				t.Fatalf("%s after %s: %v", name, point, err)
			}
		}
	}
	for _, n := range []int{1, 4, 6} {
		out := make([]int32, 2*n)
		run("consts.Folded", &consts.Folded{Out: out}, map[string]uint64{"consts.Size": uint64(n)}, []int{2 * n}, []int{n})
		for _, got := range out {
			equal(t, "Folded", int(got), 2*n*1000+3*n*(n-1)/2+n/2+1)
		}
	}
	for _, b := range []int{2, 4} {
		out := make([]int32, b*b)
		run("consts.Local", &consts.Local{Out: out}, map[string]uint64{"consts.Block": uint64(b)}, []int{b * b}, []int{b * b})
		for i, got := range out {
			equal(t, "Local", int(got), b*b-1-i)
		}
	}
	for _, n := range []int{7, 10, 300} {
		out := make([]int32, 6)
		run("privates.Divided", &privates.Divided{Out: out}, map[string]uint64{"privates.N": uint64(n), "privates.O": 90, "privates.Uint": 1<<31 + 9, "privates.U32": 1 << 31}, nil, nil)
		equal(t, fmt.Sprint("Divided by ", n), [6]int32(out), divided(n, 20, 90, 1<<31, 1<<31+9))
	}
	for _, n := range []int{1, 7, 40} {
		what := fmt.Sprint("of ", n)
		sum := []int32{0}
		run("privates.Sum", &privates.Sum{Out: sum}, map[string]uint64{"privates.Many": uint64(n)}, nil, nil)
		equal(t, "Sum "+what, int(sum[0]), n*(n+1)/2)
		fill := privates.Fill{Out: make([]float32, n), Aligned: make([]float32, n)}
		run("privates.Fill", &fill, map[string]uint64{"privates.N": uint64(n)}, []int{n}, []int{1})
		if !slices.Equal(fill.Out, fill.Aligned) || fill.Out[0] != float32(n) || n > 1 && fill.Out[n-1] != float32(n-1) {
			t.Errorf("Fill %s: %v, %v", what, fill.Out, fill.Aligned)
		}
		three := make([]int32, 4)
		run("privates.Three", &privates.Three{Out: three}, map[string]uint64{"privates.N": uint64(n), "privates.O": uint64(n + 20)}, nil, nil)
		equal(t, "Three "+what, [4]int32(three), [4]int32{int32(n), 40, int32(3 * (n + 20)), int32(4 * n)})
		elements := make([]float32, n)
		run("privates.Elements", &privates.Elements{Out: elements}, map[string]uint64{"privates.N": uint64(n)}, []int{n}, []int{1})
		for i, got := range elements {
			equal(t, "Elements "+what, got, float32(2*i+2))
		}
	}
}
