//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"bytes"
	"errors"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// TestImport has two devices copy to and from the same memory of the host, and fails each call that
// importing makes.
func TestImport(t *testing.T) {
	a, b := open(t), open(t)
	host := make([]byte, 2*hal.ImportAlign)
	for uintptr(unsafe.Pointer(unsafe.SliceData(host)))%hal.ImportAlign != 0 {
		host = host[1:]
	}
	host = host[:hal.ImportAlign]
	x, err := a.Import(host)
	if errors.Is(err, hal.ErrNotSupported) {
		need.Missing(t, need.Vulkan, "%v", err)
	}
	y, err2 := b.Import(host)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	data := bytes.Repeat([]byte("abcdefgh"), 1000)
	got := make([]byte, len(data))
	onA, err := a.Alloc(uint64(len(data)), hal.DeviceMemory)
	onB, err2 := b.Alloc(uint64(len(data)), hal.DeviceMemory)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	size := uint64(len(data))
	for _, s := range []struct {
		d *device
		c hal.Command
	}{
		{a, hal.Command{Op: hal.OpWrite, Dst: onA, Size: size, Host: data}},
		{a, hal.Command{Op: hal.OpCopy, Dst: x, DstOff: 64, Src: onA, Size: size, Barrier: true}},
		{b, hal.Command{Op: hal.OpCopy, Dst: onB, Src: y, SrcOff: 64, Size: size, Barrier: true}},
		{b, hal.Command{Op: hal.OpRead, Src: onB, Size: size, Host: got, Barrier: true}},
	} {
		ticket, err := s.d.Submit([]hal.Command{s.c})
		if err != nil {
			t.Fatal(err)
		}
		if err := ticket.Wait(background); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(got, data) || !bytes.Equal(host[64:64+len(data)], data) {
		t.Error("the bytes differ")
	}
	x.Free()
	y.Free()
	for n := int32(1); ; n++ {
		vkx.Inject(n, vkx.ErrorOutOfHostMemory)
		m, err := a.Import(host)
		pending := vkx.Pending()
		vkx.Inject(0, 0)
		if err == nil {
			m.Free()
		}
		if pending {
			break
		}
		if err == nil {
			t.Errorf("call %d failed, and Import did not", n)
		}
	}
	a.mem.mu.Lock()
	defer a.mem.mu.Unlock()
	if n := len(a.mem.own); n != 0 {
		t.Errorf("%d imported blocks are left", n)
	}
}
