package bench

import (
	"fmt"
	"math"

	gemmgen "github.com/kgen-go/kgen/generated/examples/matmul/gemm"
	"github.com/kgen-go/kgen/internal/bench/kernels"
	"github.com/kgen-go/kgen/runtime"
)

// This file defines the benchmark rows whose kernels process pictures, matrices and cubes.

func squared(n int) string { return fmt.Sprintf("%d²", n) }

var transpose = Work{Group: "Grids and matrices", Name: "transpose f32", Target: "≥ 0.95 CUDA", Sizes: [4]int{64, 2048, 8192, 16384}, Make: func(b *Bench, n int) (*Job, error) {
	hx := unitFloats[float32](n*n, 1)
	x, err1 := memoryOf(b, hx)
	out, err2 := memoryFor[float32](b, n*n)
	if err := firstSet(err1, err2); err != nil {
		return nil, err
	}
	want := func(i int) float64 { return float64(hx[i%n*n+i/n]) }
	nd := runtime.NDRange2{Global: runtime.Range2{n / kernels.Tile * kernels.Strip, n}, Local: runtime.Range2{kernels.Strip, kernels.Tile}}
	j := &Job{Size: squared(n), Amount: 8 * float64(n*n), Unit: Bytes, Sum: out.checksums, Digits: 1e-9, CUDA: []CUDAPeer{{"CUDA", "transpose"}},
		Contestants: []Contestant{{kgen, b.launchFunc("Transpose", nd, n, x.all(), out.all()), out.fillPoison, out.checkNear(0, want)}}}
	if b.cpu {
		ho := make([]float32, n*n)
		j.Contestants = append(j.Contestants, plainLoop(b, ho, n/kernels.Tile, func(lo, hi int) { // the loop computes in blocks that fit the caches
			for y := lo * kernels.Tile; y < hi*kernels.Tile; y += kernels.Tile {
				for x := 0; x < n; x += kernels.Tile {
					for i := y; i < y+kernels.Tile; i++ {
						row := ho[i*n+x:][:kernels.Tile]
						for j := range row {
							row[j] = hx[(x+j)*n+i]
						}
					}
				}
			}
		}, func() error { return near(ho, 0, want) })...)
	}
	return j, nil
}}

var stencil = Work{Group: "Grids and matrices", Name: "stencil of 7 points f32", OnHost: "≥ 0.9 Go", Target: "≥ 0.95 CUDA", Sizes: [4]int{18, 128, 384, 640}, Make: func(b *Bench, n int) (*Job, error) {
	hx := unitFloats[float32](n*n*n, 1)
	x, err1 := memoryOf(b, hx)
	out, err2 := memoryFor[float32](b, n*n*n)
	if err := firstSet(err1, err2); err != nil {
		return nil, err
	}
	at := func(i int) float64 { return float64(hx[i]) }
	inner := func(i int) bool { return i > 0 && i < n-1 }
	want := func(i int) float64 {
		if !inner(i/n/n) || !inner(i/n%n) || !inner(i%n) {
			return 0
		}
		return 0.4*at(i) + 0.1*(at(i-1)+at(i+1)+at(i-n)+at(i+n)+at(i-n*n)+at(i+n*n))
	}
	m := n - 2
	j := &Job{Size: fmt.Sprintf("%d³", n), Amount: 8 * float64(n*n*n), Unit: Bytes, Sum: out.checksums, Digits: 1e-6, CUDA: []CUDAPeer{{"CUDA", "stencil"}},
		Contestants: []Contestant{{kgen, b.launchFunc("Stencil", runtime.Range3{m, m, m}, n, x.all(), out.all()), func() error { return b.fillShell(out, n) }, out.checkNear(1e-6, want)}}}
	if b.cpu {
		ho := make([]float32, n*n*n)
		c := plainLoop(b, ho, m, func(lo, hi int) {
			for z := lo + 1; z <= hi; z++ {
				for y := 1; y <= m; y++ {
					i := (z*n + y) * n
					row, out := hx[i:i+n], ho[i:i+n]
					up, down, back, front := hx[i-n:i], hx[i+n:][:n], hx[i-n*n:][:n], hx[i+n*n:][:n]
					for x := 1; x < n-1; x++ {
						out[x] = 0.4*row[x] + 0.1*(row[x-1]+row[x+1]+up[x]+down[x]+back[x]+front[x])
					}
				}
			}
		}, func() error { return near(ho, 1e-6, want) })
		for i := range c {
			c[i].Reset = func() error { clear(ho); return nil }
		}
		j.Contestants = append(j.Contestants, c...)
	}
	return j, nil
}}

