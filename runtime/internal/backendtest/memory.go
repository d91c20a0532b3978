package backendtest

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// This file contains the conformance tests of device information, and of allocating, writing,
// reading, filling and copying memory.

func testInfo(e *env) {
	list, err := e.b.Driver().Enumerate()
	if err != nil || e.i >= len(list) {
		e.Fatalf("Enumerate: %d devices, %v", len(list), err)
	}
	info, l := e.dev.Info(), e.dev.Info().Limits
	if listed := &list[e.i]; info.Name != listed.Name || info.Driver != listed.Driver || !slices.Equal(info.Aspects, listed.Aspects) {
		e.Errorf("open device is %+v, listed is %+v", info, listed)
	}
	if info.Name == "" || info.Driver == "" || info.API == "" {
		e.Errorf("names are missing: %q, %q, %q", info.Name, info.Driver, info.API)
	}
	if !slices.IsSorted(info.Aspects) {
		e.Errorf("aspects are not sorted: %v", info.Aspects)
	}
	if info.SubGroups[0] < 1 || info.SubGroups[1] < info.SubGroups[0] {
		e.Errorf("sub-groups of %v", info.SubGroups)
	}
	if l.MaxWorkItems < 64 || l.LocalMemory < 16<<10 || l.MaxAllocation < 1<<27 || l.MaxLaunchBlock < 128 || l.DeviceMemory == 0 {
		e.Errorf("limits are too low: %+v", l)
	}
	if l.PreferredItems < 1 || l.PreferredItems > l.MaxWorkItems {
		e.Errorf("preferred work-group size %d of at most %d", l.PreferredItems, l.MaxWorkItems)
	}
	for i := range 3 {
		if l.MaxWorkGroupSize[i] < 1 || l.MaxGroups[i] < 65535 {
			e.Errorf("limits are too low: %+v", l)
		}
	}
	if _, err := e.b.Driver().Open(len(list)); err == nil {
		e.Errorf("Open(%d) of %d devices succeeded", len(list), len(list))
	}
}

func testMemory(e *env) {
	for _, kind := range []hal.MemoryKind{hal.DeviceMemory, hal.HostMemory} {
		for _, size := range []uint64{0, 1, 3, 4, 255, 256, 257, 4096, 1<<20 + 12} {
			m := e.alloc(size, kind)
			if m.Size() != size {
				e.Errorf("size %d, want %d", m.Size(), size)
			}
			if m.Address() == 0 || m.Address()%256 != 0 {
				e.Errorf("address %#x", m.Address())
			}
			b := m.Bytes()
			if kind == hal.HostMemory && b == nil && size > 0 {
				e.Errorf("host memory of %d bytes without bytes", size)
			}
			if b != nil && uint64(len(b)) != size {
				e.Errorf("%d bytes of memory of %d", len(b), size)
			}
			fillPattern(b, uint32(size))
			m.Free()
		}
	}
	// The device must see the bytes that the host writes directly, and the host must see the bytes
	// that the device writes.
	h, d := e.alloc(1024, hal.HostMemory), e.alloc(1024, hal.DeviceMemory)
	want := fillPattern(make([]byte, 1024), 7)
	copy(h.Bytes(), want)
	e.runBatch(copyOf(d, 0, h, 0, 1024), afterTime(fill(h, 0, 1024, 0)), afterTime(copyOf(h, 0, d, 0, 1024)))
	e.wantSame(h.Bytes(), want)
	h.Free()
	d.Free()
}

