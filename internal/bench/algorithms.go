package bench

import (
	"fmt"
	"math"
	"slices"

	"github.com/kgen-go/kgen/examples/blockmatmul/blocks"
	"github.com/kgen-go/kgen/examples/life/cells"
	blocksgen "github.com/kgen-go/kgen/generated/examples/blockmatmul/blocks"
	cellsgen "github.com/kgen-go/kgen/generated/examples/life/cells"
	"github.com/kgen-go/kgen/internal/bench/kernels"
	"github.com/kgen-go/kgen/internal/bench/kernels/fold"
	"github.com/kgen-go/kgen/internal/bench/kernels/fold/foldgen"
	"github.com/kgen-go/kgen/internal/bench/kernels/radix"
	"github.com/kgen-go/kgen/internal/bench/kernels/tally"
	"github.com/kgen-go/kgen/internal/bench/kernels/tally/tallygen"
	"github.com/kgen-go/kgen/internal/bench/scanner"
	"github.com/kgen-go/kgen/internal/bench/sorter"
	"github.com/kgen-go/kgen/runtime"
)

// The works that kernels do together, most of them examples.

// random are numbers of 32 bits.
func random(n int) []uint32 {
	return made(n, func(i int) uint32 { return hash(uint32(i), 9) })
}

// equal compares all of the memory with what a loop has made.
func equal(m *memory[uint32], want []uint32) func() error {
	return func() error {
		got, err := m.get()
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

var reduce = Work{Group: "Algorithms", Name: "sum u32", Target: "≥ 0.97 CUB", Sizes: streamSizes, Make: func(b *Bench, n int) (*Job, error) {
	hx := random(n)
	parts := b.reduction(n, kernels.Size)
	x, err1 := memoryOf(b, hx)
	sums, err2 := memoryFor[uint32](b, parts)
	out, err3 := memoryFor[uint32](b, 1)
	if err := first(err1, err2, err3); err != nil {
		return nil, err
	}
	var want uint32
	for _, v := range hx {
		want += v
	}
	k, q := kernel("Sum"), b.q
	run := b.repeat(func() error {
		_, err := runtime.LaunchKernel(q, k, groups(parts*kernels.Size, kernels.Size), []any{x.all(), sums.all()})
		if err == nil {
			_, err = runtime.LaunchKernel(q, k, groups(kernels.Size, kernels.Size), []any{sums.all(), out.all()})
		}
		return err
	})
	j := &Job{Size: size(n), Amount: 4 * float64(n), Unit: Bytes, Sum: out.sum, Digits: 1e-9, CUDA: []CUDAPeer{{"CUB", "reduce"}}}
	j.Contestants = []Contestant{{kgen, run, func() error { return first(sums.poison(), out.poison()) }, equal(out, []uint32{want})}}
	if b.cpu {
		ho := make([]uint32, 1)
		all := newTotal[uint32]()
		j.Contestants = append(j.Contestants, all.into(plain(b, ho, n, func(lo, hi int) {
			var sum uint32
			for _, v := range hx[lo:hi] {
				sum += v
			}
			all.add(sum)
		}, func() error { return same(ho, []uint32{want}) }), ho)...)
	}
	return j, nil
}}

// folds is the example, which makes four reductions of two slices at once.
var folds = Work{Group: "Algorithms", Name: "reduce (example)", OnHost: "≥ 0.4 Go", Sizes: streamSizes, Make: func(b *Bench, n int) (*Job, error) {
	hx, hy := units[float32](n, 1), units[float32](n, 2)
	parts := b.reduction(n, fold.Size)
	x, err1 := memoryOf(b, hx)
	y, err2 := memoryOf(b, hy)
	sums, err3 := runtime.NewBuffer[fold.Stats](b.dev, parts)
	out, err4 := runtime.NewBuffer[fold.Stats](b.dev, 1)
	if err := first(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	b.closers = append(b.closers, func() { _, _ = sums.Close(), out.Close() })
	var sum, product float64
	for i, v := range hx {
		sum += float64(v)
		product += float64(v) * float64(hy[i])
	}
	least, most := slices.Min(hx), slices.Max(hx)
	check := func(s fold.Stats, epsilon float64) error {
		if s.Min != least || s.Max != most || !(math.Abs(float64(s.Sum)-sum) <= epsilon*sum) || !(math.Abs(float64(s.Dot)-product) <= epsilon*product) {
			return fmt.Errorf("%+v, want %v, %v, %v, %v", s, sum, least, most, product)
		}
		return nil
	}
	bad := fold.Stats{Sum: float32(math.NaN())}
	j := &Job{Size: size(n), Amount: 8 * float64(n), Unit: Bytes, CUDA: []CUDAPeer{{"CUDA", "fold"}}, Digits: 1e-4}
	got := make([]fold.Stats, 1)
	j.Sum = func() (float64, float64, error) {
		total := float64(got[0].Sum) + 2*float64(got[0].Min) + 3*float64(got[0].Max) + 4*float64(got[0].Dot)
		return total, total, nil
	}
	j.Contestants = []Contestant{{kgen, b.repeat(func() error {
		_, err := foldgen.Fold{X: x.all(), Y: y.all(), Out: sums.All()}.ParallelFor(b.q, groups(parts*fold.Size, fold.Size))
		if err == nil {
			_, err = foldgen.Finish{Parts: sums.All(), Out: out.All()}.ParallelFor(b.q, groups(fold.Size, fold.Size))
		}
		return err
	}), func() error {
		_, err1 := b.q.Enqueue(runtime.Fill(sums.All(), bad))
		_, err2 := b.q.Enqueue(runtime.Fill(out.All(), bad))
		return first(err1, err2, b.q.Wait(b.ctx))
	}, func() error {
		if err := out.CopyTo(b.ctx, b.q, got); err != nil {
			return err
		}
		return check(got[0], 1e-4)
	}}}
	if b.cpu {
		var all fold.Stats
		parts := newTotal[float32]()
		c := plain(b, []float32(nil), n, func(lo, hi int) {
			x, y := hx[lo:hi], hy[lo:hi]
			y = y[:len(x)]
			s := fold.Stats{Min: x[0], Max: x[0]}
			for i, v := range x {
				s.Sum += v
				s.Min, s.Max = min(s.Min, v), max(s.Max, v)
				s.Dot += v * y[i]
			}
			parts.Lock()
			all = fold.Stats{Sum: all.Sum + s.Sum, Min: min(all.Min, s.Min), Max: max(all.Max, s.Max), Dot: all.Dot + s.Dot}
			parts.Unlock()
		}, func() error { return check(all, 1e-2) }) // a float32 adds up that many badly
		run := c[0].Run
		c[0].Run = func(runs int) error {
			for range runs {
				all = fold.Stats{Min: hx[0], Max: hx[0]}
				_ = run(1)
			}
			return nil
		}
		j.Contestants = append(j.Contestants, c...)
	}
	return j, nil
}}

var scan = Work{Group: "Algorithms", Name: "scan u32 (example)", Target: "≥ 0.9 CUB", Sizes: streamSizes, Make: func(b *Bench, n int) (*Job, error) {
	hx := random(n)
	x, err1 := memoryOf(b, slices.Clone(hx))
	s, err2 := scanner.New(b.dev, n)
	if err := first(err1, err2); err != nil {
		return nil, err
	}
	b.closers = append(b.closers, s.Close)
	want := make([]uint32, n)
	prefix(want, hx, 0)
	j := &Job{Size: size(n), Amount: 8 * float64(n), Unit: Bytes, Sum: x.sum, Digits: 1e-9, CUDA: []CUDAPeer{{"CUB", "scan"}}}
	j.Contestants = []Contestant{{kgen, b.repeat(func() error { _, err := s.Scan(b.q, x.all()); return err }), func() error { return x.set(hx) }, equal(x, want)}}
	if b.cpu {
		ho, parts := make([]uint32, n), 64
		at := func(p int) int { return p * n / parts }
		sums := make([]uint32, parts+1)
		c := plain(b, ho, parts, func(lo, hi int) {
			for p := lo; p < hi; p++ {
				prefix(ho[at(p):at(p+1)], hx[at(p):at(p+1)], sums[p])
			}
		}, func() error { return same(ho, want) })
		run := c[0].Run
		c[0].Run = func(runs int) error {
			for range runs {
				parallel(parts, func(lo, hi int) {
					for p := lo; p < hi; p++ {
						var sum uint32
						for _, v := range hx[at(p):at(p+1)] {
							sum += v
						}
						sums[p+1] = sum
					}
				})
				for p := range parts {
					sums[p+1] += sums[p]
				}
				_ = run(1)
			}
			return nil
		}
		j.Contestants = append(j.Contestants, c...)
	}
	return j, nil
}}

// prefix sets out to sum and what comes before each element of x.
func prefix(out, x []uint32, sum uint32) {
	out = out[:len(x)]
	for i, v := range x {
		out[i] = sum
		sum += v
	}
}

var sort = Work{Group: "Algorithms", Name: "sort u32 (example)", Target: "≥ 0.6 CUB", Sizes: [4]int{1 << 12, 1 << 20, 1 << 24, 1 << 26}, Make: func(b *Bench, n int) (*Job, error) {
	hx := random(n)
	x, err1 := memoryOf(b, hx)
	to, err2 := memoryFor[uint32](b, n)
	fro, err3 := memoryFor[uint32](b, n)
	s, err4 := sorter.New(b.dev, n)
	if err := first(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	b.closers = append(b.closers, s.Close)
	want := slices.Clone(hx)
	slices.Sort(want)
	run := b.repeat(func() error { // the keys themselves stay as they are
		from, out, other := x.all(), to.all(), fro.all()
		for shift := 0; shift < 32; shift += radix.Bits {
			if _, err := s.Sort(b.q, shift, from, out); err != nil {
				return err
			}
			from, out, other = out, other, out
		}
		return nil
	})
	result := fro // after an even number of passes
	j := &Job{Size: size(n), Amount: float64(n), Unit: Keys, Sum: result.sum, Digits: 1e-9, CUDA: []CUDAPeer{{"CUB", "sort"}}}
	j.Contestants = []Contestant{{kgen, run, func() error { return first(to.poison(), fro.poison()) }, equal(result, want)}}
	if b.cpu {
		ho := make([]uint32, n)
		j.Contestants = append(j.Contestants, plain(b, ho, 1, func(int, int) { // on one processor
			copy(ho, hx)
			slices.Sort(ho)
		}, func() error { return same(ho, want) })...)
	}
	return j, nil
}}

var histogram = Work{Group: "Algorithms", Name: "histogram of bytes", Target: "≥ 1.0 CUB", Sizes: streamSizes, Make: func(b *Bench, n int) (*Job, error) {
	return counting(b, n, kernels.Levels, 4, "histogram", func(x, bins runtime.View[uint32], nd runtime.NDRange1) error {
		_, err := runtime.LaunchKernel(b.q, kernel("Histogram"), nd, []any{x, bins})
		return err
	})
}}

var tallies = Work{Group: "Algorithms", Name: "histogram of pixels (example)", Sizes: streamSizes, Make: func(b *Bench, n int) (*Job, error) {
	return counting(b, n, tally.Channels*tally.Levels, tally.Channels, "tally", func(x, bins runtime.View[uint32], nd runtime.NDRange1) error {
		_, err := tallygen.Tally{Pixels: x, Bins: bins}.ParallelFor(b.q, nd)
		return err
	})
}}

// counting is a histogram with so many bins of so many bytes of each number.
func counting(b *Bench, n, bins, bytes int, cuda string, launch func(x, bins runtime.View[uint32], nd runtime.NDRange1) error) (*Job, error) {
	hx := random(n)
	x, err1 := memoryOf(b, hx)
	out, err2 := memoryFor[uint32](b, bins)
	if err := first(err1, err2); err != nil {
		return nil, err
	}
	count := func(into, x []uint32) {
		shared := bins / kernels.Levels // whether each byte has its own bins
		for _, v := range x {
			for c := range bytes {
				into[c%shared*kernels.Levels+int(v>>(8*c)&255)]++
			}
		}
	}
	want := make([]uint32, bins)
	count(want, hx)
	nd := groups(b.reduction(n, kernels.Size)*kernels.Size, kernels.Size)
	run := b.repeat(func() error {
		if _, err := b.q.Enqueue(runtime.Fill(out.all(), 0)); err != nil {
			return err
		}
		return launch(x.all(), out.all(), nd)
	})
	j := &Job{Size: size(n), Amount: 4 * float64(n), Unit: Bytes, Sum: out.sum, Digits: 1e-9, CUDA: []CUDAPeer{{"CUB", cuda}}}
	j.Contestants = []Contestant{{kgen, run, out.poison, equal(out, want)}}
	if b.cpu {
		ho := make([]uint32, bins)
		all := newTotal[uint32]() // for its lock
		c := plain(b, ho, n, func(lo, hi int) {
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
}

var life = Work{Group: "Algorithms", Name: "life (example)", OnHost: "≥ 0.4 Go", Sizes: [4]int{64, 1024, 4096, 16384}, Make: func(b *Bench, n int) (*Job, error) {
	hx := made(n*n, func(i int) uint32 { return hash(uint32(i), 5) % 3 / 2 })
	x, err1 := memoryOf(b, hx)
	out, err2 := memoryFor[uint32](b, n*n)
	if err := first(err1, err2); err != nil {
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
	parallel(n, func(lo, hi int) { next(want, lo, hi) })
	nd := runtime.NDRange2{Global: runtime.Range2{n, n}, Local: runtime.Range2{cells.Tile, cells.Tile}}
	k := cellsgen.Life{H: n, W: n, In: x.all(), Out: out.all()}
	j := &Job{Size: squared(n), Amount: 8 * float64(n*n), Unit: Bytes, Sum: out.sum, Digits: 1e-9, CUDA: []CUDAPeer{{"CUDA", "life"}}}
	j.Contestants = []Contestant{{kgen, b.repeat(func() error { _, err := k.ParallelFor(b.q, nd); return err }), out.poison, equal(out, want)}}
	if b.cpu {
		ho := make([]uint32, n*n)
		j.Contestants = append(j.Contestants, plain(b, ho, n, func(lo, hi int) { next(ho, lo, hi) }, func() error { return same(ho, want) })...)
	}
	return j, nil
}}

// blockmatmul takes the depth of block that is best on the device, as the example does.
var blockmatmul = Work{Group: "Grids and matrices", Name: "blockmatmul (example), best depth", Target: "≥ 0.6 cuBLAS", Sizes: [4]int{48, 512, 2048, 8192}, Make: func(b *Bench, n int) (*Job, error) {
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
		c := Contestant{kgen, b.repeat(func() error {
			_, err := k.ParallelFor(b.q, nd, runtime.WithSpec(blocks.Depth, depth))
			return err
		}), m.c.poison, m.check}
		if err := c.Run(1); err != nil { // makes the pipeline
			return nil, err
		}
		took, err := once(c)
		if err != nil {
			return nil, err
		}
		if best.Median == 0 || took < best.Median {
			best.Median = took
			m.job.Contestants, m.job.Size = []Contestant{c}, fmt.Sprintf("%s, %d", squared(n), depth)
		}
	}
	m.job.CUDA = []CUDAPeer{{"cuBLAS", "sgemm"}}
	m.plain(b)
	return m.job, nil
}}

var spmv = Work{Group: "Grids and matrices", Name: "SpMV f32, 32 in a row", OnHost: "≥ 0.9 Go", Target: "≥ 0.95 CUDA", Sizes: [4]int{1 << 8, 1 << 16, 1 << 19, 1 << 21}, Make: func(b *Bench, n int) (*Job, error) {
	const each = 32
	hs := made(n+1, func(i int) uint32 { return uint32(i * each) })
	hc := made(n*each, func(i int) uint32 { return uint32(uint64(hash(uint32(i), 6)) * uint64(n) >> 32) })
	hv, hx := units[float32](n*each, 1), units[float32](n, 2)
	starts, err1 := memoryOf(b, hs)
	columns, err2 := memoryOf(b, hc)
	values, err3 := memoryOf(b, hv)
	x, err4 := memoryOf(b, hx)
	out, err5 := memoryFor[float32](b, n)
	if err := first(err1, err2, err3, err4, err5); err != nil {
		return nil, err
	}
	want := func(i int) (sum float64) {
		for l := hs[i]; l < hs[i+1]; l++ {
			sum += float64(hv[l]) * float64(hx[hc[l]])
		}
		return sum
	}
	j := &Job{Size: fmt.Sprintf("%s x %d", size(n), each), Amount: 8*float64(n*each) + 12*float64(n), Unit: Bytes, Sum: out.sum, Digits: 1e-5, CUDA: []CUDAPeer{{"CUDA", "spmv"}}}
	j.Contestants = []Contestant{{kgen, b.launcher("SpMV", runtime.Range1(n), starts.all(), columns.all(), values.all(), x.all(), out.all()), out.poison, out.near(1e-5, want)}}
	if b.cpu {
		ho := make([]float32, n)
		j.Contestants = append(j.Contestants, plain(b, ho, n, func(lo, hi int) {
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
	hx := made(n*width, func(i int) float32 { return 8*unit(uint32(i), 1) - 4 })
	x, err1 := memoryOf(b, hx)
	out, err2 := memoryFor[float32](b, n*width)
	if err := first(err1, err2); err != nil {
		return nil, err
	}
	rows := map[int]float64{} // sums of those that were asked for
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
	check := func(s []float32) error { return near(s, 1e-8, want) } // of 1, where they are about 1/width
	j := &Job{Size: fmt.Sprintf("%d x %d", n, width), Amount: 8 * float64(n*width), Unit: Bytes, Sum: out.sum, Digits: 1e-5, CUDA: []CUDAPeer{{"CUDA", "softmax"}}}
	j.Contestants = []Contestant{{kgen, b.launcher("Softmax", groups(n*kernels.Size, kernels.Size), width, x.all(), out.all()), out.poison, func() error {
		s, err := out.get()
		return first(err, check(s))
	}}}
	if b.cpu {
		ho := make([]float32, n*width)
		j.Contestants = append(j.Contestants, plain(b, ho, n, func(lo, hi int) {
			for r := lo; r < hi; r++ {
				softmaxRow(ho[r*width:r*width+width], hx[r*width:r*width+width])
			}
		}, func() error { return check(ho) })...)
	}
	return j, nil
}}
