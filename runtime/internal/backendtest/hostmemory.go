package backendtest

import (
	"encoding/binary"
	"testing"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// testHostMemory copies between memory of the host and memory of the device, in both directions,
// with sizes that backends may treat differently. The host reads and writes the host memory
// directly. A batch must see the bytes that the host wrote before the batch. When the batch has
// completed, the host must see the bytes that the batch wrote.
func testHostMemory(e *env) {
	const size = 1<<20 + 64
	host, there := e.alloc(size, hal.HostMemory), e.alloc(size, hal.DeviceMemory)
	back := e.alloc(size, hal.HostMemory)
	rounds, batches := uint32(4), uint32(50)
	if testing.Short() {
		rounds, batches = 1, 10
	}
	for _, n := range []uint64{1, 3, 4, 256, 4096, 65536, 65540, 1 << 20, 1<<20 + 13} {
		for _, off := range []uint64{0, 4, 16} {
			for seed := range rounds {
				fillPattern(host.Bytes(), seed)
				clear(back.Bytes())
				e.runBatch(copyOf(there, off, host, 0, n), afterTime(copyOf(back, 0, there, off, n)))
				e.wantSame(back.Bytes()[:n], host.Bytes()[:n])
				e.wantSame(back.Bytes()[n:], make([]byte, size-n))
			}
		}
	}
	// Submit several batches one after another, and wait only before the host writes again.
	p := e.pipeline("increment")
	defer p.Free()
	const words = 20000
	for round := range batches {
		for i := range words {
			binary.LittleEndian.PutUint32(host.Bytes()[4*i:], uint32(i)+round)
		}
		e.submit(afterTime(copyOf(there, 0, host, 0, 4*words)))
		e.submit(afterTime(launch(p, "increment", words, Span{Mem: there, Len: words})))
		e.runBatch(afterTime(copyOf(back, 0, there, 0, 4*words)))
		for i, v := range decode(back.Bytes()[:4*words]) {
			if v != uint32(i)+round+1 {
				e.Fatalf("round %d: word %d is %d, want %d", round, i, v, uint32(i)+round+1)
			}
		}
	}
	// Launch a kernel that uses the host memory directly, and then fill the host memory.
	for round := range batches {
		for i := range words {
			binary.LittleEndian.PutUint32(host.Bytes()[4*i:], 7*uint32(i)+round)
		}
		e.runBatch(afterTime(launch(p, "increment", words, Span{Mem: host, Len: words})))
		for i, v := range decode(host.Bytes()[:4*words]) {
			if v != 7*uint32(i)+round+1 {
				e.Fatalf("round %d: word %d is %d, want %d, after a launch on the host's memory", round, i, v, 7*uint32(i)+round+1)
			}
		}
		e.runBatch(afterTime(fill(host, 0, size, round)))
		for i, v := range decode(host.Bytes()) {
			if v != round {
				e.Fatalf("word %d is %d after a fill of the host's memory with %d", i, v, round)
			}
		}
	}
	for _, m := range []hal.Memory{host, there, back} {
		m.Free()
	}
}
