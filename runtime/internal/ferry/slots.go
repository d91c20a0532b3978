package ferry

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// A slot is memory of the host. Pieces are copied through a slot one at a time.
type slot struct {
	src   hal.Memory // the slot's memory, as a hal.Memory of the source device
	dst   hal.Memory // the slot's memory, as a hal.Memory of the destination device; nil if the device has not imported the memory
	bytes []byte     // the slot's memory, as a slice on the host
}

func (s *slot) free() {
	s.src.Free()
	if s.dst != nil {
		s.dst.Free()
	}
}

// A pair consists of a source device and a destination device.
type pair struct{ src, dst hal.Device }

// The variable `kept` contains unused slots that both devices of a pair have imported. The slots
// are kept, because importing memory takes some milliseconds.
var kept struct {
	mu    sync.Mutex
	slots map[pair][]*slot
	never map[pair]bool // pairs in which at least one device cannot import memory of the host
}

// If noImports is set, devices do not import memory of the host. Only tests set noImports.
var noImports atomic.Bool

// Import sets whether devices import memory of the host. By default, devices import memory. Import
// is for tests.
func Import(on bool) { noImports.Store(!on) }

// takeSlot returns a slot of at least size bytes.
func takeSlot(p pair, size uint64) (*slot, error) {
	if s := importedSlot(p); s != nil {
		return s, nil
	}
	m, err := p.src.Alloc(size, hal.HostMemory)
	if err != nil {
		return nil, err
	}
	return &slot{src: m, bytes: m.Bytes()}, nil
}

// importedSlot returns a slot that both devices have imported, or nil.
func importedSlot(p pair) *slot {
	src, ok1 := p.src.(hal.Importer)
	dst, ok2 := p.dst.(hal.Importer)
	if !ok1 || !ok2 || noImports.Load() {
		return nil
	}
	kept.mu.Lock()
	never := kept.never[p]
	if n := len(kept.slots[p]); n > 0 {
		s := kept.slots[p][n-1]
		kept.slots[p] = kept.slots[p][:n-1]
		kept.mu.Unlock()
		return s
	}
	kept.mu.Unlock()
	if never {
		return nil
	}
	b := aligned(PieceSize)
	s := &slot{bytes: b}
	var err error
	if s.src, err = src.Import(b); err == nil {
		if s.dst, err = dst.Import(b); err == nil {
			return s
		}
		s.src.Free()
	}
	if errors.Is(err, hal.ErrNotSupported) {
		kept.mu.Lock()
		defer kept.mu.Unlock()
		if kept.never == nil {
			kept.never = map[pair]bool{}
		}
		kept.never[p] = true
	}
	return nil
}

// The function `aligned` returns memory with the alignment that imports require.
func aligned(size int) []byte {
	b := make([]byte, size+hal.ImportAlign)
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	off := int(-at & (hal.ImportAlign - 1))
	return b[off : off+size : off+size]
}

// giveSlot keeps a slot for later moves, or frees it.
func giveSlot(p pair, s *slot) {
	if s.dst == nil {
		s.free()
		return
	}
	kept.mu.Lock()
	keep := len(kept.slots[p]) < Flight
	if keep {
		if kept.slots == nil {
			kept.slots = map[pair][]*slot{}
		}
		kept.slots[p] = append(kept.slots[p], s)
	}
	kept.mu.Unlock()
	if !keep {
		s.free()
	}
}

// Forget frees the unused slots that are kept for a device. The device must have no move in flight.
// Forget is called before the device is closed.
func Forget(d hal.Device) {
	kept.mu.Lock()
	var free []*slot
	for p, slots := range kept.slots {
		if p.src == d || p.dst == d {
			free = append(free, slots...)
			delete(kept.slots, p)
		}
	}
	for p := range kept.never {
		if p.src == d || p.dst == d {
			delete(kept.never, p)
		}
	}
	kept.mu.Unlock()
	for s := range slices.Values(free) {
		s.free()
	}
}
