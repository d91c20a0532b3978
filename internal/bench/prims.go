package bench

import (
	"fmt"
	"math"
	"slices"

	pickgen "github.com/kgen-go/kgen/generated/prim/pick/kernels"
	primhist "github.com/kgen-go/kgen/prim/hist"
	"github.com/kgen-go/kgen/prim/pick"
	pickkernels "github.com/kgen-go/kgen/prim/pick/kernels"
	primreduce "github.com/kgen-go/kgen/prim/reduce"
	primscan "github.com/kgen-go/kgen/prim/scan"
	primsort "github.com/kgen-go/kgen/prim/sort"
)

// This file defines the rows for functions of prim, with CUB's functions as peers.

// primFunc describes a function of prim that the suite measures at three sizes.
type primFunc struct {
	name, target, host string
	cub                string // name of the benchmark row in the CUDA program
	most               int    // number of elements of the first row at scale Large
	unit               Unit
	bytes              int // bytes read and written per element
	of                 func(b *Bench, n int) (primCall, error)
}

// primCall is a function of prim with its arguments.
type primCall struct {
	run   func() error
	out   resultMemory
	reset func() error // fills other memory that the function writes; may be nil
	check func() error
	host  []Contestant
}

// resultMemory is the memory to which a function writes its result.
type resultMemory interface {
	fillPoison() error
	checksums() (float64, float64, error)
}

// worksFor returns the benchmark rows for the function. The rows with 2^16 and 2^22 elements show the overhead of a
// call, because their kernels run only briefly.
func (l primFunc) worksFor() []Work {
	row := func(name, target, host string, sizes [4]int) Work {
		return Work{Group: "Kernels to call", Name: name, Target: target, OnHost: host, Sizes: sizes, Make: func(b *Bench, n int) (*Job, error) {
			c, err := l.of(b, n)
			if err != nil {
				return nil, err
			}
			amount := float64(n)
			if l.unit == Bytes {
				amount *= float64(l.bytes)
			}
			reset := c.out.fillPoison
			if c.reset != nil {
				reset = func() error { return firstSet(c.reset(), c.out.fillPoison()) }
			}
			j := &Job{Size: sizeText(n), Amount: amount, Unit: l.unit, Sum: c.out.checksums, Digits: 1e-5,
				Contestants: append([]Contestant{{kgen, b.repeatFunc(c.run), reset, c.check}}, c.host...)}
			if l.cub != "" {
				j.CUDA = []CUDAPeer{{"CUB", l.cub}}
			}
			return j, nil
		}}
	}
	return []Work{
		row(l.name, l.target, l.host, [4]int{1 << 12, 1 << 20, 1 << 24, l.most}),
		row(l.name+", 2^22", "", "", [4]int{1 << 11, 1 << 20, 1 << 22, 1 << 22}),
		row(l.name+", 2^16", "", "", [4]int{1 << 10, 1 << 16, 1 << 16, 1 << 16}),
	}
}

// primFuncs lists the functions of prim that the suite measures.
func primFuncs() (list []Work) {
	for _, l := range []primFunc{
		{"sum u32", "≥ 0.97 CUB", "≥ 0.9 Go", "reduce", 1 << 28, Bytes, 4, sumOf[uint32]},
		{"sum f32, in order", "≥ 0.97 CUB", "≥ 0.9 Go", "reduce f32", 1 << 28, Bytes, 4, sumOf[float32]},
		{"min f32", "≥ 0.97 CUB", "≥ 0.9 Go", "min f32", 1 << 28, Bytes, 4, leastOf},
		{"argmin f32", "≥ 0.97 CUB", "≥ 0.9 Go", "argmin f32", 1 << 28, Bytes, 4, firstLeastOf},
		{"scan u32", "≥ 0.95 CUB", "", "scan", 1 << 28, Bytes, 8, scanOf[uint32]},
		{"scan f32, in order", "≥ 0.8 CUB", "", "scan f32", 1 << 28, Bytes, 8, scanOf[float32]},
		{"sort u32", "≥ 0.75 CUB", "≥ 1.5 Go", "sort", 1 << 28, Keys, 0, sortOf[uint32](randomWords)},
		{"sort f32", "≥ 0.75 CUB", "≥ 1.5 Go", "sort f32", 1 << 28, Keys, 0, sortOf[float32](func(n int) []float32 { return unitFloats[float32](n, 9) })},
		{"sort u64", "≥ 0.7 CUB", "≥ 1.5 Go", "sort u64", 1 << 27, Keys, 0, sortOf[uint64](func(n int) []uint64 {
			return makeSlice(n, func(i int) uint64 { return uint64(hashIndex(uint32(i), 9))<<32 | uint64(hashIndex(uint32(i), 10)) })
		})},
		{"sort pairs u32, u32", "≥ 0.7 CUB", "", "pairs", 1 << 27, Keys, 0, pairsOf},
		{"greatest 128 u32", "", "", "", 1 << 26, Bytes, 4, topOf},
		{"where f32", "≥ 0.9 CUB", "", "where", 1 << 28, Bytes, 6, whereOf},
		{"unique u32", "≥ 0.9 CUB", "", "unique", 1 << 28, Bytes, 5, uniqueOf},
		{"histogram 256 u8", "≥ 0.97 CUB", "", "histogram u8", 1 << 30, Bytes, 1, histOf},
		{"random f32", "≥ 3940 GB/s", "≥ 0.8 Go", "", 1 << 30, Bytes, 4, randomOf}, // the aim is 0.95 of the aim of copies
	} {
		list = append(list, l.worksFor()...)
	}
	return list
}

