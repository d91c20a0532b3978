package difftest

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/difftest/corpus"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

func init() {
	groupAlgorithmCases([]int{1, 7, 32, 64, 100, 256})
	// Rows that are no multiple of a sub-group are in several.
	for _, local := range []runtime.Range2{{3, 8}, {4, 16}, {1, 21}, {2, 4}, {8, 1}, {5, 3}, {3, 12}} {
		addND(fmt.Sprintf("GroupVotes%v", local), gen.RunGroupVotes, func() (corpus.GroupVotes, runtime.NDRange2) {
			global := runtime.Range2{local[0] * 2, local[1] * 3}
			n := global[0] * global[1]
			k := corpus.GroupVotes{In: mixedInts(n), Out: make([]bool, n*corpus.GroupVoteResults), IDs: make([]int, n*9)}
			return k, runtime.NDRange2{Global: global, Local: local}
		})
	}
	addND("GroupGuards", gen.RunGroupGuards, func() (corpus.GroupGuards, runtime.NDRange1) {
		return corpus.GroupGuards{In: mixedInts(256), Out: out32(256)}, nd1(256, 64)
	})
	for _, bad := range []int{-1, 3, 93, 124, 169} {
		addND("GroupRounds", gen.RunGroupRounds, func() (corpus.GroupRounds, runtime.NDRange3) {
			k := corpus.GroupRounds{Bad: bad, In: mixedInts(288), Out: out32(288)}
			return k, runtime.NDRange3{Global: runtime.Range3{4, 3, 24}, Local: runtime.Range3{2, 3, 8}}
		})
	}
	for _, bad := range []int{-1, 5, 20, 40, 60, 1001} {
		addND("GroupSettles", gen.RunGroupSettles, func() (corpus.GroupSettles, runtime.NDRange1) {
			in := make([]int32, 64)
			for i := range in {
				in[i] = []int32{int32(40 + 5*i), int32(2 + 5*i), int32(60 + i%16), int32(-i)}[i/16]
			}
			in[20], in[41], in[60] = 100, 77, 150
			return corpus.GroupSettles{Bad: bad, In: in, Out: out32(64)}, nd1(64, 16)
		})
	}
	for _, bad := range []int{-1, 4, 40, 99} {
		addND("GroupLeavers", gen.RunGroupLeavers, func() (corpus.GroupLeavers, runtime.NDRange1) {
			k := corpus.GroupLeavers{Bad: bad, In: mixedInts(120), X: mixedFloats[float32](120), Out: out32(120 * 8), F: make([]float32, 120*4)}
			return k, nd1(120, 40)
		})
	}
}

func nd1(global, local int) runtime.NDRange1 {
	return runtime.NDRange1{Global: runtime.Range1(global), Local: runtime.Range1(local)}
}

// subGroupSize is the size of sub-groups that all devices of a run have.
var subGroupSize = sync.OnceValue(func() int {
	dev, err := runtime.Open(runtime.Select("vulkan"))
	if err != nil {
		return 8
	}
	defer func() { _ = dev.Close() }()
	return dev.Info().MinSubGroup
})

// addND adds a case of a kernel with sub-groups of one size on all devices that have
// any.
func addND[K, R any](name string, run func(context.Context, *runtime.Device, K, R, ...runtime.LaunchOption) error, arg func() (K, R)) {
	add(name, func(ctx context.Context, dev *runtime.Device) (any, error) {
		k, r := arg()
		var opts []runtime.LaunchOption
		if dev == nil || dev.Has(properties.SubGroups) {
			opts = append(opts, runtime.With(properties.SubGroupSize(subGroupSize())))
		}
		return k, launch(ctx, dev, run, k, r, opts...)
	})
}

type runnerND[K any] func(context.Context, *runtime.Device, K, runtime.NDRange1, ...runtime.LaunchOption) error

func groupInts[T corpus.Integer](name string, run runnerND[corpus.GroupInts[T]], local int) {
	addND(fmt.Sprintf("GroupInts%s/%d", name, local), run, func() (corpus.GroupInts[T], runtime.NDRange1) {
		in, _ := intPairs[T](local * 3)
		in = in[len(in)-local*3:]
		return corpus.GroupInts[T]{In: in, Out: make([]T, len(in)*corpus.GroupIntResults)}, nd1(len(in), local)
	})
}

func mixedFloats[T ~float32 | ~float64](n int) []T {
	r := rng()
	in := make([]T, n)
	for i := range in {
		in[i] = T(math.Ldexp(r.Float64()*2-1, r.IntN(8)-4))
	}
	return in
}

func groupFloats[T ~float32 | ~float64](name string, run runnerND[corpus.GroupFloats[T]], local int) {
	addND(fmt.Sprintf("GroupFloats%s/%d", name, local), run, func() (corpus.GroupFloats[T], runtime.NDRange1) {
		in := mixedFloats[T](local * 5)
		for i := range local {
			in[local+i] = 0 // a group of zeros of both signs
			if i%3 > 0 {
				in[local+i] = T(math.Copysign(0, -1))
			}
			in[2*local+i] = T(math.Copysign(0, -1))
		}
		in[3*local+local/2] = T(math.NaN())
		in[4*local+local/2] = T(math.Inf(-1))
		return corpus.GroupFloats[T]{In: in, Out: make([]T, len(in)*corpus.GroupFloatResults)}, nd1(len(in), local)
	})
}

func shuffles[T dsl.Scalar](name string, run runnerND[corpus.Shuffles[T]], local int, value func(i int) T) {
	addND(fmt.Sprintf("Shuffles%s/%d", name, local), run, func() (corpus.Shuffles[T], runtime.NDRange1) {
		n := local * 3
		k := corpus.Shuffles[T]{In: make([]T, n), Lanes: make([]int, n), Out: make([]T, n*corpus.ShuffleResults)}
		for i := range n {
			k.In[i], k.Lanes[i] = value(i), i*7%19-4
			if i%13 == 0 {
				k.Lanes[i] = 1 << 40
			}
		}
		return k, nd1(n, local)
	})
}

func groupAlgorithmCases(sizes []int) {
	inTurns(sizes,
		of(groupInts, "Int32", gen.RunGroupIntsInt32),
		of(groupInts, "Int8", gen.RunGroupIntsInt8),
		of(groupInts, "Uint8", gen.RunGroupIntsUint8),
		of(groupInts, "Int16", gen.RunGroupIntsInt16),
		of(groupInts, "Uint32", gen.RunGroupIntsUint32),
		of(groupInts, "Int64", gen.RunGroupIntsInt64),
		of(groupInts, "Uint64", gen.RunGroupIntsUint64),
		of(groupFloats, "32", gen.RunGroupFloats32),
		of(groupFloats, "64", gen.RunGroupFloats64))
	for _, local := range sizes {
		shuffles("Bool", gen.RunShufflesBool, local, func(i int) bool { return i%3 != 0 })
		shuffles("Int16", gen.RunShufflesInt16, local, func(i int) int16 { return int16(1 - 37*i) })
		shuffles("Uint32", gen.RunShufflesUint32, local, func(i int) uint32 { return uint32(1+i) * 0x9e3779b9 })
		shuffles("Int", gen.RunShufflesInt, local, func(i int) int { return (1 - i) * 0x9e3779b97f4a })
		shuffles("Float32", gen.RunShufflesFloat32, local, func(i int) float32 { return 1 / float32(i+1) })
		shuffles("Float64", gen.RunShufflesFloat64, local, func(i int) float64 { return 1 / float64(i+1) })
	}
}
