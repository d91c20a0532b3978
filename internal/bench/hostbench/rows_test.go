package hostbench

import (
	"fmt"
	"math"
	"slices"

	"github.com/kgen-go/kgen/examples/life/cells"
	"github.com/kgen-go/kgen/examples/matmul/gemm"
	cellsgen "github.com/kgen-go/kgen/generated/examples/life/cells"
	gemmgen "github.com/kgen-go/kgen/generated/examples/matmul/gemm"
	"github.com/kgen-go/kgen/internal/bench/kernels/fold"
	"github.com/kgen-go/kgen/internal/bench/kernels/fold/foldgen"
	"github.com/kgen-go/kgen/internal/bench/kernels/radix"
	"github.com/kgen-go/kgen/internal/bench/kernels/radix/radixgen"
	"github.com/kgen-go/kgen/internal/bench/kernels/tally"
	"github.com/kgen-go/kgen/internal/bench/kernels/tally/tallygen"
	primscan "github.com/kgen-go/kgen/prim/scan"
	"github.com/kgen-go/kgen/runtime"
)

// rows make the rows; less divides the work.
var rows = []func(b *bench, less int) row{reduce, scan, matmul, life, sortKeys, radixSort, histogram}

func reduce(b *bench, less int) row {
	const groups = 512
	n := 1 << 22 / less
	x, y := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = float32(b.r.NormFloat64()), float32(b.r.NormFloat64())
	}
	bx, by := copyOf(b, x), copyOf(b, y)
	parts, out := copyOf(b, make([]fold.Stats, groups)), copyOf(b, make([]fold.Stats, 1))
	nd := runtime.NDRange1{Global: groups * fold.Size, Local: fold.Size}
	one := runtime.NDRange1{Global: fold.Size, Local: fold.Size}
	var want fold.Stats
	return row{"reduce", func() {
		s := fold.Stats{Min: x[0], Max: x[0]}
		for i, v := range x {
			s.Sum += v
			s.Min, s.Max = min(s.Min, v), max(s.Max, v)
			s.Dot += v * y[i]
		}
		want = s
	}, func() error {
		if _, err := (foldgen.Fold{X: bx.All(), Y: by.All(), Out: parts.All()}).ParallelFor(b.q, nd); err != nil {
			return err
		}
		return b.wait(foldgen.Finish{Parts: parts.All(), Out: out.All()}.ParallelFor(b.q, one))
	}, func() error {
		got := make([]fold.Stats, 1)
		err := out.CopyTo(b.ctx, b.q, got)
		if g := got[0]; err == nil && (g.Min != want.Min || g.Max != want.Max || math.Abs(float64(g.Sum-want.Sum)) > 1 || math.Abs(float64(g.Dot-want.Dot)) > 1) {
			err = fmt.Errorf("%+v, want %+v", g, want)
		}
		return err
	}}
}

func scan(b *bench, less int) row {
	n := 1 << 22 / less
	x, want := make([]uint32, n), make([]uint32, n)
	for i := range x {
		x[i] = b.r.Uint32() >> 16
	}
	buf, out := copyOf(b, x), copyOf(b, x)
	return row{"scan", func() {
		sum := uint32(0)
		for i, v := range x {
			want[i] = sum
			sum += v
		}
	}, func() error { return b.wait(primscan.ExclusiveOn(b.q, buf.All(), out.All())) }, same(b, out, &want)}
}

func matmul(b *bench, less int) row {
	n := 512
	if less > 1 {
		n = 50
	}
	a, c, want := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	for i := range a {
		a[i], c[i] = float32(b.r.IntN(9)-4), float32(b.r.IntN(9)-4)
	}
	ba, bb, bc := copyOf(b, a), copyOf(b, c), copyOf(b, want)
	side := (n + gemm.Tile - 1) / gemm.Tile * gemm.Tile
	nd := runtime.NDRange2{Global: runtime.Range2{side, side}, Local: runtime.Range2{gemm.Tile, gemm.Tile}}
	k := gemmgen.MatMul{M: n, K: n, N: n, A: ba.All(), B: bb.All(), C: bc.All()}
	return row{"matmul", func() {
		clear(want)
		for i := range n {
			row := want[i*n : (i+1)*n]
			for l, v := range a[i*n : (i+1)*n] {
				for j, w := range c[l*n : (l+1)*n] {
					row[j] += v * w
				}
			}
		}
	}, func() error { return b.wait(k.ParallelFor(b.q, nd)) }, same(b, bc, &want)}
}

