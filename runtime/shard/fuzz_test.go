package shard_test

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime/shard"
)

// FuzzArray scatters an array of any shape over devices of any weights, writes the blocks anew,
// exchanges halos, and compares all rows that devices keep with the rows of the array.
func FuzzArray(f *testing.F) {
	f.Add(uint8(10), uint8(3), uint8(1), uint8(1), uint8(1), uint8(1), uint8(1))
	f.Add(uint8(40), uint8(1), uint8(2), uint8(4), uint8(0), uint8(3), uint8(1))
	f.Add(uint8(0), uint8(0), uint8(0), uint8(7), uint8(9), uint8(0), uint8(0))
	f.Add(uint8(200), uint8(2), uint8(20), uint8(16), uint8(3), uint8(2), uint8(2))
	g := must(shard.Of(devtest.Host(f), devtest.Host(f), devtest.Host(f)))
	f.Fuzz(func(t *testing.T, rows, row, halo, blocks, w0, w1, w2 uint8) {
		if err := g.SetWeights(float64(w0), float64(w1), float64(w2)); err != nil {
			return
		}
		n := int(rows) * int(row)
		opts := []shard.Option{shard.Shape(int(rows), int(row)), shard.Halo(int(halo)), shard.Blocks(int(blocks))}
		x, err := shard.New[uint16](g, n, opts...)
		if err != nil {
			return
		}
		defer x.Close()
		cuts := x.Cuts()
		if len(cuts) != 4 || cuts[0] != 0 || cuts[3] != int(rows) || !slices.IsSorted(cuts) {
			t.Fatalf("the cuts of %d rows are %v", rows, cuts)
		}
		want := make([]uint16, n)
		for i := range want {
			want[i] = uint16(i + 1)
		}
		keeps := make([][]uint16, 3)
		err = shard.Each(t.Context(), g, func(p shard.Part) error {
			lo, hi := cuts[p.Index], cuts[p.Index+1]
			if lo%int(blocks) != 0 && lo != int(rows) {
				t.Errorf("a cut at row %d, in a block of %d rows", lo, blocks)
			}
			if err := x.On(p).CopyFrom(p.Context(), p.Queue, want[lo*int(row):hi*int(row)]); err != nil {
				return err
			}
			if halo > 0 {
				if err := x.Exchange(p); err != nil {
					return err
				}
			}
			keeps[p.Index] = make([]uint16, x.Around(p).Len())
			return x.Around(p).CopyTo(p.Context(), p.Queue, keeps[p.Index])
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range keeps {
			lo, hi := max(cuts[i]-int(halo), 0), min(cuts[i+1]+int(halo), int(rows))
			if !slices.Equal(got, want[lo*int(row):hi*int(row)]) {
				t.Errorf("device %d keeps %v of the rows %d to %d", i, got, lo, hi)
			}
		}
		got := make([]uint16, n)
		if err := x.Gather(t.Context(), got); err != nil || !slices.Equal(got, want) {
			t.Errorf("the gathered elements differ; error %v", err)
		}
	})
}