// goLoop returns a contestant that runs f, a loop in Go, on one processor.
func (b *Bench) goLoop(f func(), check func() error, reset func()) []Contestant {
	if !b.cpu {
		return nil
	}
	return []Contestant{{Name: "Go", Check: check, Reset: func() error { reset(); return nil }, Run: func(runs int) error {
		for range runs {
			f()
		}
		return nil
	}}}
}

func sumOf[T uint32 | float32](b *Bench, n int) (primCall, error) {
	hx := makeSlice(n, func(i int) T {
		if T(1)/2 == 0 {
			return T(hashIndex(uint32(i), 9))
		}
		return T(unitFloat(uint32(i), 1))
	})
	x, err1 := memoryOf(b, hx)
	out, err2 := memoryFor[T](b, 1)
	var exact float64
	var wrapped T
	for _, v := range hx {
		exact += float64(v)
		wrapped += v
	}
	near := func(got T) error {
		if T(1)/2 == 0 && got != wrapped || T(1)/2 != 0 && !(math.Abs(float64(got)-exact) <= 1e-5*exact) {
			return fmt.Errorf("the sum is %v, want %v or %v", got, wrapped, exact)
		}
		return nil
	}
	ho, all := make([]T, 1), newTotal[T]()
	return primCall{
		run:   func() error { _, err := primreduce.SumOn(b.q, x.all(), out.all()); return err },
		out:   out,
		check: func() error { return checkFirst(out, near) },
		host: all.sumInto(plainLoop(b, ho, n, func(lo, hi int) {
			var s0, s1, s2, s3 T // with a single sum, each addition would wait for the previous addition
			for ; lo+4 <= hi; lo += 4 {
				s0, s1, s2, s3 = s0+hx[lo], s1+hx[lo+1], s2+hx[lo+2], s3+hx[lo+3]
			}
			for _, v := range hx[lo:hi] {
				s0 += v
			}
			all.add(s0 + s1 + s2 + s3)
		}, func() error { return near(ho[0]) }), ho),
	}, firstSet(err1, err2)
}

// checkFirst calls the function `check` for element 0 of m.
func checkFirst[T number](m *devMemory[T], check func(T) error) error {
	got, err := m.readBack()
	if err != nil {
		return err
	}
	return check(got[0])
}

// checkIs returns a function that checks whether a value equals want.
func checkIs[T comparable](want T) func(T) error {
	return func(got T) error {
		if got != want {
			return fmt.Errorf("it is %v, want %v", got, want)
		}
		return nil
	}
}

func leastOf(b *Bench, n int) (primCall, error) {
	hx := unitFloats[float32](n, 1)
	x, err1 := memoryOf(b, hx)
	out, err2 := memoryFor[float32](b, 1)
	want, ho := slices.Min(hx), make([]float32, 1)
	mins := make(chan float32, 256)
	host := plainLoop(b, ho, n, func(lo, hi int) { mins <- slices.Min(hx[lo:hi]) }, func() error { return checkIs(want)(ho[0]) })
	addAtEnd(host, func() {
		ho[0] = float32(math.Inf(1))
		for len(mins) > 0 {
			ho[0] = min(ho[0], <-mins)
		}
	})
	return primCall{
		run: func() error { _, err := primreduce.MinOn(b.q, x.all(), out.all()); return err },
		out: out, check: func() error { return checkFirst(out, checkIs(want)) }, host: host,
	}, firstSet(err1, err2)
}

