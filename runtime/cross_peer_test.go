//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package runtime_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/cuda"
	"github.com/kgen-go/kgen/runtime/internal/fakecuda"
	"github.com/kgen-go/kgen/runtime/internal/ferry"
	"github.com/kgen-go/kgen/runtime/internal/vulkan"
)

func init() { exportMemory = vulkan.ExportAlways }

// wayLog collects what devices log about the way of copies.
type wayLog struct {
	slog.Handler
	mu   sync.Mutex
	text bytes.Buffer
}

func newWayLog() *wayLog {
	r := &wayLog{}
	r.Handler = slog.NewTextHandler(&r.text, &slog.HandlerOptions{Level: slog.LevelDebug})
	return r
}

func (r *wayLog) Handle(ctx context.Context, rec slog.Record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !strings.HasPrefix(rec.Message, "kgen: copies go by") {
		return nil
	}
	return r.Handler.Handle(ctx, rec)
}

// want reports an error unless the log has n lines and its last line has the text.
func (r *wayLog) want(t *testing.T, n int, text string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := strings.SplitAfter(r.text.String(), "\n")
	if len(lines) != n+1 || n > 0 && !strings.Contains(lines[n-1], text) {
		t.Errorf("the records are %q, and not %d, the last with %q", lines, n, text)
	}
}

const byCUDA = "kgen: copies go by CUDA's driver"

// vulkanDevice returns the first Vulkan device.
func vulkanDevice(t *testing.T) runtime.DeviceInfo {
	t.Helper()
	for _, info := range runtime.Devices() {
		if info.Backend == "vulkan" {
			return info
		}
	}
	need.Missing(t, need.Vulkan, "no Vulkan device")
	panic("not reached")
}

// fakeCUDA makes CUDA's driver a library of the test whose only device is lavapipe, and moves all
// bytes as between GPUs, which the host does not access.
func fakeCUDA(t *testing.T) *fakecuda.Library {
	t.Helper()
	info := vulkanDevice(t)
	copyAllByPeers(t)
	if info.Type != runtime.VulkanCPU {
		t.Skipf("%s does not export memory of the host, which the library that stands in for CUDA's driver needs", info.Name)
	}
	lib := fakecuda.Use(t, bits(t, info.UUID))
	exportAll(t)
	return lib
}

// copyAllByPeers lets copies of a few bytes go by CUDA's driver, too.
func copyAllByPeers(t testing.TB) {
	before := ferry.FromPeers(0)
	t.Cleanup(func() { ferry.FromPeers(before) })
}

// exportAll makes devices export their memory, and moves all bytes as between GPUs.
func exportAll(t testing.TB) {
	exportMemory(true)
	ferry.Stage(true)
	t.Cleanup(func() { exportMemory(false); ferry.Stage(false) })
}

// bits returns the 16 bytes of a UUID's text.
func bits(t testing.TB, uuid string) (out [16]byte) {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(uuid, "-", ""))
	if err != nil || len(b) != len(out) {
		t.Fatal(uuid, err)
	}
	return [16]byte(b)
}

// byPeers runs a test on two devices: two GPUs of NVIDIA, or one of them opened twice, by CUDA's
// driver, or lavapipe by a library that stands in for it.
func byPeers(t *testing.T, test func(t *testing.T, a, b *runtime.Device, gpu bool)) {
	info := vulkanDevice(t)
	gpu := info.Type != runtime.VulkanCPU
	second := 0
	if gpu {
		copyAllByPeers(t)
		if err := cuda.Has(bits(t, info.UUID)); err != nil {
			t.Skip(err)
		}
		if infos := runtime.Devices(); infos[1].Type == info.Type && cuda.Reaches(bits(t, infos[1].UUID), bits(t, info.UUID)) == nil {
			second = 1
		} else {
			exportAll(t)
		}
	} else {
		lib := fakeCUDA(t)
		t.Cleanup(func() { lib.Freed(t) })
	}
	log := newWayLog()
	a := devtest.Vulkan(t, runtime.Logger(slog.New(log)))
	b := a
	if second > 0 {
		b = devtest.Index(t, second, runtime.Logger(slog.New(log)))
	} else {
		b = devtest.Vulkan(t, runtime.Logger(slog.New(log)))
	}
	test(t, a, b, gpu)
	lines := log.text.String()
	if n := strings.Count(lines, byCUDA); n == 0 || n != strings.Count(lines, "\n") {
		t.Errorf("the records are %s", lines)
	}
}

