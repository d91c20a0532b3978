package bench

import (
	"fmt"
	"math"

	"github.com/kgen-go/kgen/examples/blockmatmul/blocks"
	"github.com/kgen-go/kgen/examples/life/cells"
	blocksgen "github.com/kgen-go/kgen/generated/examples/blockmatmul/blocks"
	cellsgen "github.com/kgen-go/kgen/generated/examples/life/cells"
	"github.com/kgen-go/kgen/internal/bench/kernels"
	"github.com/kgen-go/kgen/runtime"
)

// This file defines the benchmark rows that need several kernels. Most of the rows in this file measure examples.

// randomWords returns n numbers of 32 bits.
func randomWords(n int) []uint32 {
	return makeSlice(n, func(i int) uint32 { return hashIndex(uint32(i), 9) })
}

// checkEqual returns a check that compares all elements of the memory m with want.
func checkEqual(m *devMemory[uint32], want []uint32) func() error {
	return func() error {
		got, err := m.readBack()
		if err != nil {
			return err
		}
		return same(got, want)
	}
}

func same(got, want []uint32) error {
	for i, v := range got {
		if v != want[i] {
			return fmt.Errorf("element %d of %d is %d, want %d", i, len(got), v, want[i])
		}
	}
	return nil
}

// histogramWork measures a hand-written kernel of the suite. In contrast, row "histogram 256 u8"
// measures the histogram of package prim.
var histogramWork = Work{Group: "Algorithms", Name: "histogram of bytes", Target: "≥ 1.0 CUB", Sizes: streamSizes, Make: func(b *Bench, n int) (*Job, error) {
	const bins = kernels.Levels
	hx := randomWords(n)
	x, err1 := memoryOf(b, hx)
	out, err2 := memoryFor[uint32](b, bins)
	if err := firstSet(err1, err2); err != nil {
		return nil, err
	}
	count := func(into, x []uint32) {
		for _, v := range x {
			for c := range 4 {
				into[v>>(8*c)&255]++
			}
		}
	}
	want := make([]uint32, bins)
	count(want, hx)
	nd := groupRange(b.reductionGroups(n, kernels.Size)*kernels.Size, kernels.Size)
	run := b.repeatFunc(func() error {
		if _, err := b.q.Enqueue(runtime.Fill(out.all(), 0)); err != nil {
			return err
		}
		_, err := runtime.LaunchKernel(b.q, suiteKernel("Histogram"), nd, []any{x.all(), out.all()})
		return err
	})
	j := &Job{Size: sizeText(n), Amount: 4 * float64(n), Unit: Bytes, Sum: out.checksums, Digits: 1e-9, CUDA: []CUDAPeer{{"CUB", "histogram"}}}
	j.Contestants = []Contestant{{kgen, run, out.fillPoison, checkEqual(out, want)}}
	if b.cpu {
		ho := make([]uint32, bins)
		all := newTotal[uint32]() // only the lock of `all` is used here
		c := plainLoop(b, ho, n, func(lo, hi int) {
			own := make([]uint32, bins)
			count(own, hx[lo:hi])
			all.Lock()
			for i, v := range own {
				ho[i] += v
			}
			all.Unlock()
		}, func() error { return same(ho, want) })
		each := c[0].Run
		c[0].Run = func(runs int) error {
			for range runs {
				clear(ho)
				_ = each(1)
			}
			return nil
		}
		j.Contestants = append(j.Contestants, c...)
	}
	return j, nil
}}

var life = Work{Group: "Algorithms", Name: "life (example)", OnHost: "≥ 0.4 Go", Sizes: [4]int{64, 1024, 4096, 16384}, Make: func(b *Bench, n int) (*Job, error) {
	hx := makeSlice(n*n, func(i int) uint32 { return hashIndex(uint32(i), 5) % 3 / 2 })
	x, err1 := memoryOf(b, hx)
	out, err2 := memoryFor[uint32](b, n*n)
	if err := firstSet(err1, err2); err != nil {
		return nil, err
	}
	next := func(into []uint32, lo, hi int) {
		for y := lo; y < hi; y++ {
			up, down := (y+n-1)%n*n, (y+1)%n*n
			for x := range n {
				left, right := (x+n-1)%n, (x+1)%n
				sum := hx[up+left] + hx[up+x] + hx[up+right] + hx[y*n+left] + hx[y*n+right] + hx[down+left] + hx[down+x] + hx[down+right]
				into[y*n+x] = 0
				if sum == 3 || sum == 2 && hx[y*n+x] == 1 {
					into[y*n+x] = 1
				}
			}
		}
	}
	want := make([]uint32, n*n)
	parallelFor(n, func(lo, hi int) { next(want, lo, hi) })
	nd := runtime.NDRange2{Global: runtime.Range2{n, n}, Local: runtime.Range2{cells.Tile, cells.Tile}}
	k := cellsgen.Life{H: n, W: n, In: x.all(), Out: out.all()}
	j := &Job{Size: squared(n), Amount: 8 * float64(n*n), Unit: Bytes, Sum: out.checksums, Digits: 1e-9, CUDA: []CUDAPeer{{"CUDA", "life"}}}
	j.Contestants = []Contestant{{kgen, b.repeatFunc(func() error { _, err := k.ParallelFor(b.q, nd); return err }), out.fillPoison, checkEqual(out, want)}}
	if b.cpu {
		ho := make([]uint32, n*n)
		j.Contestants = append(j.Contestants, plainLoop(b, ho, n, func(lo, hi int) { next(ho, lo, hi) }, func() error { return same(ho, want) })...)
	}
	return j, nil
}}