// addAtEnd changes the contestants so that each run calls f at its end.
func addAtEnd(list []Contestant, f func()) {
	for i := range list {
		run := list[i].Run
		list[i].Run = func(runs int) error {
			for range runs {
				if err := run(1); err != nil {
					return err
				}
				f()
			}
			return nil
		}
	}
}

func firstLeastOf(b *Bench, n int) (primCall, error) {
	hx := unitFloats[float32](n, 1)
	x, err1 := memoryOf(b, hx)
	out, err2 := memoryFor[int64](b, 1)
	want, ho := int64(slices.Index(hx, slices.Min(hx))), make([]int64, 1)
	firsts := make(chan int, 256)
	host := plainLoop(b, ho, n, func(lo, hi int) {
		least := lo
		for i := lo + 1; i < hi; i++ {
			if hx[i] < hx[least] {
				least = i
			}
		}
		firsts <- least
	}, func() error { return checkIs(want)(ho[0]) })
	addAtEnd(host, func() {
		least := -1
		for len(firsts) > 0 {
			if i := <-firsts; least < 0 || hx[i] < hx[least] || hx[i] == hx[least] && i < least {
				least = i
			}
		}
		ho[0] = int64(least)
	})
	return primCall{
		run: func() error { _, err := primreduce.ArgMinOn(b.q, x.all(), out.all()); return err },
		out: out, check: func() error { return checkFirst(out, checkIs(want)) }, host: host,
	}, firstSet(err1, err2)
}

func scanOf[T uint32 | float32](b *Bench, n int) (primCall, error) {
	hx := makeSlice(n, func(i int) T {
		if T(1)/2 == 0 {
			return T(hashIndex(uint32(i), 9))
		}
		return T(unitFloat(uint32(i), 1))
	})
	x, err1 := memoryOf(b, hx)
	out, err2 := memoryFor[T](b, n)
	check := func(got []T, tolerance float64) error {
		var sum T
		exact := 0.0
		for i, v := range got {
			if T(1)/2 == 0 && v != sum || T(1)/2 != 0 && !(math.Abs(float64(v)-exact) <= tolerance*exact) {
				return fmt.Errorf("element %d of %d is %v, want %v or %v", i, n, v, sum, exact)
			}
			sum += hx[i]
			exact += float64(hx[i])
		}
		return nil
	}
	ho := make([]T, n)
	return primCall{
		run: func() error { _, err := primscan.ExclusiveOn(b.q, x.all(), out.all()); return err },
		out: out,
		check: func() error {
			got, err := out.readBack()
			return firstSet(err, check(got, 1e-5))
		},
		host: b.goLoop(func() {
			var sum T
			for i, v := range hx {
				ho[i] = sum
				sum += v
			}
		}, func() error { return check(ho, 0.1) }, // rounding errors of sequential sums add up
			func() { clear(ho) }),
	}, firstSet(err1, err2)
}

// checkSorted checks that slice `got` is sorted, and that it has the elements of slice `from`. To
// compare the elements, checkSorted adds up the hashes of the elements of each slice.
func checkSorted[T uint32 | uint64 | float32](got, from []T) error {
	sums := func(s []T) (sum uint64) {
		for _, v := range s {
			h := math.Float64bits(float64(v)) * 0x9e3779b97f4a7c15
			sum += h ^ h>>29
		}
		return sum
	}
	for i := 1; i < len(got); i++ {
		if got[i-1] > got[i] {
			return fmt.Errorf("element %d of %d is %v, after %v", i, len(got), got[i], got[i-1])
		}
	}
	if sums(got) != sums(from) {
		return fmt.Errorf("the %d elements in order are others than those before", len(got))
	}
	return nil
}

func sortOf[T uint32 | uint64 | float32](keys func(n int) []T) func(b *Bench, n int) (primCall, error) {
	return func(b *Bench, n int) (primCall, error) {
		hx := keys(n)
		x, err1 := memoryOf(b, hx)
		out, err2 := memoryFor[T](b, n)
		ho := slices.Clone(hx)
		return primCall{
			run: func() error { _, err := primsort.KeysOn(b.q, x.all(), out.all()); return err },
			out: out,
			check: func() error {
				got, err := out.readBack()
				return firstSet(err, checkSorted(got, hx))
			},
			host: b.goLoop(func() {
				copy(ho, hx)
				slices.Sort(ho)
			}, func() error { return checkSorted(ho, hx) }, func() { clear(ho) }),
		}, firstSet(err1, err2)
	}
}