// TestCopyByPeer copies bytes of odd numbers and offsets, in both directions, between kernels that
// write and read them.
func TestCopyByPeer(t *testing.T) {
	byPeers(t, func(t *testing.T, a, b *runtime.Device, gpu bool) {
		largest := 34 << 20
		if gpu {
			largest = 600 << 20 // more than one piece
		}
		for _, n := range []int{4, 5, 4096, 64<<10 + 3, 5 << 20, largest} {
			if testing.Short() && n > 5<<20 {
				continue
			}
			src, dst := make([]byte, n), make([]byte, n)
			for i := range src {
				src[i], dst[i] = byte(i*13+i>>8+i>>16), byte(i)
			}
			x, y, z := must(runtime.BufferOf(a, src)), must(runtime.BufferOf(b, dst)), must(runtime.NewBuffer[byte](a, n))
			off, at, size := n/7, n/9, n-n/5
			must(a.DefaultQueue().Enqueue(runtime.Copy(y.Slice(at, at+size), x.Slice(off, off+size))))
			must(b.DefaultQueue().Enqueue(runtime.Copy(z.All(), y.All())))
			got := make([]byte, n)
			if err := z.CopyTo(ctx, a.DefaultQueue(), got); err != nil {
				t.Fatal(err)
			}
			copy(dst[at:at+size], src[off:])
			if !bytes.Equal(got, dst) {
				t.Errorf("%d bytes: the copy of the copy differs", n)
			}
			for _, buffer := range []*runtime.Buffer[byte]{x, y, z} {
				buffer.Close()
			}
		}
	})
}

// TestCopyByPeerBetweenLaunches has goroutines copy in both directions at once, between launches on
// both devices.
func TestCopyByPeerBetweenLaunches(t *testing.T) {
	byPeers(t, func(t *testing.T, a, b *runtime.Device, gpu bool) {
		const n, rounds = 1 << 16, 20
		var all sync.WaitGroup
		for g := range 6 {
			a, b := a, b
			if g%2 == 1 {
				a, b = b, a
			}
			x, y := must(runtime.NewBuffer[uint32](a, n+g)), must(runtime.NewBuffer[uint32](b, n+g))
			all.Go(func() {
				qa, qb := a.NewQueue(), b.NewQueue()
				for range rounds {
					must(incrementing(qa, x))
					must(qb.Enqueue(runtime.Copy(y.All(), x.All())))
					must(incrementing(qb, y))
					must(qa.Enqueue(runtime.Copy(x.All(), y.All())))
				}
				expect(t, x, 2*rounds)
			})
		}
		all.Wait()
	})
}

// TestCopyByPeerLife closes buffers that were copied, and makes others in their place, and closes a
// device right after a copy was enqueued.
func TestCopyByPeerLife(t *testing.T) {
	byPeers(t, func(t *testing.T, a, b *runtime.Device, gpu bool) {
		rounds := uint32(6)
		if testing.Short() {
			rounds = 2
		}
		for i := range rounds {
			n := 9<<20 + int(i)*1000
			x, y := must(runtime.NewBuffer[uint32](a, n)), must(runtime.NewBuffer[uint32](b, n))
			must(a.DefaultQueue().Enqueue(runtime.Fill(x.All(), i)))
			must(a.DefaultQueue().Enqueue(runtime.Copy(y.All(), x.All())))
			if i%3 == 1 {
				expect(t, y, i)
			}
			x.Close()
			y.Close()
		}
		x, y := must(runtime.NewBuffer[uint32](a, 100)), must(runtime.NewBuffer[uint32](b, 100))
		must(a.DefaultQueue().Enqueue(runtime.Fill(x.All(), 7)))
		must(b.DefaultQueue().Enqueue(runtime.Copy(y.All(), x.All())))
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		expect(t, y, 7)
	})
}

// copied copies between two devices, and reports whether the bytes are right.
func copied(t *testing.T, a, b *runtime.Device, value uint32) {
	t.Helper()
	x, y := must(runtime.NewBuffer[uint32](a, 3000)), must(runtime.NewBuffer[uint32](b, 3000))
	must(a.DefaultQueue().Enqueue(runtime.Fill(x.All(), value)))
	must(b.DefaultQueue().Enqueue(runtime.Copy(y.All(), x.All())))
	expect(t, y, value)
}

