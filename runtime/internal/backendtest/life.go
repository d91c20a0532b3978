package backendtest

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// This file contains the conformance tests of tickets, contexts, concurrent batches and the closing
// of devices.

func bitsOf(v []float32) []uint32 {
	w := make([]uint32, len(v))
	for i, f := range v {
		w[i] = math.Float32bits(f)
	}
	return w
}

func testTicket(e *env) {
	x := e.allocWords(0)
	defer x.Free()
	p := e.pipeline("increment")
	defer p.Free()
	const n = 100
	var tickets []hal.Ticket
	results := make([][]byte, n)
	for i := range n {
		results[i] = make([]byte, 4)
		tickets = append(tickets, e.submit(afterTime(launch(p, "increment", 1, allBytes(x))), afterTime(read(x, 0, results[i]))))
	}
	// Poll the tickets in arbitrary order.
	for k := range n {
		i := k * 37 % n
		for start := time.Now(); !tickets[i].Done(); time.Sleep(10 * time.Microsecond) {
			if time.Since(start) > time.Minute {
				e.Fatal("a batch is not done after a minute")
			}
		}
		if got := decode(results[i])[0]; got != uint32(i+1) {
			e.Fatalf("batch %d read %d", i, got)
		}
	}
	for _, tk := range tickets {
		e.wait(tk)
		e.wait(tk)
		if !tk.Done() {
			e.Fatal("a batch is done and then not")
		}
	}
}

// submitSlow submits work that takes at least some tenths of a second.
func (e *env) submitSlow(p hal.Pipeline, x hal.Memory) hal.Ticket {
	e.Helper()
	n := uint32(60000) // some drivers end a loop after 65535 iterations
	launches := 16
	if e.dev.Info().Type < hal.HostCPU {
		launches = 256
	} else if testing.Short() {
		launches = 4 // -short is used with the race detector, which is slow
	}
	var batch []hal.Command
	for range launches {
		batch = append(batch, afterTime(launch(p, "chain", int(x.Size()/4), allBytes(x), n)))
	}
	return e.submit(batch...)
}

func testContext(e *env) {
	x := e.alloc(4<<10, hal.DeviceMemory)
	defer x.Free()
	p := e.pipeline("chain")
	defer p.Free()
	e.wait(e.submitSlow(p, x)) // the first run is slower, and is not measured
	start := time.Now()
	e.wait(e.submitSlow(p, x))
	full := time.Since(start)
	if full < 20*time.Millisecond {
		e.Logf("the work takes only %v", full)
	}
	tk := e.submitSlow(p, x)
	ctx, cancel := context.WithTimeout(context.Background(), full/8)
	defer cancel()
	start = time.Now()
	err := tk.Wait(ctx)
	e.Logf("Wait: %v after %v of %v, the deadline was %v", err, time.Since(start), full, full/8)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		e.Errorf("Wait: %v", err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	last := e.submitSlow(p, x)
	if err := last.Wait(ended); !errors.Is(err, context.Canceled) {
		e.Errorf("Wait: %v, want Canceled", err)
	}
	e.wait(last)
	if err := tk.Wait(ended); err != nil {
		e.Errorf("Wait for a batch that is done, with an ended context: %v", err)
	}
}

func testConcurrent(e *env) {
	const goroutines, rounds, n = 32, 40, 256
	p, pf := e.pipeline("increment"), e.pipeline("fault")
	defer p.Free()
	defer pf.Free()
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			x, err := e.dev.Alloc(4*n, hal.DeviceMemory)
			if err != nil {
				e.Error(err)
				return
			}
			defer x.Free()
			for r := range rounds {
				host := make([]byte, 4*n)
				var f hal.Fault
				bad := launch(pf, "fault", n, allBytes(x), uint32(g))
				bad.Fault = &f
				tk, err := e.dev.Submit([]hal.Command{
					afterTime(write(x, 0, encode(make([]uint32, n)))), afterTime(launch(p, "increment", n, allBytes(x))), afterTime(bad),
					afterTime(launch(p, "increment", n, allBytes(x))), afterTime(read(x, 0, host))})
				if err != nil {
					e.Error(err)
					return
				}
				if r%3 == 0 {
					for !tk.Done() {
						time.Sleep(10 * time.Microsecond)
					}
				} else if err := tk.Wait(context.Background()); err != nil {
					e.Error(err)
					return
				}
				for i, v := range decode(host) {
					want := uint32(2)
					if i < g {
						want = uint32(i) + 1
					}
					if v != want {
						e.Errorf("word %d is %d, want %d", i, v, want)
						return
					}
				}
				if !f.Set || f.GlobalID[0] < uint32(g) {
					e.Errorf("fault %+v", f)
				}
			}
		})
	}
	wg.Wait()
}

// testManyPending submits thousands of batches without waiting for any of them.
func testManyPending(e *env) {
	x := e.allocWords(0)
	defer x.Free()
	p := e.pipeline("increment")
	defer p.Free()
	const n = 3000
	for range n {
		e.submit(afterTime(launch(p, "increment", 1, allBytes(x))))
	}
	e.wantBytes(x, 1, func(int) uint32 { return n })
}

func testCloseOrder(e *env) {
	x, y := e.allocWords(1, 2, 3), e.alloc(100<<20, hal.DeviceMemory)
	p := e.pipeline("increment")
	tk := e.submit(afterTime(launch(p, "increment", 3, allBytes(x))))
	if err := e.dev.Close(); err != nil {
		e.Errorf("Close: %v", err)
	}
	if !tk.Done() {
		e.Error("a batch is not done when its device is closed")
	}
	x.Free()
	p.Free()
	y.Free()
	if err := e.dev.Close(); err != nil {
		e.Errorf("second Close: %v", err)
	}
	if _, err := e.dev.Submit([]hal.Command{fill(x, 0, 4, 0)}); err == nil {
		e.Error("Submit to a closed device succeeded")
	}
}

// testReopen opens and closes the same device several times, while the test's own device stays
// open.
func testReopen(e *env) {
	first := e.dev
	for range 3 {
		e.dev = e.open()
		x := e.allocWords(41)
		p := e.pipeline("increment")
		e.runBatch(launch(p, "increment", 1, allBytes(x)))
		e.wantBytes(x, 1, func(int) uint32 { return 42 })
		if err := e.dev.Close(); err != nil {
			e.Error(err)
		}
	}
	e.dev = first
	e.allocWords(1).Free()
}