func pairsOf(b *Bench, n int) (primCall, error) {
	hx, hy := randomWords(n), makeSlice(n, func(i int) uint32 { return uint32(i) })
	x, err1 := memoryOf(b, hx)
	y, err2 := memoryOf(b, hy)
	keys, err3 := memoryFor[uint32](b, n)
	values, err4 := memoryFor[uint32](b, n)
	return primCall{
		run: func() error {
			_, err := primsort.PairsOn(b.q, x.all(), y.all(), keys.all(), values.all())
			return err
		},
		out: values, reset: keys.fillPoison,
		check: func() error {
			k, err1 := keys.readBack()
			v, err2 := values.readBack()
			if err := firstSet(err1, err2, checkSorted(k, hx)); err != nil {
				return err
			}
			for i, at := range v {
				if int(at) >= n || hx[at] != k[i] || i > 0 && k[i-1] == k[i] && v[i-1] >= at {
					return fmt.Errorf("value %d of %d is %d", i, n, at)
				}
			}
			return nil
		},
	}, firstSet(err1, err2, err3, err4)
}

func topOf(b *Bench, n int) (primCall, error) {
	const k = 128
	hx := randomWords(n)
	x, err1 := memoryOf(b, hx)
	out, err2 := memoryFor[uint32](b, k)
	count, err3 := memoryFor[int64](b, 1)
	want := make([]uint32, 0, 2*k)
	for _, v := range hx {
		if want = append(want, v); len(want) == cap(want) {
			slices.SortFunc(want, func(x, y uint32) int { return int(int64(y) - int64(x)) })
			want = want[:k]
		}
	}
	slices.SortFunc(want, func(x, y uint32) int { return int(int64(y) - int64(x)) })
	want = want[:k]
	return primCall{
		run: func() error { _, err := primsort.TopKOn(b.q, x.all(), out.all(), count.all()); return err },
		out: out, reset: count.fillPoison, check: func() error { return firstSet(checkEqual(out, want)(), checkFirst(count, checkIs(int64(k)))) },
	}, firstSet(err1, err2, err3)
}

func whereOf(b *Bench, n int) (primCall, error) {
	hx := makeSlice(n, func(i int) float32 { return unitFloat(uint32(i), 1) - 0.5 })
	x, err1 := memoryOf(b, hx)
	out, err2 := memoryFor[float32](b, n)
	count, err3 := memoryFor[int64](b, 1)
	want := slices.DeleteFunc(slices.Clone(hx), func(v float32) bool { return !(v > 0) })
	return primCall{
		run: func() error {
			_, err := pick.Where[pickgen.PositiveFloat32](b.q, pickkernels.Positive{}, x.all(), out.all(), count.all())
			return err
		},
		out: count, reset: out.fillPoison, check: checkPicked(out, count, want),
	}, firstSet(err1, err2, err3)
}

// checkPicked checks that the first elements of out equal want, and that count contains their number.
func checkPicked[T number](out *devMemory[T], count *devMemory[int64], want []T) func() error {
	return func() error {
		c, err1 := count.readBack()
		got, err2 := out.readBack()
		if err := firstSet(err1, err2); err != nil {
			return err
		}
		if c[0] != int64(len(want)) || !slices.Equal(got[:len(want)], want) {
			return fmt.Errorf("%d elements, want %d, or they are others", c[0], len(want))
		}
		return nil
	}
}

func uniqueOf(b *Bench, n int) (primCall, error) {
	hx := makeSlice(n, func(i int) uint32 { return hashIndex(uint32(i/4), 9) })
	x, err1 := memoryOf(b, hx)
	out, err2 := memoryFor[uint32](b, n)
	count, err3 := memoryFor[int64](b, 1)
	want := slices.Compact(slices.Clone(hx))
	return primCall{
		run: func() error { _, err := pick.UniqueOn(b.q, x.all(), out.all(), count.all()); return err },
		out: count, reset: out.fillPoison, check: checkPicked(out, count, want),
	}, firstSet(err1, err2, err3)
}

func histOf(b *Bench, n int) (primCall, error) {
	hx := makeSlice(n, func(i int) uint8 { return uint8(hashIndex(uint32(i/4), 9) >> (i % 4 * 8)) })
	x, err1 := memoryOf(b, hx)
	out, err2 := memoryFor[int64](b, 256)
	want := make([]int64, 256)
	for _, v := range hx {
		want[v]++
	}
	return primCall{
		run: func() error { _, err := primhist.ByKeyOn(b.q, x.all(), out.all()); return err },
		out: out,
		check: func() error {
			got, err := out.readBack()
			if err == nil && !slices.Equal(got, want) {
				err = fmt.Errorf("the counts are %v, want %v", got, want)
			}
			return err
		},
	}, firstSet(err1, err2)
}
