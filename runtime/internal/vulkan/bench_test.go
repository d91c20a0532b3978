//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/kgen-go/kgen/internal/env"
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

var errTest = errors.New("for the test")

// BenchmarkEncode is the part of Submit that is Go's: turning commands into
// words, without a call to the driver.
func BenchmarkEncode(b *testing.B) {
	const n = 256
	batch, d := launches(b, n, true)
	e := &d.queue.enc
	b.ReportAllocs()
	for b.Loop() {
		e.beginBatch(&ticket{q: &d.queue}, false)
		for i := range batch {
			if err := e.launch(&batch[i]); err != nil {
				b.Fatal(err)
			}
		}
		e.discardPart(errTest)
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

// BenchmarkPipelined submits batches of launches without waiting for each.
func BenchmarkPipelined(b *testing.B) {
	for _, n := range []int{1, 16, 256} {
		for _, barrier := range []bool{true, false} {
			b.Run(fmt.Sprintf("launches=%d/barrier=%v", n, barrier), func(b *testing.B) {
				batch, d := launches(b, n, barrier)
				var last hal.Ticket
				for b.Loop() {
					var err error
					if last, err = d.Submit(batch); err != nil {
						b.Fatal(err)
					}
				}
				if err := last.Wait(context.Background()); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/launch")
			})
		}
	}
}

// BenchmarkDevice measures work of the device alone: copies and fills of 256 MiB,
// and launches whose work-items all fault.
func BenchmarkDevice(b *testing.B) {
	const size = 256 << 20
	for _, name := range []string{"copy", "fill", "faults"} {
		b.Run(name, func(b *testing.B) {
			d := open(b)
			x, err := d.Alloc(size, hal.DeviceMemory)
			if err != nil {
				b.Fatal(err)
			}
			y, err := d.Alloc(size, hal.DeviceMemory)
			if err != nil {
				b.Fatal(err)
			}
			var f hal.Fault
			c := hal.Command{Op: hal.OpFill, Dst: y, Size: size, Pattern: 1}
			switch name {
			case "copy":
				c = hal.Command{Op: hal.OpCopy, Dst: y, Src: x, Size: size}
				b.SetBytes(2 * size)
			case "fill":
				b.SetBytes(size)
			case "faults":
				desc := backendtest.Desc("fault")
				p, err := d.NewPipeline(&desc)
				if err != nil {
					b.Fatal(err)
				}
				c = backendtest.Launch(p, desc.Kernel, 1<<20, backendtest.Span{Mem: x, Len: 1 << 20}, uint32(0))
				c.Fault = &f
			}
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

// BenchmarkAlloc allocates and frees.
func BenchmarkAlloc(b *testing.B) {
	for _, size := range []uint64{4 << 10, 1 << 20, 256 << 20} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			d := open(b)
			b.ReportAllocs()
			for b.Loop() {
				m, err := d.Alloc(size, hal.DeviceMemory)
				if err != nil {
					b.Fatal(err)
				}
				m.Free()
			}
		})
	}
}

// BenchmarkPipeline makes pipelines that the driver has and has not seen.
func BenchmarkPipeline(b *testing.B) {
	for _, fresh := range []bool{true, false} {
		b.Run(fmt.Sprintf("fresh=%v", fresh), func(b *testing.B) {
			d := open(b)
			desc := backendtest.Desc("scale")
			n := uint64(0)
			for b.Loop() {
				for k := range desc.Specs {
					if desc.Specs[k].ID == 7 && fresh {
						n++
						desc.Specs[k].Bits = n
					}
				}
				p, err := d.NewPipeline(&desc)
				if err != nil {
					b.Fatal(err)
				}
				p.Free()
			}
		})
	}
}

// BenchmarkExported compares memory that is exported with other memory, also on a device with a CUDA
// context: how long an allocation takes, and how fast copies and kernels use it.
//
//	go test -run - -bench Exported -count 5 ./runtime/internal/vulkan
func BenchmarkExported(b *testing.B) {
	size := uint64(1 << 30)
	if devices(b)[0].Type == hal.VulkanCPU {
		size = 256 << 20
	}
	for _, state := range []string{"own", "exported", "context"} {
		if state == "own" {
			b.Setenv(env.NVLink, "off")
		} else {
			b.Setenv(env.NVLink, "")
		}
		ExportAlways(true)
		d := open(b)
		ExportAlways(false)
		if state != "own" && !d.peer.exports {
			b.Skip("the device does not export memory")
		}
		if state == "context" {
			if _, err := d.peer.tried(d, d); err != nil {
				b.Skip(err)
			}
		}
		pool := d.mem.pools[d.mem.types.device]
		for _, n := range []uint64{1 << 20, 64 << 20, size} {
			b.Run(fmt.Sprintf("allocate/%dMiB/%s", n>>20, state), func(b *testing.B) {
				for b.Loop() {
					blk, err := d.mem.newBlock(pool, n)
					if err != nil {
						b.Fatal(err)
					}
					d.mem.destroy([]*block{blk})
				}
			})
		}
		x, err := d.Alloc(size, hal.DeviceMemory)
		y, err2 := d.Alloc(size, hal.DeviceMemory)
		if err := errors.Join(err, err2); err != nil {
			b.Fatal(err)
		}
		launch := backendtest.Launch(increment(b, d), backendtest.Desc("increment").Kernel, int(size/4), backendtest.Span{Mem: x, Len: int(size / 4)})
		for _, c := range []struct {
			name    string
			command hal.Command
		}{
			{"copy", hal.Command{Op: hal.OpCopy, Dst: y, Src: x, Size: size}},
			{"increment", launch},
		} {
			b.Run(fmt.Sprintf("%s/%dMiB/%s", c.name, size>>20, state), func(b *testing.B) {
				b.SetBytes(int64(2 * size))
				for b.Loop() {
					if err := d.complete(c.command); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		x.Free()
		y.Free()
		d.Close()
	}
}
