package host

import (
	"context"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/dslhook"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// maxChunk is the largest number of work-items that a goroutine runs as one piece. With small
// pieces, all goroutines are busy until the end of the launch.
const maxChunk = 1 << 14

// runLaunch runs one kernel launch to its end, or until the launch is cancelled. In profiles, the
// samples of a launch have the label kernel, whether the launch runs the kernel's own code or its
// host form. New goroutines inherit the label from the goroutines that start them.
func runLaunch(c *hal.Command) {
	p := c.Pipeline.(*pipeline)
	pprof.SetGoroutineLabels(p.labels)
	defer pprof.SetGoroutineLabels(context.Background())
	stop := newStopper(c.Cancel)
	switch {
	case stop.mustStop():
	case p.checked != nil:
		p.checked.interpretLaunch(c, p, stop)
	case p.forms != nil && (c.Cancel != nil || !p.spare):
		launchForm(c, p, stop)
	default:
		launchOwn(c, p, stop)
	}
	if stop.stopped.Load() && c.Fault != nil {
		c.Fault.Cancelled = true
	}
}

// launchOwn runs the kernel's own Go code.
func launchOwn(c *hal.Command, p *pipeline, stop *stopFlag) {
	args := &Args{kernel: p.kernel, block: c.Args, slices: c.Slices, accessors: p.accessors, global: c.Global}
	if err := args.allocInternal(p.dev); err != nil {
		if c.Fault != nil {
			c.Fault.Failed = err
		}
		return
	}
	defer args.freeInternal()
	kernel := p.build(args)
	var claimed atomic.Bool
	l := &dslhook.Launch{
		Rank:         p.kernel.Rank,
		Global:       indexOrder(p.kernel.Rank, c.Global),
		Accessors:    p.accessors,
		SubGroupSize: p.subGroup,
		Specs:        p.specs,
		Stop:         stop.asked,
		Stopped:      &stop.stopped,
	}
	l.Panicked = func(id [3]int, v any) {
		if !claimed.CompareAndSwap(false, true) || c.Fault == nil {
			return
		}
		f := classifyPanic(v)
		f.GlobalID, f.Pos = deviceOrder(p.kernel.Rank, id), panicPosition(p.kernel, c.Slices, &f)
		*c.Fault = f
	}
	switch p.kernel.Form {
	case abi.Task:
		dslhook.RunItems(kernel, l, 0, 1)
	case abi.Range:
		total := 1
		for _, n := range c.Global {
			total *= int(n)
		}
		runParallel(total, maxChunk, stop, func() (func(lo, hi int), func()) {
			return func(lo, hi int) { dslhook.RunItems(kernel, l, lo, hi) }, func() {}
		})
	case abi.NDRange:
		l.Local = indexOrder(p.kernel.Rank, p.local)
		groups := 1
		for _, n := range c.Groups {
			groups *= int(n)
		}
		runParallel(groups, 64, stop, func() (func(lo, hi int), func()) {
			s := p.scratches.Get().(*dslhook.Scratch)
			return func(lo, hi int) {
				for g := lo; g < hi && !stop.mustStop(); g++ {
					dslhook.RunGroup(kernel, l, g, s)
				}
			}, func() { p.scratches.Put(s) }
		})
	}
}

// runParallel divides the range [0, total) into pieces of at most chunk numbers. Several goroutines
// run the pieces. Each goroutine first calls `begin`, which returns the functions f and `end`. The
// goroutine calls f for each of its pieces, and finally calls `end`. If the flag `stop` ends the
// launch, no goroutine begins another piece.
func runParallel(total, chunk int, stop *stopFlag, begin func() (f func(lo, hi int), end func())) {
	if raceEnabled {
		runUnordered(total, stop, begin)
		return
	}
	procs := runtime.GOMAXPROCS(0)
	chunk = max(1, min(chunk, total/(8*procs)))
	var next atomic.Int64
	worker := func() {
		f, end := begin()
		defer end()
		for {
			hi := int(next.Add(int64(chunk)))
			lo := hi - chunk
			if lo >= total || stop.mustStop() {
				return
			}
			f(lo, min(hi, total))
		}
	}
	var wg sync.WaitGroup
	for range min(procs, (total+chunk-1)/chunk) - 1 {
		wg.Go(worker)
	}
	worker()
	wg.Wait()
}

// indexOrder converts sizes in the order x, y, z to the kernel's index order, in which x is last.
func indexOrder(rank int, v [3]uint32) (out [3]int) {
	for i := range rank {
		out[i] = int(v[rank-1-i])
	}
	return out
}

// deviceOrder converts sizes in the kernel's index order to the order x, y, z.
func deviceOrder(rank int, v [3]int) (out [3]uint32) {
	for i := range rank {
		out[i] = uint32(v[rank-1-i])
	}
	return out
}

// runUnordered does the work of runParallel if the race detector is on. Each of four goroutines
// calls f for every fourth number. If there are more than 2^14 numbers, each goroutine calls f for
// every fourth piece of consecutive numbers instead. The goroutines share no counter. A counter
// would order their accesses, and the race detector would then miss races.
func runUnordered(total int, stop *stopFlag, begin func() (f func(lo, hi int), end func())) {
	const workers, pieces = 4, 1 << 14
	size := (total + pieces - 1) / pieces
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			f, _ := begin()
			for lo := w * size; lo < total && !stop.mustStop(); lo += workers * size {
				f(lo, min(lo+size, total))
			}
		})
	}
	wg.Wait()
}
