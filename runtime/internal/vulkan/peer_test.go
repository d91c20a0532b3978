//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/kgen-go/kgen/runtime/internal/fakecuda"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// fakePeers opens the first device twice, beside a library that stands in for CUDA's driver.
func fakePeers(t *testing.T) (lib *fakecuda.Library, a, b *device) {
	t.Helper()
	info := devices(t)[0]
	if info.Type != hal.VulkanCPU {
		t.Skipf("%s does not export memory of the host, which the library that stands in for CUDA's driver needs", info.Name)
	}
	lib = fakecuda.Use(t, info.UUID)
	ExportAlways(true)
	defer ExportAlways(false)
	t.Cleanup(func() { lib.Freed(t) })
	return lib, open(t), open(t)
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
	for i, n := range []int{4, 5, 1000, 64 << 10, 3<<20 + 1, dedicatedSize + 9} {
		src, dst := random(n, uint64(i)), random(n, uint64(i)+100)
		x, y := filled(t, a, src), filled(t, b, dst)
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
	if calls := lib.Calls(t); calls["cuMemcpyAsync"] != 7 || calls["cuDevicePrimaryCtxRetain"] != 1 || calls["cuImportExternalMemory"] != 4 {
		t.Errorf("the calls are %v", calls)
	}
	if err := errors.Join(b.Close(), a.Close()); err != nil {
		t.Error(err)
	}
}
