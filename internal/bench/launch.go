package bench

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	goruntime "runtime"
	"strings"
	"time"

	"github.com/kgen-go/kgen/internal/bench/kernels/kernelsgen"
	"github.com/kgen-go/kgen/runtime"
)

// This file defines the benchmark rows that measure launches, transfers, and the start of a program.

// The array `chain` contains the number of launches between two waits, for each Scale.
var chain = [4]int{10, 1000, 1000, 1000}

// counterMemory is memory with one element, which each launch increments.
type counterMemory struct {
	*devMemory[uint32]
	launches uint32
}

func newCounted(b *Bench) (*counterMemory, error) {
	m, err := memoryFor[uint32](b, 1)
	return &counterMemory{devMemory: m}, err
}

func (c *counterMemory) reset() error { c.launches = 0; return c.fill(0) }

func (c *counterMemory) check() error {
	if c.launches == 0 {
		return errors.New("nothing was launched")
	}
	return checkEqual(c.devMemory, []uint32{c.launches})()
}

// touchFunc returns a function that launches kernel Touch. Each launch increments the only element of the memory.
func (c *counterMemory) touchFunc(q *runtime.Queue) func() error {
	return func() error {
		c.launches++
		_, err := kernelsgen.Touch{X: c.all()}.ParallelFor(q, 1)
		return err
	}
}

var roundTrip = Work{Group: "Launches", Name: "launch, submit to completion", Target: "≤ 12 µs", Sizes: [4]int{1, 1, 1, 1}, Make: func(b *Bench, _ int) (*Job, error) {
	c, err := newCounted(b)
	if err != nil {
		return nil, err
	}
	touch := c.touchFunc(b.q)
	one := func(runs int) error {
		for range runs {
			if err := firstSet(touch(), b.q.Wait(b.ctx)); err != nil {
				return err
			}
		}
		return nil
	}
	return &Job{Size: "1 work-item", Amount: 1, Unit: Launches, CUDA: []CUDAPeer{{"CUDA", "roundtrip"}}, Contestants: []Contestant{{kgen, one, c.reset, c.check}}}, nil
}}

var dependent = Work{Group: "Launches", Name: "launches, each on the last's result", Target: "≤ 2.2 µs", Sizes: chain, Make: func(b *Bench, n int) (*Job, error) {
	c, err := newCounted(b)
	if err != nil {
		return nil, err
	}
	return &Job{Size: fmt.Sprint(n), Amount: 1, Unit: Launches, Runs: n, CUDA: []CUDAPeer{{"CUDA", "dependent"}},
		Contestants: []Contestant{{kgen, b.repeatFunc(c.touchFunc(b.q)), c.reset, c.check}}}, nil
}}

var independent = Work{Group: "Launches", Name: "launches, independent", Target: "≤ 0.5 µs", Sizes: chain, Make: func(b *Bench, n int) (*Job, error) {
	return &Job{Size: fmt.Sprint(n), Amount: 1, Unit: Launches, Runs: n, Contestants: []Contestant{{Name: kgen, Run: b.repeatFunc(func() error {
		_, err := kernelsgen.Empty{}.ParallelFor(b.q, 1)
		return err
	})}}}, nil
}}

var replay = Work{Group: "Launches", Name: "graph of dependent launches, each", Target: "≤ 1.7 µs", Sizes: chain, Make: func(b *Bench, n int) (*Job, error) {
	c, err := newCounted(b)
	if err != nil {
		return nil, err
	}
	g := runtime.NewGraph(b.dev)
	for range n {
		if _, err := g.Add(kernelsgen.Touch{X: c.all()}.Node(1)); err != nil {
			return nil, err
		}
	}
	ex, err := g.Finalize()
	if err != nil {
		return nil, err
	}
	submit := b.repeatFunc(func() error {
		c.launches += uint32(n)
		_, err := b.q.Submit(ex)
		return err
	})
	return &Job{Size: fmt.Sprint(n), Amount: 1 / float64(n), Unit: Launches, CUDA: []CUDAPeer{{"CUDA", "graph"}},
		Contestants: []Contestant{{kgen, submit, c.reset, c.check}}}, nil
}}

// The benchmark row "calls" measures only the time that the launching goroutine spends in the call, not the time of the
// device.
var calls = Work{Group: "Launches", Name: "launch, the call alone", Target: "≤ 0.3 µs", Sizes: chain, Make: func(b *Bench, _ int) (*Job, error) {
	c, err := newCounted(b)
	if err != nil {
		return nil, err
	}
	touch := c.touchFunc(b.q)
	const some = 8 // fewer launches than the runtime submits in one batch
	var took time.Duration
	var launches, objects, counted int
	eight := func() error {
		for range some {
			if err := touch(); err != nil {
				return err
			}
		}
		return nil
	}
	run := func(runs int) error {
		var before, after goruntime.MemStats
		for i := range runs {
			// ReadMemStats stops all goroutines, and the next launches take twice as long. The suite
			// therefore does not time the launches whose allocations it counts. It also does not time
			// the launches directly after a count.
			count := i%10 == 0
			if count {
				goruntime.ReadMemStats(&before)
			}
			begin := time.Now()
			err := eight()
			since := time.Since(begin)
			if count {
				goruntime.ReadMemStats(&after)
				objects += int(after.Mallocs - before.Mallocs)
				counted += some
			} else if i%10 > 1 {
				took += since
				launches += some
			}
			if err := firstSet(err, b.q.Wait(b.ctx)); err != nil {
				return err
			}
		}
		return nil
	}
	return &Job{Size: fmt.Sprintf("%d at a time", some), Amount: 1, Unit: Launches, Runs: 100,
		Contestants: []Contestant{{kgen, run, c.reset, c.check}},
		Measured: func() (time.Duration, string) {
			d, n := took, launches
			text := fmt.Sprintf("%.1f allocations for each launch", float64(objects)/float64(max(counted, 1)))
			took, launches, objects, counted = 0, 0, 0, 0
			return d / time.Duration(max(n, 1)), text
		}}, nil
}}

