package abi

import (
	"encoding/binary"
	"testing"
)

// TestFootprintHolds asks whether launches meet conditions.
func TestFootprintHolds(t *testing.T) {
	block := func(nx, ny uint32, w int64, v uint32) []byte {
		b := make([]byte, OffsetArgs+24)
		le := binary.LittleEndian
		le.PutUint32(b[OffsetRange:], nx)
		le.PutUint32(b[OffsetRange+4:], ny)
		le.PutUint32(b[OffsetRange+8:], 1)
		le.PutUint64(b[OffsetArgs:], uint64(w))
		le.PutUint32(b[OffsetArgs+16:], v)
		return b
	}
	byW := []Stride{{Dim: 0, Offset: 24, Size: 8}}
	for _, c := range []struct {
		f     Footprint
		block []byte
		want  bool
	}{
		{Footprint{Most: 12}, block(4, 3, 0, 0), true},
		{Footprint{Most: 11}, block(4, 3, 0, 0), false},
		{Footprint{Most: 1 << 62}, block(1<<31-1, 1<<31-1, 0, 0), true},
		{Footprint{Most: 1 << 60}, block(1<<31-1, 1<<31-1, 0, 0), false},
		{Footprint{Most: 99, Strides: byW}, block(4, 3, 4, 0), true},
		{Footprint{Most: 99, Strides: byW}, block(4, 3, 3, 0), false},
		{Footprint{Most: 99, Strides: byW}, block(4, 3, 1<<32+4, 0), false},
		{Footprint{Most: 99, Strides: []Stride{{Dim: 1, Offset: 40, Size: 4}}}, block(4, 3, 4, 3), true},
		{Footprint{Most: 99, Strides: []Stride{{Dim: 0, Const: 4}, {Dim: 1, Const: 4}}}, block(4, 3, 0, 0), false},
	} {
		if got := c.f.Holds(c.block); got != c.want {
			t.Errorf("%+v: %v", c.f, got)
		}
	}
}
