package difftest

import (
	"context"

	"github.com/kgen-go/kgen/internal/tests/difftest/corpus"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/runtime"
)

func init() {
	const n = 6
	// heads returns a kernel for up to n work-items, the slices of which are apart.
	heads := func(how int) corpus.Heads {
		return corpus.Heads{How: how, Starts: []uint32{0, 3, 3, 4, 9, 9, 12}, Out: out32(n),
			At:   ints32(4*n, func(i int) int32 { return int32(i*7%5) + int32(i%4) }),
			Same: ints32(4*n, func(i int) int32 { return int32(i * 3 % 8) })}
	}
	run := func(items int, k corpus.Heads) {
		add("Heads", func(ctx context.Context, dev *runtime.Device) (any, error) {
			// The slices of k are written, so that each run has copies, which overlap as
			// they do.
			k := k
			all := append([]int32(nil), k.At...)
			from := -1
			for i := range k.At {
				if len(k.Same) > 0 && &k.At[i] == &k.Same[0] {
					from = i
				}
			}
			if k.At = all; from >= 0 {
				k.Same = all[from:]
			} else {
				k.Same = append([]int32(nil), k.Same...)
			}
			k.Out = out32(n)
			return k, launch(ctx, dev, gen.RunHeads, k, runtime.Range1(items))
		})
	}
	for how := range corpus.HeadsWays {
		run(n-1, heads(how))
		same := heads(how) // one memory for two slices, also shifted
		same.Same = same.At
		run(n-1, same)
		shifted := heads(how)
		shifted.Same = shifted.At[1:]
		run(1, shifted)
		// One work-item at a time faults, since the first fault of a launch wins: in a head,
		// with no round before it, or in the loop.
		for _, length := range []int{0, 1, 2} {
			short := heads(how)
			short.Starts = short.Starts[:length]
			run(1, short)
			short = heads(how)
			short.At = short.At[:length]
			run(1, short)
			short = heads(how)
			short.Same = short.Same[:length]
			run(1, short)
		}
		far := heads(how)
		far.Starts[1] = 1 << 31
		run(1, far)
	}
}