// blockMatmulWork measures the example blockmatmul, with the depth of blocks that is fastest on the device.
var blockMatmulWork = Work{Group: "Grids and matrices", Name: "blockmatmul (example), best depth", Target: "≥ 0.6 cuBLAS", Sizes: [4]int{48, 512, 2048, 8192}, Make: func(b *Bench, n int) (*Job, error) {
	m, err := newMatrices(b, n)
	if err != nil {
		return nil, err
	}
	var best Timing
	side := blocks.Groups(n) * blocks.Across
	nd := runtime.NDRange2{Global: runtime.Range2{side, side}, Local: runtime.Range2{blocks.Across, blocks.Across}}
	k := blocksgen.MatMul{M: n, K: n, N: n, A: m.a.all(), B: m.b.all(), C: m.c.all()}
	for _, depth := range []int{4, 8, 16} {
		if b.Scale == Tiny && depth != 8 {
			continue
		}
		c := Contestant{kgen, b.repeatFunc(func() error {
			_, err := k.ParallelFor(b.q, nd, runtime.WithSpec(blocks.Depth, depth))
			return err
		}), m.c.fillPoison, m.checkProduct}
		if err := c.Run(1); err != nil { // the first run creates the pipeline
			return nil, err
		}
		took, err := timePerRun(c)
		if err != nil {
			return nil, err
		}
		if best.Median == 0 || took < best.Median {
			best.Median = took
			m.job.Contestants, m.job.Size = []Contestant{c}, fmt.Sprintf("%s, %d", squared(n), depth)
		}
	}
	m.job.CUDA = []CUDAPeer{{"cuBLAS", "sgemm"}}
	m.goProduct(b)
	return m.job, nil
}}

var spmv = Work{Group: "Grids and matrices", Name: "SpMV f32, 32 in a row", OnHost: "≥ 0.9 Go", Target: "≥ 0.95 CUDA", Sizes: [4]int{1 << 8, 1 << 16, 1 << 19, 1 << 21}, Make: func(b *Bench, n int) (*Job, error) {
	const each = 32
	hs := makeSlice(n+1, func(i int) uint32 { return uint32(i * each) })
	hc := makeSlice(n*each, func(i int) uint32 { return uint32(uint64(hashIndex(uint32(i), 6)) * uint64(n) >> 32) })
	hv, hx := unitFloats[float32](n*each, 1), unitFloats[float32](n, 2)
	starts, err1 := memoryOf(b, hs)
	columns, err2 := memoryOf(b, hc)
	values, err3 := memoryOf(b, hv)
	x, err4 := memoryOf(b, hx)
	out, err5 := memoryFor[float32](b, n)
	if err := firstSet(err1, err2, err3, err4, err5); err != nil {
		return nil, err
	}
	want := func(i int) (sum float64) {
		for l := hs[i]; l < hs[i+1]; l++ {
			sum += float64(hv[l]) * float64(hx[hc[l]])
		}
		return sum
	}
	j := &Job{Size: fmt.Sprintf("%s x %d", sizeText(n), each), Amount: 8*float64(n*each) + 12*float64(n), Unit: Bytes, Sum: out.checksums, Digits: 1e-5, CUDA: []CUDAPeer{{"CUDA", "spmv"}}}
	j.Contestants = []Contestant{{kgen, b.launchFunc("SpMV", runtime.Range1(n), starts.all(), columns.all(), values.all(), x.all(), out.all()), out.fillPoison, out.checkNear(1e-5, want)}}
	if b.cpu {
		ho := make([]float32, n)
		j.Contestants = append(j.Contestants, plainLoop(b, ho, n, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				var sum float32
				columns := hc[hs[i]:hs[i+1]]
				values := hv[hs[i]:hs[i+1]][:len(columns)]
				for l, c := range columns {
					sum += values[l] * hx[c]
				}
				ho[i] = sum
			}
		}, func() error { return near(ho, 1e-5, want) })...)
	}
	return j, nil
}}

var softmax = Work{Group: "Numeric", Name: "softmax f32, rows of 4096", Target: "≥ 0.95 CUDA", Sizes: [4]int{4, 1024, 16384, 65536}, Make: func(b *Bench, n int) (*Job, error) {
	const width = 4096
	hx := makeSlice(n*width, func(i int) float32 { return 8*unitFloat(uint32(i), 1) - 4 })
	x, err1 := memoryOf(b, hx)
	out, err2 := memoryFor[float32](b, n*width)
	if err := firstSet(err1, err2); err != nil {
		return nil, err
	}
	rows := map[int]float64{} // maps each checked row to its sum
	want := func(i int) float64 {
		row := i / width
		sum := rows[row]
		if sum == 0 {
			for _, v := range hx[row*width : row*width+width] {
				sum += math.Exp(float64(v))
			}
			rows[row] = sum
		}
		return math.Exp(float64(hx[i])) / sum
	}
	check := func(s []float32) error { return near(s, 1e-8, want) } // absolute error; the values are about 1/width
	j := &Job{Size: fmt.Sprintf("%d x %d", n, width), Amount: 8 * float64(n*width), Unit: Bytes, Sum: out.checksums, Digits: 1e-5, CUDA: []CUDAPeer{{"CUDA", "softmax"}}}
	j.Contestants = []Contestant{{kgen, b.launchFunc("Softmax", groupRange(n*kernels.Size, kernels.Size), width, x.all(), out.all()), out.fillPoison, func() error {
		s, err := out.readBack()
		return firstSet(err, check(s))
	}}}
	if b.cpu {
		ho := make([]float32, n*width)
		j.Contestants = append(j.Contestants, plainLoop(b, ho, n, func(lo, hi int) {
			for r := lo; r < hi; r++ {
				softmaxRow(ho[r*width:r*width+width], hx[r*width:r*width+width])
			}
		}, func() error { return check(ho) })...)
	}
	return j, nil
}}