func life(b *bench, less int) row {
	n := 1024
	if less > 1 {
		n = 100
	}
	world, next := make([]uint32, n*n), make([]uint32, n*n)
	for i := range world {
		world[i] = b.r.Uint32N(3) / 2
	}
	in, out := copyOf(b, world), copyOf(b, next)
	tiles := (n + cells.Tile - 1) / cells.Tile * cells.Tile
	nd := runtime.NDRange2{Global: runtime.Range2{tiles, tiles}, Local: runtime.Range2{cells.Tile, cells.Tile}}
	return row{"life", func() {
		for y := range n {
			up, down := (y+n-1)%n*n, (y+1)%n*n
			for x := range n {
				left, right := (x+n-1)%n, (x+1)%n
				sum := world[up+left] + world[up+x] + world[up+right] + world[y*n+left] + world[y*n+right] +
					world[down+left] + world[down+x] + world[down+right]
				next[y*n+x] = 0
				if sum == 3 || sum == 2 && world[y*n+x] == 1 {
					next[y*n+x] = 1
				}
			}
		}
	}, func() error {
		return b.wait(cellsgen.Life{H: n, W: n, In: in.All(), Out: out.All()}.ParallelFor(b.q, nd))
	}, same(b, out, &next)}
}

// sortKeys compares with package slices, and radixSort with the same algorithm.
func sortKeys(b *bench, less int) row  { return sorting(b, less, "sort") }
func radixSort(b *bench, less int) row { return sorting(b, less, "radix") }

func sorting(b *bench, less int, name string) row {
	n := 1 << 18 / less
	keys := make([]uint32, n)
	for i := range keys {
		keys[i] = b.r.Uint32()
	}
	parts := (n + radix.Part - 1) / radix.Part
	from, to := copyOf(b, keys), copyOf(b, keys)
	counts, starts := copyOf(b, make([]uint32, parts*radix.Digits)), copyOf(b, make([]uint32, parts*radix.Digits))
	nd := runtime.NDRange1{Global: runtime.Range1(parts * radix.Size), Local: radix.Size}
	want, other := make([]uint32, n), make([]uint32, n)
	return row{name, func() {
		copy(want, keys)
		if name == "sort" {
			slices.Sort(want)
			return
		}
		for shift := 0; shift < 32; shift += radix.Bits {
			var starts [radix.Digits]int
			for _, k := range want {
				starts[k>>shift%radix.Digits]++
			}
			sum := 0
			for d, c := range starts {
				starts[d] = sum
				sum += c
			}
			for _, k := range want {
				d := k >> shift % radix.Digits
				other[starts[d]] = k
				starts[d]++
			}
			want, other = other, want
		}
	}, func() error {
		if err := from.CopyFrom(b.ctx, b.q, keys); err != nil {
			return err
		}
		x, y := from.All(), to.All()
		var last runtime.Event
		for shift := 0; shift < 32; shift += radix.Bits {
			_, err := radixgen.Count{Shift: shift, Keys: x, Counts: counts.All()}.ParallelFor(b.q, nd)
			if err == nil {
				_, err = primscan.ExclusiveOn(b.q, counts.All(), starts.All())
			}
			if err == nil {
				last, err = radixgen.Scatter{Shift: shift, Keys: x, Starts: starts.All(), Out: y}.ParallelFor(b.q, nd)
			}
			if err != nil {
				return err
			}
			x, y = y, x
		}
		return last.Wait(b.ctx)
	}, same(b, from, &want)}
}

func histogram(b *bench, less int) row {
	n := 1 << 20 / less
	pixels := make([]uint32, n)
	for i := range pixels {
		pixels[i] = b.r.Uint32()
	}
	want := make([]uint32, tally.Channels*tally.Levels)
	p, bins, zero := copyOf(b, pixels), copyOf(b, want), make([]uint32, len(want))
	groups := min((n+tally.Size-1)/tally.Size, 512)
	nd := runtime.NDRange1{Global: runtime.Range1(groups * tally.Size), Local: tally.Size}
	return row{"histogram", func() {
		clear(want)
		for _, p := range pixels {
			want[p&0xff]++
			want[tally.Levels+p>>8&0xff]++
			want[2*tally.Levels+p>>16&0xff]++
		}
	}, func() error {
		if err := bins.CopyFrom(b.ctx, b.q, zero); err != nil {
			return err
		}
		return b.wait(tallygen.Tally{Pixels: p.All(), Bins: bins.All()}.ParallelFor(b.q, nd))
	}, same(b, bins, &want)}
}

// same compares device memory with a slice.
func same[T comparable](b *bench, got *runtime.Buffer[T], want *[]T) func() error {
	return func() error {
		s := make([]T, got.Len())
		if err := got.CopyTo(b.ctx, b.q, s); err != nil {
			return err
		}
		if !slices.Equal(s, *want) {
			return fmt.Errorf("the kernel's results are not the loop's")
		}
		return nil
	}
}