// TestCopyByPeerSmall: copies of fewer bytes than ferry.PeerSize go by the host's memory.
func TestCopyByPeerSmall(t *testing.T) {
	lib := fakeCUDA(t)
	ferry.FromPeers(ferry.PeerSize) // fakeCUDA sets another number until the test ends
	a, b := devtest.Vulkan(t), devtest.Vulkan(t)
	const n = ferry.PeerSize
	x, y := must(runtime.NewBuffer[byte](a, n)), must(runtime.NewBuffer[byte](b, n))
	for _, c := range []struct{ size, calls int }{{n - 1, 0}, {n, 2}} { // the trial and the copy
		must(a.DefaultQueue().Enqueue(runtime.Fill(x.All(), byte(c.calls+1))))
		must(b.DefaultQueue().Enqueue(runtime.Copy(y.Slice(0, c.size), x.Slice(0, c.size))))
		got := make([]byte, n)
		if err := y.CopyTo(ctx, b.DefaultQueue(), got); err != nil {
			t.Fatal(err)
		}
		if calls := lib.Calls(t)["cuMemcpyAsync"]; calls != c.calls || got[0] != byte(c.calls+1) || got[c.size-1] != got[0] {
			t.Errorf("%d bytes: %d copies by CUDA, and the first bytes are %d and %d", c.size, calls, got[0], got[c.size-1])
		}
	}
}

// TestCopyByPeerRefused: where CUDA's driver cannot copy, the bytes go by the host's memory, and the
// log says why, once.
func TestCopyByPeerRefused(t *testing.T) {
	for _, c := range []struct{ name, variable, value, why string }{
		{"context", fakecuda.Fail, "cuDevicePrimaryCtxRetain:1", "cuDevicePrimaryCtxRetain: CUDA_ERROR_LAUNCH_FAILED"},
		{"current", fakecuda.Fail, "cuCtxPushCurrent_v2:1", "cuCtxPushCurrent: CUDA_ERROR_LAUNCH_FAILED"},
		{"import", fakecuda.Fail, "cuImportExternalMemory:1", "cuImportExternalMemory: CUDA_ERROR_LAUNCH_FAILED"},
		{"second import", fakecuda.Fail, "cuImportExternalMemory:2", "cuImportExternalMemory: CUDA_ERROR_LAUNCH_FAILED"},
		{"address", fakecuda.Fail, "cuExternalMemoryGetMappedBuffer:1", "cuExternalMemoryGetMappedBuffer: CUDA_ERROR_LAUNCH_FAILED"},
		{"stream", fakecuda.Fail, "cuStreamCreate:1", "cuStreamCreate: CUDA_ERROR_LAUNCH_FAILED"},
		{"first copy", fakecuda.Fail, "cuMemcpyAsync:1", "cuMemcpyAsync: CUDA_ERROR_LAUNCH_FAILED"},
		{"end of the first copy", fakecuda.Fail, "cuStreamQuery:1", "cuStreamQuery: CUDA_ERROR_LAUNCH_FAILED"},
		{"wrong words", fakecuda.Wrong, "1", "copied other words"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lib := fakeCUDA(t)
			t.Cleanup(func() { lib.Freed(t) })
			log := newWayLog()
			a, b := devtest.Vulkan(t), devtest.Vulkan(t, runtime.Logger(slog.New(log)))
			t.Setenv(c.variable, c.value)
			for i := range uint32(3) {
				copied(t, a, b, i)
			}
			log.want(t, 1, c.why)
		})
	}
}

// TestCopyByPeerAbsent: without CUDA's driver, or without the device there, the bytes go by the
// host's memory, and the log says why, once.
func TestCopyByPeerAbsent(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(t *testing.T)
		why  string // "" if nothing is logged
	}{
		{"no library", func(t *testing.T) { cuda.UseLibrary("libcuda-none.so") }, "libcuda-none.so: cannot open"},
		{"no functions", func(t *testing.T) { cuda.UseLibrary("libc.so.6") }, "libc.so.6 has no cuInit"},
		{"no devices", func(t *testing.T) { t.Setenv("FAKE_CUDA_UUIDS", "") }, "has no device with the UUID"},
		{"another device", func(t *testing.T) { t.Setenv("FAKE_CUDA_UUIDS", strings.Repeat("ab", 16)) }, "has no device with the UUID"},
		{"a driver that does not start", func(t *testing.T) { t.Setenv(fakecuda.Fail, "cuInit:1") }, "cuInit: CUDA_ERROR_LAUNCH_FAILED"},
		{"a driver that does not count", func(t *testing.T) { t.Setenv(fakecuda.Fail, "cuDeviceGetCount:1") }, "cuDeviceGetCount: CUDA_ERROR_LAUNCH_FAILED"},
		{"a driver that does not name", func(t *testing.T) { t.Setenv(fakecuda.Fail, "cuDeviceGetUuid_v2:1") }, "cuDeviceGetUuid_v2: CUDA_ERROR_LAUNCH_FAILED"},
		{"KGEN_NVLINK=off", func(t *testing.T) { t.Setenv("KGEN_NVLINK", "off") }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			lib := fakeCUDA(t)
			log := newWayLog()
			cuda.UseLibrary(cuda.UseLibrary("")) // forgets the devices
			c.set(t)
			a, b := devtest.Vulkan(t), devtest.Vulkan(t, runtime.Logger(slog.New(log)))
			copied(t, a, b, 5)
			copied(t, a, b, 6)
			log.want(t, min(1, len(c.why)), c.why)
			if calls := lib.Calls(t); len(calls) != 0 {
				t.Errorf("the calls are %v", calls)
			}
		})
	}
}