// fillShell fills a cube with values that differ from all results. fillShell sets elements on the
// sides of the cube to zero, because the stencil does not write these elements.
func (b *Bench) fillShell(m *devMemory[float32], n int) error {
	nan := float32(math.NaN())
	return m.writeElems(makeSlice(n*n*n, func(i int) float32 {
		for _, at := range []int{i / n / n, i / n % n, i % n} {
			if at == 0 || at == n-1 {
				return 0
			}
		}
		return nan
	}))
}

var blur = Work{Group: "Grids and matrices", Name: "mean of nine pixels f32", Sizes: [4]int{64, 1024, 4096, 8192}, Make: func(b *Bench, n int) (*Job, error) {
	hx := unitFloats[float32](n*n, 1)
	x, err1 := memoryOf(b, hx)
	out, err2 := memoryFor[float32](b, n*n)
	if err := firstSet(err1, err2); err != nil {
		return nil, err
	}
	want := func(i int) (sum float64) {
		for d := range 9 {
			sum += float64(hx[min(max(i/n+d/3-1, 0), n-1)*n+min(max(i%n+d%3-1, 0), n-1)])
		}
		return sum / 9
	}
	j := &Job{Size: squared(n), Amount: 8 * float64(n*n), Unit: Bytes, Sum: out.checksums, Digits: 1e-6, CUDA: []CUDAPeer{{"CUDA", "blur"}}}
	args := []any{n, n, x.all(), out.all()}
	return j, b.withShader(j, suiteKernel("Blur"), "blur", runtime.Range2{n, n}, args, out.fillPoison, out.checkNear(1e-6, want))
}}

var rows = Work{Group: "Grids and matrices", Name: "rows times vector f32", Sizes: [4]int{64, 2048, 4096, 8192}, Make: func(b *Bench, n int) (*Job, error) {
	ha, hx := unitFloats[float32](n*n, 1), unitFloats[float32](n, 2)
	a, err1 := memoryOf(b, ha)
	x, err2 := memoryOf(b, hx)
	out, err3 := memoryFor[float32](b, n)
	if err := firstSet(err1, err2, err3); err != nil {
		return nil, err
	}
	want := func(i int) (sum float64) {
		for l, v := range ha[i*n : i*n+n] {
			sum += float64(v) * float64(hx[l])
		}
		return sum
	}
	j := &Job{Size: squared(n), Amount: 4 * float64(n*n), Unit: Bytes, Sum: out.checksums, Digits: 1e-5, CUDA: []CUDAPeer{{"CUDA", "rows"}}}
	args := []any{a.all(), x.all(), out.all()}
	return j, b.withShader(j, suiteKernel("Rows"), "dot", runtime.Range1(n), args, out.fillPoison, out.checkNear(1e-4, want))
}}

// matrixSet contains the factors of a matrix product, and the product.
type matrixSet struct {
	n        int
	ha, hb   []float32
	a, b, c  *devMemory[float32]
	job      *Job
	contents func(i int) float64
}

