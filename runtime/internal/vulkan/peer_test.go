//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/kgen-go/kgen/runtime/internal/fakecuda"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// fakePeers opens the first device twice, beside a library that stands in for CUDA's driver.
func fakePeers(t *testing.T) (lib *fakecuda.Library, a, b *device) {
	t.Helper()
	lib = fakecuda.Use(t, softwareUUID(t))
	ExportAlways(true)
	defer ExportAlways(false)
	t.Cleanup(func() { lib.Freed(t) })
	return lib, open(t), open(t)
}

// softwareUUID returns the UUID of the first device, and skips the test unless that is lavapipe.
func softwareUUID(t *testing.T) [16]byte {
	t.Helper()
	info := devices(t)[0]
	if info.Type != hal.VulkanCPU {
		t.Skipf("%s does not export memory of the host, which the library that stands in for CUDA's driver needs", info.Name)
	}
	return info.UUID
}

// filled returns memory of the device with the bytes.
func filled(t *testing.T, d *device, data []byte) hal.Memory {
	t.Helper()
	m, err := d.Alloc(uint64(len(data)), hal.DeviceMemory)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Free)
	if err := d.complete(hal.Command{Op: hal.OpWrite, Dst: m, Size: m.Size(), Host: data}); err != nil {
		t.Fatal(err)
	}
	return m
}

// contents returns the bytes of memory.
func contents(t *testing.T, d *device, m hal.Memory) []byte {
	t.Helper()
	out := make([]byte, m.Size())
	if err := d.complete(hal.Command{Op: hal.OpRead, Src: m, Size: m.Size(), Host: out}); err != nil {
		t.Fatal(err)
	}
	return out
}

func random(n int, seed uint64) []byte {
	r, out := rand.NewPCG(seed, 0), make([]byte, n)
	for i := range out {
		out[i] = byte(r.Uint64())
	}
	return out
}

// TestPeer copies by a CUDA context: whole blocks, and parts of shared ones at odd offsets.
func TestPeer(t *testing.T) {
	lib, a, b := fakePeers(t)
	small, target := filled(t, a, random(4, 1)), filled(t, b, random(4, 2))
	var x, y hal.Memory
	for i, n := range []int{4, 5, 1000, 64 << 10, 3<<20 + 1, dedicatedSize + 9} {
		src, dst := random(n, uint64(i)), random(n, uint64(i)+100)
		x, y = filled(t, a, src), filled(t, b, dst)
		off, at, size := n/7, n/9, n-n/5
		c := b.CopyFrom(context.Background(), nil, y, uint64(at), a, x, uint64(off), uint64(size))
		if c.Refused != nil || c.Failed != nil || c.Cancelled || c.First != (i == 0) {
			t.Fatalf("%d bytes: %+v", n, c)
		}
		copy(dst[at:at+size], src[off:])
		if !bytes.Equal(contents(t, b, y), dst) || !bytes.Equal(contents(t, a, x), src) {
			t.Errorf("%d bytes: the memory differs", n)
		}
	}
	calls := lib.Calls(t)
	if calls["cuMemcpyAsync"] != 7 || calls["cuDevicePrimaryCtxRetain"] != 1 || calls["cuImportExternalMemory"] != 4 {
		t.Errorf("the calls are %v", calls)
	}
	for _, m := range []hal.Memory{x, y} { // they have their own blocks
		m.Free()
		a.mem.destroy(a.mem.unused())
		b.mem.destroy(b.mem.unused())
	}
	if n := lib.Calls(t)["cuDestroyExternalMemory"]; n != 2 {
		t.Errorf("%d imports ended with their blocks, and not 2", n)
	}
	for _, lost := range []*device{a, b} {
		lost.lost.Store(&errTest)
		if c := b.CopyFrom(t.Context(), nil, target, 0, a, small, 0, 4); !errors.Is(c.Refused, errTest) || c.First {
			t.Errorf("a copy of a lost device: %+v", c)
		}
		lost.lost.Store(nil)
	}
	if err := errors.Join(b.Close(), a.Close()); err != nil {
		t.Error(err)
	}
}