// transferWork returns a benchmark row that copies between a Go slice and the device.
func transferWork(name, cuda string, do func(b *Bench, m *devMemory[uint32], s []uint32) error, check func(m *devMemory[uint32], s, want []uint32) error) Work {
	return Work{Group: "Transfers", Name: name, Target: "≥ 25 GB/s", Sizes: [4]int{1 << 12, 1 << 24, 1 << 26, 1 << 28}, Make: func(b *Bench, n int) (*Job, error) {
		want := randomWords(n)
		m, err := memoryOf(b, want)
		if err != nil {
			return nil, err
		}
		s := append([]uint32(nil), want...)
		return &Job{Size: bytesOf(4 * n), Amount: 4 * float64(n), Unit: Bytes, CUDA: []CUDAPeer{{"CUDA", cuda}, {"CUDA pinned", cuda + "_pinned"}},
			Contestants: []Contestant{{kgen, func(runs int) error {
				for range runs {
					if err := do(b, m, s); err != nil {
						return err
					}
				}
				return nil
			}, func() error {
				if cuda == "upload" {
					return m.fillPoison()
				}
				for i := range s {
					s[i] = ^want[i]
				}
				return nil
			}, func() error { return check(m, s, want) }}}}, nil
	}}
}

var upload = transferWork("slice to device", "upload",
	func(b *Bench, m *devMemory[uint32], s []uint32) error { return m.writeElems(s) },
	func(m *devMemory[uint32], _, want []uint32) error {
		return checkEqual(m, append([]uint32(nil), want...))()
	})

var download = transferWork("device to slice", "download",
	func(b *Bench, m *devMemory[uint32], s []uint32) error { return m.buf.CopyTo(b.ctx, b.q, s) },
	func(_ *devMemory[uint32], s, want []uint32) error { return same(s, want) })

// pinnedWork returns a benchmark row that copies between the device and pinned memory of the host.
func pinnedWork(name, cuda string, up bool) Work {
	return Work{Group: "Transfers", Name: name, Target: "≥ 0.9 CUDA pinned", Sizes: [4]int{1 << 12, 1 << 24, 1 << 26, 1 << 28}, Make: func(b *Bench, n int) (*Job, error) {
		want := randomWords(n)
		m, err := memoryOf(b, want)
		if err != nil {
			return nil, err
		}
		h, err := runtime.NewHostBuffer[uint32](b.dev, n)
		if err != nil {
			return nil, err
		}
		b.closers = append(b.closers, func() { _ = h.Close() })
		copy(h.Slice(), want)
		dst, src := h.All(), m.all()
		if up {
			dst, src = src, dst
		}
		return &Job{Size: bytesOf(4 * n), Amount: 4 * float64(n), Unit: Bytes, CUDA: []CUDAPeer{{"CUDA pinned", cuda}},
			Contestants: []Contestant{{kgen, b.repeatFunc(func() error {
				_, err := b.q.Enqueue(runtime.Copy(dst, src))
				return err
			}), func() error {
				if up {
					return m.fillPoison()
				}
				for i := range h.Slice() {
					h.Slice()[i] = ^want[i]
				}
				return nil
			}, func() error {
				if up {
					return checkEqual(m, append([]uint32(nil), want...))()
				}
				return same(h.Slice(), want)
			}}}}, nil
	}}
}

var pinnedUpload = pinnedWork("pinned buffer to device", "upload_pinned", true)

var pinnedDownload = pinnedWork("device to pinned buffer", "download_pinned", false)

// bytesOf prints a number of bytes that is a power of two.
func bytesOf(n int) string {
	for _, u := range []struct {
		bytes int
		name  string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= u.bytes {
			return fmt.Sprintf("%d %s", n/u.bytes, u.name)
		}
	}
	return fmt.Sprintf("%d B", n)
}

// startWork measures how long a program takes from its start to its end. The program launches a kernel and
// reads its result.
var startWork = Work{Group: "Launches", Name: "process, to the first result", Sizes: [4]int{1, 1, 1, 1}, Make: func(b *Bench, _ int) (*Job, error) {
	if b.First == "" {
		return nil, skipReason("kgenfirst is not beside this program")
	}
	device := b.dev.Name()
	if b.dev.Info().Backend == "host" {
		device = "host"
	}
	j := &Job{Size: "1 launch", Amount: 1, Unit: Launches, Runs: 1, Contestants: []Contestant{{Name: kgen, Run: b.runProgram(b.First, "KGEN_DEVICE="+device)}}}
	if b.cuda != nil {
		j.Contestants = append(j.Contestants, Contestant{Name: "CUDA", Run: b.runProgram(b.cuda.path, "", "first")})
	}
	return j, nil
}}

// runProgram returns a function that runs a program a given number of times. The program must print "ok".
func (b *Bench) runProgram(program, env string, args ...string) func(int) error {
	return func(runs int) error {
		for range runs {
			c := exec.CommandContext(b.ctx, program, args...)
			if env != "" {
				c.Env = append(os.Environ(), env)
			}
			out, err := c.CombinedOutput()
			if err == nil && strings.TrimSpace(string(out)) != "ok" {
				err = errors.New("it has not said ok")
			}
			if err != nil {
				return fmt.Errorf("%s: %w: %s", program, err, out)
			}
		}
		return nil
	}
}
