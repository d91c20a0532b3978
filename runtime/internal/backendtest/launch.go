package backendtest

import (
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// This file contains the conformance tests of launches, barriers, large batches and faults.

func testLaunch(e *env) {
	const n = 10000
	x, y := e.alloc(4*n, hal.DeviceMemory), e.alloc(4*n+4, hal.DeviceMemory)
	defer x.Free()
	defer y.Free()
	pf, ps := e.pipeline("fill"), e.pipeline("saxpy")
	defer pf.Free()
	defer ps.Free()
	rnd := rand.New(rand.NewPCG(3, 4))
	xs, ys := make([]float32, n), make([]float32, n)
	for i := range xs {
		xs[i], ys[i] = rnd.Float32()-0.5, rnd.Float32()-0.5
	}
	const a = float32(1.0 / 3)
	// The 32-bit word after the last element is 77. A work-item outside the range would change this
	// word.
	e.runBatch(write(x, 0, encode(bitsOf(xs))), write(y, 0, encode(bitsOf(ys))), fill(y, 4*n, 4, 77),
		afterTime(launch(ps, "saxpy", n, Span{x, 0, n}, Span{y, 0, n}, a)))
	want := make([]float32, n)
	for i := range want {
		p := a * xs[i]
		want[i] = ys[i] + float32(p)
	}
	bits := append(bitsOf(want), 77)
	e.wantBytes(y, n+1, func(i int) uint32 { return bits[i] })
	// Launch over a part of the memory, which begins at an offset.
	e.runBatch(launch(pf, "fill", 100, Span{y, 400, 100}, uint32(5)))
	e.wantBytes(y, n+1, func(i int) uint32 {
		if i >= 100 && i < 200 {
			return 5
		}
		return bits[i]
	})
	// Launch with ranges that are just below, equal to and just above the work-group size.
	for _, m := range []int{1, 63, 64, 65, 4097} {
		e.runBatch(fill(y, 0, 4*n, 0), afterTime(launch(pf, "fill", m, Span{y, 0, m}, uint32(m))))
		e.wantBytes(y, n, func(i int) uint32 {
			if i < m {
				return uint32(m)
			}
			return 0
		})
	}
}

func testSpilled(e *env) {
	const n = 1000
	out := e.alloc(4*n, hal.DeviceMemory)
	defer out.Free()
	p := e.pipeline("table")
	defer p.Free()
	if !kernels["table"].Spilled {
		e.Fatal("the kernel's arguments fit the launch block")
	}
	// Submit many launches with different arguments in one batch.
	var batch []hal.Command
	for k := range 600 {
		var table [40]uint32
		for i := range table {
			table[i] = uint32(1000*k + i)
		}
		batch = append(batch, afterTime(launch(p, "table", n-k, Span{out, 0, n - k}, table)))
	}
	e.runBatch(batch...)
	e.wantBytes(out, n, func(i int) uint32 {
		k := 599
		if i >= n-599 {
			k = n - 1 - i
		}
		return uint32(1000*k + i%40)
	})
}

func testSpec(e *env) {
	x := e.allocWords(1, 2, 3)
	defer x.Free()
	for _, factor := range []uint64{0, 5} {
		d := e.b.MakeKernel("scale")
		want := uint32(2)
		if factor != 0 {
			for i := range d.Specs {
				if d.Specs[i].ID == 7 {
					d.Specs[i].Bits = factor
				}
			}
			want = 10
		}
		if d.Host != nil && factor != 0 {
			return // the host backend reads the constant from HostSpecs, not from Specs
		}
		p, err := e.dev.NewPipeline(&d)
		if err != nil {
			e.Fatal(err)
		}
		e.runBatch(launch(p, "scale", 3, allBytes(x)))
		e.wantBytes(x, 3, func(i int) uint32 { return want * uint32(i+1) })
		p.Free()
	}
}

// testManyGroups launches more work-groups than a device accepts in one dispatch.
func testManyGroups(e *env) {
	p := e.pipeline("rows")
	defer p.Free()
	sizes := [][2]uint32{{1, 1}, {3, 70000}, {70000, 3}, {1, 140001}, {131072, 2}}
	if testing.Short() {
		sizes = sizes[:2] // -short is used with the race detector, which is slow
	}
	for _, size := range sizes {
		n := int(size[0] * size[1])
		x := e.alloc(4*uint64(n), hal.DeviceMemory)
		c := launch(p, "rows", n, allBytes(x))
		c.Global = [3]uint32{size[0], size[1], 1}
		c.Groups = c.Global
		e.runBatch(fill(x, 0, 4*uint64(n), 0), afterTime(c))
		e.wantBytes(x, n, func(i int) uint32 { return uint32(i) + 1 })
		x.Free()
	}
}

func testEmpty(e *env) {
	tk := e.submit()
	e.wait(tk)
	if !tk.Done() {
		e.Error("an empty batch is not done after its wait")
	}
	p := e.pipeline("fill")
	defer p.Free()
	x := e.allocWords(1)
	defer x.Free()
	e.runBatch(launch(p, "fill", 0, Span{Mem: x}, uint32(9)))
	e.wantBytes(x, 1, func(int) uint32 { return 1 })
}

func testBarriers(e *env) {
	const n, rounds = 5000, 300
	x, y := e.alloc(4*n, hal.DeviceMemory), e.alloc(4*n, hal.DeviceMemory)
	defer x.Free()
	defer y.Free()
	p := e.pipeline("increment")
	defer p.Free()
	// Submit launches that depend on each other, first in one batch and then in separate batches.
	batch := []hal.Command{fill(x, 0, 4*n, 0)}
	for range rounds {
		batch = append(batch, afterTime(launch(p, "increment", n, allBytes(x))))
	}
	e.runBatch(batch...)
	for range rounds {
		e.submit(afterTime(launch(p, "increment", n, allBytes(x))))
	}
	e.wantBytes(x, n, func(int) uint32 { return 2 * rounds })
	// Run fills, launches, copies, reads and writes in turn. Each command waits for the commands
	// before it.
	var hosts [50][]byte
	var tickets []hal.Ticket
	for i := range hosts {
		hosts[i] = make([]byte, 4*n)
		tickets = append(tickets, e.submit(
			afterTime(fill(x, 0, 4*n, uint32(i))),
			afterTime(launch(p, "increment", n, allBytes(x))),
			afterTime(copyOf(y, 0, x, 0, 4*n)),
			afterTime(launch(p, "increment", n, allBytes(y))),
			afterTime(read(y, 0, hosts[i])),
			afterTime(write(y, 0, encode([]uint32{uint32(i)}))),
			afterTime(launch(p, "increment", n, allBytes(y)))))
	}
	for i := len(tickets) - 1; i >= 0; i-- {
		e.wait(tickets[i])
	}
	for k, host := range hosts {
		for i, v := range decode(host) {
			if v != uint32(k)+2 {
				e.Fatalf("batch %d: word %d is %d, want %d", k, i, v, k+2)
			}
		}
	}
	e.wantBytes(y, n, func(i int) uint32 {
		if i == 0 {
			return 50
		}
		return 52
	})
	// Several reads store to the same host memory. The value of the last read must remain,
	// whichever ticket the test waits for.
	host := make([]byte, 4)
	for i := range 50 {
		tickets = append(tickets, e.submit(afterTime(fill(x, 0, 4, uint32(i))), afterTime(read(x, 0, host))))
	}
	e.wait(tickets[len(tickets)-1])
	for _, tk := range tickets {
		e.wait(tk)
		if v := decode(host)[0]; v != 49 {
			e.Fatalf("the last read left %d, want 49", v)
		}
	}
}

// testBarriersReachFar checks that a barrier orders all later commands, not only the command with
// the field Barrier.
func testBarriersReachFar(e *env) {
	const n = 1 << 18
	x, y, z := e.alloc(4*n, hal.DeviceMemory), e.alloc(4*n, hal.DeviceMemory), e.alloc(4*n, hal.DeviceMemory)
	defer x.Free()
	defer y.Free()
	defer z.Free()
	p, pc := e.pipeline("increment"), e.pipeline("chain")
	defer p.Free()
	defer pc.Free()
	for range 20 {
		e.submit(afterTime(fill(x, 0, 4*n, 0)), fill(y, 0, 4*n, 0), fill(z, 0, 4*n, 1))
		e.submit(afterTime(launch(pc, "chain", n, allBytes(x), uint32(1))))
		e.submit(
			afterTime(launch(p, "increment", 1, allBytes(y))), // the barrier of this launch also orders the copy
			copyOf(z, 0, x, 0, 4*n),                           // reads x, and has no barrier
			afterTime(launch(p, "increment", n, allBytes(x))))
		e.wantBytes(z, n, func(i int) uint32 { return 1013904223 })
		e.wantBytes(x, n, func(i int) uint32 { return 1013904224 })
	}
}

func testBigBatch(e *env) {
	x := e.allocWords(make([]uint32, 64)...)
	defer x.Free()
	p := e.pipeline("increment")
	defer p.Free()
	const n = 5000
	faults := make([]hal.Fault, n)
	var batch []hal.Command
	for i := range n {
		c := afterTime(launch(p, "increment", 64, allBytes(x)))
		c.Fault = &faults[i]
		batch = append(batch, c)
	}
	e.runBatch(batch...)
	e.wantBytes(x, 64, func(int) uint32 { return n })
	for i := range faults {
		if faults[i].Set {
			e.Fatalf("launch %d has a fault: %+v", i, faults[i])
		}
	}
}

func (e *env) wantFault(f *hal.Fault, n int, first uint32) {
	e.Helper()
	id := f.GlobalID
	switch {
	case !f.Set:
		e.Fatal("there is no fault")
	case id[0] < first || id[0] >= uint32(n) || id[1] != 0 || id[2] != 0:
		e.Fatalf("fault of work-item %v, want %d to %d", id, first, n)
	case f.A != int64(id[0])+int64(n) || f.B != int64(n):
		e.Fatalf("fault values %d and %d of work-item %d", f.A, f.B, id[0])
	case f.Pos == "" && f.Site != 0, f.Pos != "" && f.Kind != abi.FaultIndex:
		e.Fatalf("fault %+v", *f)
	}
}

func testFault(e *env) {
	const n = 4096
	x := e.alloc(4*n, hal.DeviceMemory)
	defer x.Free()
	p := e.pipeline("fault")
	defer p.Free()
	for _, first := range []uint32{n, n - 1, 0, 1000, n} {
		var f hal.Fault
		c := afterTime(launch(p, "fault", n, allBytes(x), first))
		c.Fault = &f
		e.runBatch(fill(x, 0, 4*n, 0xffffffff), c)
		if first == n {
			if f.Set {
				e.Fatalf("fault %+v of a launch without one", f)
			}
		} else {
			e.wantFault(&f, n, first)
		}
		e.wantBytes(x, n, func(i int) uint32 {
			if i < int(first) {
				return uint32(i)
			}
			return 0xffffffff
		})
		// If the command's field Fault is nil, a fault is not reported, and has no effect on later
		// commands.
		e.runBatch(launch(p, "fault", n, allBytes(x), first))
	}
}

// testFaultMany submits batches in which some launches fault. Later batches reuse the backend's
// fault records.
func testFaultMany(e *env) {
	const n, launches = 128, 400
	x := e.alloc(4*n, hal.DeviceMemory)
	defer x.Free()
	p := e.pipeline("fault")
	defer p.Free()
	for round := range 30 {
		faults := make([]hal.Fault, launches)
		var batch []hal.Command
		for i := range faults {
			first := uint32(n)
			if (i+round)%7 == 0 {
				first = uint32(i % n)
			}
			c := launch(p, "fault", n, allBytes(x), first)
			c.Fault = &faults[i]
			batch = append(batch, c)
		}
		e.runBatch(batch...)
		for i := range faults {
			if (i+round)%7 == 0 {
				e.wantFault(&faults[i], n, uint32(i%n))
			} else if faults[i].Set {
				e.Fatalf("round %d: launch %d has the fault %+v", round, i, faults[i])
			}
		}
	}
}
