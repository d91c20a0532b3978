package scan_test

import (
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/internal/tests/prims/ops"
	"github.com/kgen-go/kgen/internal/tests/prims/ops/opsgen"
	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/scan"
	"github.com/kgen-go/kgen/runtime"
)

// FuzzScan compares all functions with plain Go.
func FuzzScan(f *testing.F) {
	prims.Fuzz(f, fuzzType[float32], fuzzType[int32], fuzzType[uint64], fuzzType[float64], fuzzBy,
		fuzzKeys[uint8, float32], fuzzKeys[float32, uint32], fuzzKeys[int16, int64], fuzzKeys[float64, float64])
}

func fuzzType[T prims.Real](in *prims.Input) {
	xs := prims.Elements[T](in, in.N)
	in.Scratch(scan.ScratchBytes[T](in.N))
	comparedTo(in.Views, xs, in.M)
}

func fuzzBy(in *prims.Input) {
	xs, us := prims.Elements[float32](in, in.N), prims.Elements[uint32](in, in.N)
	in.Scratch(scan.ScratchBytes[ops.Affine](in.N))
	x, u, square := prims.View(in.Views, xs), prims.View(in.Views, us), ops.Square{From: 0.25}
	for _, inclusive := range []bool{false, true} {
		distances, compositions := scan.ExclusiveBy[opsgen.Distances], scan.ExclusiveBy[opsgen.Compositions]
		if inclusive {
			distances, compositions = scan.By[opsgen.Distances], scan.By[opsgen.Compositions]
		}
		prims.Equal(in.T, fmt.Sprint("Distances of ", in.M), prims.Result(in.Views, in.N, func(out runtime.View[float32], opts ...prim.Option) (runtime.Event, error) {
			return distances(in.Q, square, x, out, opts...)
		}), prims.Padded(by(square, xs[:in.M], inclusive), in.N))
		prims.Equal(in.T, fmt.Sprint("Compositions of ", in.M), prims.Result(in.Views, in.N, func(out runtime.View[ops.Affine], opts ...prim.Option) (runtime.Event, error) {
			return compositions(in.Q, ops.Compose{}, u, out, opts...)
		}), prims.Padded(by(ops.Compose{}, us[:in.M], inclusive), in.N))
	}
}

func fuzzKeys[K, V prims.Real](in *prims.Input) {
	in.Scratch(scan.ByKeyScratchBytes(in.N))
	keyed(in.Views, prims.Elements[K](in, in.N), prims.Elements[V](in, in.N), in.M)
}
