package primimpl_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/primimpl"
)

func open(t *testing.T) *runtime.Device {
	t.Helper()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

// TestCast: a view of other elements has the same memory.
func TestCast(t *testing.T) {
	dev := open(t)
	b, err := runtime.BufferOf(dev, []uint32{1, 2, 3, 4, 5, 6})
	if err != nil {
		t.Fatal(err)
	}
	read := func(v runtime.View[uint64]) []uint64 {
		s := make([]uint64, v.Len())
		if err := v.CopyTo(t.Context(), dev.DefaultQueue(), s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	got := read(primimpl.Cast[uint64](b.Slice(2, 6)))
	if len(got) != 2 || got[0] != 4<<32|3 || got[1] != 6<<32|5 {
		t.Errorf("%x", got)
	}
	if got := read(primimpl.Cast[uint64](b.Slice(2, 5))); len(got) != 1 {
		t.Errorf("3 elements of 4 bytes are %d of 8", len(got))
	}
	if v := primimpl.Cast[byte](b.All()); v.Len() != 24 {
		t.Errorf("%d bytes", v.Len())
	}
	misaligned := func() (caught any) {
		defer func() { caught = recover() }()
		primimpl.Cast[uint64](b.Slice(1, 5))
		return nil
	}
	if misaligned() == nil {
		t.Error("elements of 8 bytes begin at byte 4")
	}
	var none *runtime.Buffer[uint32]
	err = primimpl.Use("v", primimpl.Cast[byte](none.All())).Check(dev.DefaultQueue())
	if !errors.Is(err, runtime.ErrKernelArgument) || !strings.Contains(err.Error(), "v is a view of a nil buffer") {
		t.Error(err)
	}
}

// TestOverlaps: views overlap that share a byte.
func TestOverlaps(t *testing.T) {
	dev := open(t)
	b, err := runtime.NewBuffer[uint16](dev, 8)
	if err != nil {
		t.Fatal(err)
	}
	other, err := runtime.NewBuffer[uint16](dev, 8)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a, b runtime.View[uint16]
		want bool
	}{
		{b.All(), b.All(), true},
		{b.Slice(0, 4), b.Slice(4, 8), false},
		{b.Slice(0, 5), b.Slice(4, 8), true},
		{b.Slice(4, 8), b.Slice(0, 5), true},
		{b.Slice(2, 3), b.All(), true},
		{b.Slice(2, 2), b.All(), false},
		{b.All(), other.All(), false},
		{runtime.View[uint16]{}, runtime.View[uint16]{}, false},
	} {
		if got := primimpl.Use("a", c.a).Overlaps(primimpl.Use("b", c.b)); got != c.want {
			t.Errorf("%v and %v overlap: %v, want %v", c.a, c.b, got, c.want)
		}
	}
	if u := primimpl.Use("a", b.Slice(1, 8)); u.Aligned(4) || !u.Aligned(2) || u.Name() != "a" {
		t.Error("an alignment or a name is wrong")
	}
}

// TestAttached: a device keeps one value for a key.
func TestAttached(t *testing.T) {
	dev, n := open(t), 0
	made := func() any { n++; return n }
	for range 3 {
		if v := primimpl.Attached(dev, "key", made); v != 1 {
			t.Errorf("got %v", v)
		}
	}
	if v := primimpl.Attached(dev, "another", made); v != 2 || n != 2 {
		t.Errorf("got %v, made %d", v, n)
	}
	if v := primimpl.Attached(open(t), "key", made); v != 3 {
		t.Errorf("another device has %v", v)
	}
}
