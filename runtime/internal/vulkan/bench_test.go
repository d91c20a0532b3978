//go:build cgo && linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vulkan

import (
	"context"
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/runtime/internal/backendtest"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// BenchmarkSubmit submits batches of launches and waits for each batch.
func BenchmarkSubmit(b *testing.B) {
	for _, c := range []struct {
		n       int
		barrier bool
	}{{1, true}, {16, true}, {256, true}, {256, false}} {
		b.Run(fmt.Sprintf("launches=%d/barrier=%v", c.n, c.barrier), func(b *testing.B) {
			batch, d := launches(b, c.n, c.barrier)
			b.ReportAllocs()
			for b.Loop() {
				tk, err := d.Submit(batch)
				if err == nil {
					err = tk.Wait(context.Background())
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*c.n), "ns/launch")
		})
	}
}

// BenchmarkEncode is the part of Submit that is Go's: turning commands into
// words, without a call to the driver.
func BenchmarkEncode(b *testing.B) {
	const n = 256
	batch, d := launches(b, n, true)
	e := &d.queue.enc
	b.ReportAllocs()
	for b.Loop() {
		e.begin(&ticket{q: &d.queue})
		if _, err := e.run(&job{t: e.t, cmds: batch}, false); err != nil {
			b.Fatal(err)
		}
		e.abandon()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/launch")
}

// BenchmarkTransfer writes and reads.
func BenchmarkTransfer(b *testing.B) {
	for _, size := range []int{64 << 10, 1 << 20, 64 << 20} {
		for _, op := range []hal.Op{hal.OpWrite, hal.OpRead} {
			b.Run(fmt.Sprintf("%s/%dKiB", map[hal.Op]string{hal.OpWrite: "write", hal.OpRead: "read"}[op], size>>10), func(b *testing.B) {
				d := open(b)
				m, err := d.Alloc(uint64(size), hal.DeviceMemory)
				if err != nil {
					b.Fatal(err)
				}
				c := hal.Command{Op: op, Dst: m, Src: m, Size: uint64(size), Host: make([]byte, size)}
				b.SetBytes(int64(size))
				for b.Loop() {
					tk, err := d.Submit([]hal.Command{c})
					if err == nil {
						err = tk.Wait(context.Background())
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// launches returns a batch of n launches of one work-item each.
func launches(b *testing.B, n int, barrier bool) ([]hal.Command, *device) {
	d := open(b)
	m, err := d.Alloc(256, hal.DeviceMemory)
	if err != nil {
		b.Fatal(err)
	}
	p := increment(b, d)
	batch := make([]hal.Command, n)
	faults := make([]hal.Fault, n)
	for i := range batch {
		batch[i] = backendtest.Launch(p, backendtest.Desc("increment").Kernel, 1, backendtest.Span{Mem: m, Len: 1})
		batch[i].Barrier, batch[i].Fault = barrier, &faults[i]
	}
	return batch, d
}
