//go:build linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vulkan

import (
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// threadTime returns the processor time that the calling thread has taken.
func threadTime() time.Duration {
	const clockThreadCPUTime = 3
	var t syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockThreadCPUTime, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}

// BenchmarkBinding submits launches without work-groups, so that the device does nothing, and asks for the
// value of the timeline after each. Run it by turns with cgo and with CGO_ENABLED=0: the calls of Vulkan are
// all that differs. The metric cpu-ns/launch is the processor time of the thread that submits. Neither other
// programs nor the driver's threads count in it, but the time for which the clock of a loaded machine's processor is slower does.
func BenchmarkBinding(b *testing.B) {
	const window = 64 // submissions between two waits
	d := open(b)
	line, r := d.vk.CreateTimeline()
	if err := check("vkCreateSemaphore", r); err != nil {
		b.Fatal(err)
	}
	defer d.vk.DestroySemaphore(line)
	p := increment(b, d)
	var commands vkx.Commands
	commands.BindPipeline(p.(*pipeline).handle)
	commands.PushConstants(p.(*pipeline).layout, 16)
	commands.Dispatch([3]uint32{0, 1, 1})
	commands.Barrier(vkx.PipelineStageComputeShaderBit, vkx.AccessShaderWriteBit, vkx.PipelineStageHostBit, vkx.AccessHostReadBit)
	var submissions [window]vkx.Submission
	for i := range submissions {
		pool, r := d.vk.CreateCommandPool(d.queue.lines[0].family, true)
		if err := check("vkCreateCommandPool", r); err != nil {
			b.Fatal(err)
		}
		defer d.vk.DestroyCommandPool(pool)
		cb, r := d.vk.AllocateCommandBuffer(pool, false)
		if err := check("vkAllocateCommandBuffers", r); err != nil {
			b.Fatal(err)
		}
		submissions[i] = vkx.Submission{Queue: d.queue.lines[0].queue, Buffer: cb, Timeline: line}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var used time.Duration
	value, start := uint64(0), threadTime()
	b.ReportAllocs()
	for b.Loop() {
		value++
		s := &submissions[value%window]
		s.Value = value
		if r := d.vk.Submit(s, commands); r < 0 {
			b.Fatal(r)
		}
		if _, r := d.vk.Reached(line); r < 0 {
			b.Fatal(r)
		}
		if value%window == 0 {
			used += threadTime() - start
			if r := d.vk.WaitReached(line, value, 1e10); r != vkx.Success {
				b.Fatal(r)
			}
			start = threadTime()
		}
	}
	used += threadTime() - start
	if r := d.vk.WaitReached(line, value, 1e10); r != vkx.Success {
		b.Fatal(r)
	}
	b.ReportMetric(float64(used.Nanoseconds())/float64(b.N), "cpu-ns/launch")
}