// TestPeerCancelled asks a copy to end while a piece is on its way: no other piece follows.
func TestPeerCancelled(t *testing.T) {
	lib, a, b := fakePeers(t)
	defer func(before uint64) { peerPiece = before }(peerPiece)
	peerPiece = 1000
	src, dst := random(3500, 1), random(3500, 2)
	x, y := filled(t, a, src), filled(t, b, dst)
	copyAll := func(ctx context.Context, cancel *hal.Cancel) hal.PeerCopy {
		return b.CopyFrom(ctx, cancel, y, 0, a, x, 0, 3500)
	}
	if c := copyAll(t.Context(), nil); c != (hal.PeerCopy{First: true}) || !bytes.Equal(contents(t, b, y), src) {
		t.Fatalf("a copy of four pieces: %+v", c)
	}
	y = filled(t, b, dst)
	for i, end := range []func(context.CancelFunc, *hal.Cancel){
		func(_ context.CancelFunc, c *hal.Cancel) { c.Ask() },
		func(cancel context.CancelFunc, _ *hal.Cancel) { cancel() },
	} {
		before := lib.Calls(t)["cuMemcpyAsync"]
		t.Setenv(fakecuda.Hang, "1")
		ctx, cancel := context.WithCancel(t.Context())
		asked := new(hal.Cancel)
		out := make(chan hal.PeerCopy)
		go func() { out <- copyAll(ctx, asked) }()
		for lib.Calls(t)["cuMemcpyAsync"] == before {
			time.Sleep(time.Millisecond)
		}
		end(cancel, asked)
		t.Setenv(fakecuda.Hang, "")
		if c := <-out; c != (hal.PeerCopy{Cancelled: true}) {
			t.Errorf("way %d: %+v", i, c)
		}
		cancel()
		if n := lib.Calls(t)["cuMemcpyAsync"] - before; n != 1 {
			t.Errorf("way %d: %d pieces were copied", i, n)
		}
	}
	copy(dst[:1000], src)
	if !bytes.Equal(contents(t, b, y), dst) {
		t.Error("other bytes than those of a piece were written")
	}
	if c := copyAll(t.Context(), nil); c != (hal.PeerCopy{}) || !bytes.Equal(contents(t, b, y), src) {
		t.Errorf("afterwards: %+v", c)
	}
	if err := errors.Join(b.Close(), a.Close()); err != nil {
		t.Error(err)
	}
}

// TestPeerInjected fails the Vulkan calls of a first copy in turn. The copy is refused, or right.
func TestPeerInjected(t *testing.T) {
	softwareUUID(t)
	defer vkx.Inject(0, 0)
	data := random(1000, 3)
	for _, result := range []vkx.Result{vkx.ErrorOutOfHostMemory, vkx.ErrorInitializationFailed, vkx.ErrorDeviceLost} {
		for n := int32(1); ; n++ {
			pending := true // also if the test is skipped, without cgo
			t.Run(fmt.Sprintf("%s/%d", vkx.ResultName(result), n), func(t *testing.T) {
				_, a, b := fakePeers(t)
				x, y := filled(t, a, data), filled(t, b, make([]byte, len(data)))
				vkx.Inject(n, result)
				c := b.CopyFrom(t.Context(), nil, y, 0, a, x, 0, 1000)
				pending = vkx.Pending()
				vkx.Inject(0, 0)
				if c.Failed != nil || c.Cancelled || !c.First {
					t.Errorf("%+v", c)
				}
				if c.Refused == nil && !bytes.Equal(contents(t, b, y), data) {
					t.Error("the memory differs")
				}
				if c = b.CopyFrom(t.Context(), nil, y, 0, a, x, 0, 1000); c.Failed != nil || c.Refused == nil && !bytes.Equal(contents(t, b, y), data) {
					t.Errorf("afterwards: %+v", c)
				}
				if lost := a.lostErr() != nil || b.lostErr() != nil; lost && c.Refused == nil {
					t.Error("a copy of a lost device")
				}
				if err := errors.Join(b.Close(), a.Close()); err != nil {
					t.Error(err)
				}
			})
			if pending || t.Failed() {
				break
			}
		}
	}
}