func newMatrices(b *Bench, n int) (*matrixSet, error) {
	m := &matrixSet{n: n, ha: unitFloats[float32](n*n, 1), hb: unitFloats[float32](n*n, 2)}
	var errs [3]error
	m.a, errs[0] = memoryOf(b, m.ha)
	m.b, errs[1] = memoryOf(b, m.hb)
	m.c, errs[2] = memoryFor[float32](b, n*n)
	m.contents = func(i int) (sum float64) {
		for l, v := range m.ha[i/n*n : i/n*n+n] {
			sum += float64(v) * float64(m.hb[l*n+i%n])
		}
		return sum
	}
	m.job = &Job{Size: squared(n), Amount: 2 * float64(n) * float64(n) * float64(n), Unit: Flop, Sum: m.c.checksums, Digits: 1e-5}
	return m, firstSet(errs[:]...)
}

// checkProduct compares some of the product's elements.
func (m *matrixSet) checkProduct() error {
	s, err := m.c.readBack()
	if err != nil {
		return err
	}
	return m.checked(s)
}

func (m *matrixSet) checked(s []float32) error {
	for j := range 64 {
		i := int(uint64(hashIndex(uint32(j), 78)) * uint64(len(s)) >> 32)
		if got, want := float64(s[i]), m.contents(i); !(math.Abs(got-want) <= 1e-4*want) {
			return fmt.Errorf("element %d of the product is %v, want %v", i, got, want)
		}
	}
	return nil
}

// goProduct computes the product on the host, by loops in an order that suits a processor's caches.
func (m *matrixSet) goProduct(b *Bench) {
	if !b.cpu {
		return
	}
	n, ho := m.n, make([]float32, m.n*m.n)
	m.job.Contestants = append(m.job.Contestants, plainLoop(b, ho, n, func(lo, hi int) {
		for y := lo; y < hi; y++ {
			row := ho[y*n : y*n+n]
			clear(row)
			for l, v := range m.ha[y*n : y*n+n] {
				for x, w := range m.hb[l*n : l*n+n] {
					row[x] += v * w
				}
			}
		}
	}, func() error { return m.checked(ho) })...)
}

var matmulSizes = [4]int{48, 512, 2048, 4096}

var matmul = Work{Group: "Grids and matrices", Name: "matmul f32, element each", OnHost: "≥ 0.9 Go", Sizes: matmulSizes, Make: func(b *Bench, n int) (*Job, error) {
	m, err := newMatrices(b, n)
	if err != nil {
		return nil, err
	}
	m.job.CUDA = []CUDAPeer{{"CUDA", "matmul"}}
	m.job.Contestants = []Contestant{{kgen, b.launchFunc("MatMul", runtime.Range2{n, n}, n, m.a.all(), m.b.all(), m.c.all()), m.c.fillPoison, m.checkProduct}}
	m.goProduct(b)
	return m.job, nil
}}

var tiled = Work{Group: "Grids and matrices", Name: "matmul f32, tiles of 16", OnHost: "≥ 0.4 Go", Target: "≥ 7.9 TFLOP/s", Sizes: matmulSizes, Make: func(b *Bench, n int) (*Job, error) {
	m, err := newMatrices(b, n)
	if err != nil {
		return nil, err
	}
	m.job.CUDA = []CUDAPeer{{"CUDA", "tiled"}}
	nd := runtime.NDRange2{Global: runtime.Range2{n, n}, Local: runtime.Range2{16, 16}}
	k := gemmgen.MatMul{M: n, K: n, N: n, A: m.a.all(), B: m.b.all(), C: m.c.all()}
	m.job.Contestants = []Contestant{{kgen, b.repeatFunc(func() error { _, err := k.ParallelFor(b.q, nd); return err }), m.c.fillPoison, m.checkProduct}}
	err = b.addShader(m.job, gemmgen.Kernels()[0], "matmul", nd, []any{n, n, n, k.A, k.B, k.C}, m.c.fillPoison, m.checkProduct)
	m.goProduct(b)
	return m.job, err
}}