// TestCopyByPeerFails: a copy whose end CUDA's driver does not report may have written some bytes.
// It fails, its elements are unusable, and later copies go by the host's memory.
func TestCopyByPeerFails(t *testing.T) {
	lib := fakeCUDA(t)
	t.Cleanup(func() { lib.Freed(t) })
	log := newWayLog()
	a, b := devtest.Vulkan(t), devtest.Vulkan(t, runtime.Logger(slog.New(log)))
	copied(t, a, b, 1)
	log.want(t, 1, byCUDA)
	x, y, other := must(runtime.NewBuffer[uint32](a, 1000)), must(runtime.NewBuffer[uint32](b, 1000)), must(runtime.NewBuffer[uint32](b, 10))
	if err := errors.Join(a.DefaultQueue().Wait(ctx), b.DefaultQueue().Wait(ctx)); err != nil {
		t.Fatal(err)
	}
	t.Setenv(fakecuda.Fail, "cuStreamQuery:1")
	wantError(t, must(a.DefaultQueue().Enqueue(runtime.Copy(y.All(), x.All()))).Wait(ctx), runtime.ErrDriver, "cuStreamQuery: CUDA_ERROR_LAUNCH_FAILED")
	wantError(t, must(incrementing(b.NewQueue(), y)).Wait(ctx), runtime.ErrDriver, "which did not run whole")
	expect(t, x, 0)
	expect(t, other, 0)
	log.want(t, 1, byCUDA)
	must(b.DefaultQueue().Enqueue(runtime.Copy(y.All(), x.All())))
	expect(t, y, 0)
	copied(t, a, b, 2)
	log.want(t, 2, "kgen: copies go by the host's memory")
}

// TestCopyByPeerStarts: a copy that CUDA's driver does not start goes by the host's memory, and so
// do later ones.
func TestCopyByPeerStarts(t *testing.T) {
	lib := fakeCUDA(t)
	t.Cleanup(func() { lib.Freed(t) })
	log := newWayLog()
	a, b := devtest.Vulkan(t), devtest.Vulkan(t, runtime.Logger(slog.New(log)))
	copied(t, a, b, 1)
	t.Setenv(fakecuda.Fail, "cuMemcpyAsync:1")
	copied(t, a, b, 2)
	log.want(t, 2, "why=\"cuda: cuMemcpyAsync: CUDA_ERROR_LAUNCH_FAILED\"")
	copied(t, a, b, 3)
	log.want(t, 2, "")
	if n := lib.Calls(t)["cuMemcpyAsync"]; n != 2 {
		t.Errorf("%d copies by CUDA, and not that of the trial and one", n)
	}
}

// TestCopyByPeerAbandoned closes a device during a copy that does not end. The other device goes on.
func TestCopyByPeerAbandoned(t *testing.T) {
	lib := fakeCUDA(t)
	defer vulkan.PeerPatience(vulkan.PeerPatience(1))
	a := must(runtime.Open(runtime.Select("vulkan"), runtime.CloseTimeout(1)))
	b := devtest.Vulkan(t)
	copied(t, a, b, 1)
	x, y, other := must(runtime.NewBuffer[uint32](a, 1000)), must(runtime.NewBuffer[uint32](b, 1000)), must(runtime.NewBuffer[uint32](b, 10))
	before := lib.Calls(t)["cuMemcpyAsync"]
	t.Setenv(fakecuda.Hang, "1")
	ev := must(b.DefaultQueue().Enqueue(runtime.Copy(y.All(), x.All())))
	for lib.Calls(t)["cuMemcpyAsync"] == before {
		time.Sleep(time.Millisecond) // the copy has not begun
	}
	must(b.DefaultQueue().Enqueue(runtime.Fill(other.All(), 1)))
	wantError(t, a.Close(), runtime.ErrDeviceLost, "")
	wantError(t, ev.Wait(ctx), runtime.ErrDriver, "")
	must(b.DefaultQueue().Enqueue(runtime.Fill(y.All(), 3)))
	expect(t, y, 3)
	expect(t, other, 1)
}