// testMemoryMany allocates and frees memory in random order, and checks that allocations do not
// overlap.
func testMemoryMany(e *env) {
	type owned struct {
		m    hal.Memory
		mark uint32
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	var live []owned
	check := func(o owned) {
		n := o.m.Size() / 4
		if got := e.readBytes(o.m, 0, 1)[0]; got != o.mark {
			e.Fatalf("memory at %#x begins with %d, want %d", o.m.Address(), got, o.mark)
		}
		if got := e.readBytes(o.m, 4*(n-1), 1)[0]; got != o.mark {
			e.Fatalf("memory at %#x ends with %d, want %d", o.m.Address(), got, o.mark)
		}
	}
	for i := range 600 {
		if len(live) > 60 || len(live) > 0 && rnd.IntN(3) == 0 {
			k := rnd.IntN(len(live))
			check(live[k])
			live[k].m.Free()
			live = slices.Delete(live, k, k+1)
			continue
		}
		size := 4 * (1 + rnd.Uint64N(1<<(2+rnd.UintN(16))))
		o := owned{e.alloc(size, hal.MemoryKind(rnd.IntN(2))), uint32(i)}
		e.runBatch(fill(o.m, 0, size, o.mark))
		live = append(live, o)
	}
	slices.SortFunc(live, func(a, b owned) int { return int(int64(a.m.Address()) - int64(b.m.Address())) })
	for i, o := range live {
		if i > 0 && live[i-1].m.Address()+live[i-1].m.Size() > o.m.Address() {
			e.Fatalf("memory at %#x of %d bytes reaches into %#x", live[i-1].m.Address(), live[i-1].m.Size(), o.m.Address())
		}
		check(o)
		o.m.Free()
	}
}

func testOutOfMemory(e *env) {
	for _, size := range []uint64{1 << 50, 1<<64 - 1, 1<<64 - 256, 1 << 63} {
		for _, kind := range []hal.MemoryKind{hal.DeviceMemory, hal.HostMemory} {
			if _, err := e.dev.Alloc(size, kind); !errors.Is(err, hal.ErrOutOfMemory) {
				e.Errorf("Alloc(%d): %v, want ErrOutOfMemory", size, err)
			}
		}
	}
	e.allocWords(1).Free()
}

func testWriteRead(e *env) {
	m := e.alloc(1<<20, hal.DeviceMemory)
	defer m.Free()
	for _, c := range []struct{ off, size int }{{0, 0}, {0, 1}, {0, 4}, {3, 5}, {255, 3}, {1000, 65537}, {0, 1 << 20}, {1<<20 - 1, 1}} {
		want := fillPattern(make([]byte, c.size), uint32(c.off))
		src, dst := slices.Clone(want), make([]byte, c.size)
		w := write(m, uint64(c.off), src)
		w.Taken = func() { clear(src) } // the backend has read the source, so the source may change
		e.runBatch(w, afterTime(read(m, uint64(c.off), dst)))
		e.wantSame(dst, want)
	}
	// A write must not change the bytes before and after its destination.
	e.runBatch(fill(m, 0, 64, 0), afterTime(write(m, 5, []byte{1, 2, 3})))
	got := make([]byte, 12)
	e.runBatch(afterTime(read(m, 0, got)))
	e.wantSame(got, []byte{0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0})
	// When a ticket is done, the bytes that the batch has read must be in the host's memory.
	for i := range 300 {
		want := fillPattern(make([]byte, 4<<(i%11)), uint32(i))
		got := make([]byte, len(want))
		e.runBatch(afterTime(write(m, 0, want)), afterTime(read(m, 0, got)))
		e.wantSame(got, want)
	}
}

// testLarge copies more bytes than fit into any backend's staging memory.
func testLarge(e *env) {
	size := 96<<20 + 20
	if testing.Short() {
		size = 68<<20 + 20 // -short is used with the slow race detector; this size is still larger than a staging ring
	}
	m := e.alloc(uint64(size), hal.DeviceMemory)
	defer m.Free()
	want, got := fillPattern(make([]byte, size), 3), make([]byte, size)
	e.runBatch(write(m, 0, want), afterTime(read(m, 0, got)))
	e.wantSame(got, want)
	// Keep several batches in flight.
	clear(got)
	t1 := e.submit(afterTime(write(m, 0, want[4:4+size/2])))
	t2 := e.submit(afterTime(read(m, 0, got)))
	t3 := e.submit(afterTime(fill(m, 0, 4, 9)), afterTime(read(m, 0, got[:0])))
	e.wait(t3)
	e.wait(t2)
	e.wait(t1)
	e.wantSame(got[:size/2], want[4:4+size/2])
	e.wantSame(got[size/2:], want[size/2:])
}

// testLargeMixed mixes large reads with writes and launches, which must keep their order.
func testLargeMixed(e *env) {
	n := 20 << 20
	if testing.Short() { // -short is used with the race detector, which is slow
		n = 4 << 20
	}
	m := e.alloc(uint64(4*n), hal.DeviceMemory)
	defer m.Free()
	p := e.pipeline("increment")
	defer p.Free()
	var results [4][]byte
	var tickets []hal.Ticket
	for i := range results {
		results[i] = make([]byte, 4*n)
		head := []byte{byte(50 * i), 0, 0, 0}
		w := afterTime(write(m, 0, head))
		w.Taken = func() { head[0] = 255 } // the backend has read the source, so the source may change
		batch := []hal.Command{afterTime(launch(p, "increment", n, allBytes(m))), afterTime(read(m, 0, results[i])), w}
		if i == 0 {
			batch = append([]hal.Command{fill(m, 0, uint64(4*n), 100)}, batch...)
		}
		tickets = append(tickets, e.submit(batch...))
	}
	for i := len(tickets) - 1; i >= 0; i-- {
		e.wait(tickets[i])
	}
	for i, b := range results {
		for k, v := range decode(b) {
			want := uint32(101 + i)
			if k == 0 && i > 0 {
				want = uint32(50*(i-1) + 1)
			}
			if v != want {
				e.Fatalf("read %d: word %d is %d, want %d", i, k, v, want)
			}
		}
	}
}

func testFill(e *env) {
	const n = 1 << 18
	m := e.alloc(4*n, hal.DeviceMemory)
	defer m.Free()
	for _, c := range []struct{ off, size uint64 }{{0, 4 * n}, {4, 4}, {12, 100}, {16, 4*n - 16}, {64, 4*n - 68}, {20, 1 << 19}, {0, 0}} {
		e.runBatch(fill(m, 0, 4*n, 0xffffffff), afterTime(fill(m, c.off, c.size, 0x12345678+uint32(c.off))))
		e.wantBytes(m, n, func(i int) uint32 {
			if at := uint64(4 * i); at >= c.off && at < c.off+c.size {
				return 0x12345678 + uint32(c.off)
			}
			return 0xffffffff
		})
	}
}

func testCopy(e *env) {
	const size = 1 << 20
	a, b := e.alloc(size, hal.DeviceMemory), e.alloc(size, hal.DeviceMemory)
	defer a.Free()
	defer b.Free()
	src, old := fillPattern(make([]byte, size), 1), fillPattern(make([]byte, size), 2)
	for _, c := range []struct{ dst, src, size int }{
		{0, 0, size}, {0, 0, 0}, {1, 2, 3}, {16, 32, size / 2}, {4, 8, size / 4}, {256, 0, size/2 + 12}, {256, 512, size/2 + 7}, {7, 1, size / 2},
	} {
		got := make([]byte, size)
		e.runBatch(write(a, 0, src), write(b, 0, old), afterTime(copyOf(b, uint64(c.dst), a, uint64(c.src), uint64(c.size))), afterTime(read(b, 0, got)))
		want := slices.Clone(old)
		copy(want[c.dst:c.dst+c.size], src[c.src:])
		e.wantSame(got, want)
	}
	// Copy between two ranges of the same memory.
	got := make([]byte, size)
	e.runBatch(write(a, 0, src), afterTime(copyOf(a, 0, a, size/2, size/2)), afterTime(read(a, 0, got)))
	e.wantSame(got[:size/2], src[size/2:])
}
