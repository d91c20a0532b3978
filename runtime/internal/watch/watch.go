// Package watch detects changes of package-level variables whose values are constants in modules.
package watch

import (
	"hash/crc32"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/kgen-go/kgen/abi"
)

// The first check reads all variables. Later checks always read the small parts of the variables'
// memory, which have at most perCheck bytes in total. Later checks read all large parts only if
// this takes at most 1 % of the program's time. Otherwise, each check reads only one large part,
// and the next check reads the next large part.
const (
	perCheck = 4 << 10
	share    = 100
)

// A Set contains the package-level variables whose values are constants in a kernel's modules.
type Set struct {
	rows []abi.Variable
	// Initial values of the pointer variables that have no checksum, by index in rows.
	first []unsafe.Pointer

	mu sync.Mutex // locked while the parts are made
	// Functions without a name that existed at the first check.
	others []uintptr
	parts  atomic.Pointer[valueParts]
	next   atomic.Uint32 // index of the next large part to check
	// Time and duration of the last check of all large parts, in nanoseconds. The time is relative
	// to the variable `start`.
	last, took atomic.Int64
}

// A part is a piece of the variables' memory, with its checksum at the first check.
type part struct {
	mem []byte
	sum uint32
}

func (p *part) sameValues() bool { return crc32.Checksum(p.mem, table) == p.sum }

// valueParts contains the small parts and the large parts. Each check reads all small parts, but
// may read only one large part.
type valueParts struct{ small, large []part }

var table = crc32.MakeTable(crc32.Castagnoli)

// New returns the set of the variables that the elements of rows point to, or nil if there are
// none. An element of rows without a checksum must describe a pointer variable.
func New(rows []abi.Variable) *Set {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r abi.Variable) bool { return r.Var == nil })
	if len(rows) == 0 {
		return nil
	}
	s := &Set{rows: rows}
	for i := range rows {
		var p unsafe.Pointer
		if rows[i].Sum == 0 {
			p = reflect.ValueOf(rows[i].Var).Elem().UnsafePointer()
		}
		s.first = append(s.first, p)
	}
	return s
}

// Changed returns a variable whose value differs from the value in the modules, or nil. The first
// call checks all values completely. Later calls check a value of more than a few KiB part by part.
func (s *Set) Changed() *abi.Variable {
	if s == nil {
		return nil
	}
	if parts := s.parts.Load(); parts != nil && s.sameValues(parts) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &walker{}
	for i := range s.rows {
		v := reflect.ValueOf(s.rows[i].Var).Elem()
		w.sum = 0
		w.raw(v.Addr().UnsafePointer(), int(v.Type().Size()))
		if s.rows[i].Sum == 0 {
			if v.UnsafePointer() != s.first[i] {
				return &s.rows[i]
			}
			continue
		}
		n := len(w.others)
		w.addValue(v, 0)
		known := s.parts.Load() == nil || slices.Equal(w.others[n:], s.others[n:min(len(w.others), len(s.others))])
		if max(w.sum, 1) != s.rows[i].Sum || !known {
			return &s.rows[i]
		}
	}
	s.others = w.others
	s.parts.Store(splitName(w.parts))
	return nil
}

// sameValues reports whether the small parts have not changed. sameValues also checks the next
// large part, or all large parts.
func (s *Set) sameValues(p *valueParts) bool {
	for i := range p.small {
		if !p.small[i].sameValues() {
			return false
		}
	}
	if len(p.large) == 0 {
		return true
	}
	now := int64(time.Since(start))
	if now-s.last.Load() < share*s.took.Load() {
		return p.large[s.next.Add(1)%uint32(len(p.large))].sameValues()
	}
	for i := range p.large {
		if !p.large[i].sameValues() {
			return false
		}
	}
	then := int64(time.Since(start))
	s.last.Store(then)
	s.took.Store(then - now)
	return true
}

var start = time.Now()

// splitName divides the parts into small and large ones. The smallest parts become small
// parts, as long as they have at most perCheck bytes together.
func splitName(all []part) *valueParts {
	slices.SortFunc(all, func(a, b part) int { return len(a.mem) - len(b.mem) })
	sum := 0
	for i := range all {
		if sum += len(all[i].mem); sum > perCheck {
			return &valueParts{all[:i], all[i:]}
		}
	}
	return &valueParts{small: all}
}

// A walker computes the checksum of a value as the ABI defines it. The walker also records the
// memory that contains the value.
type walker struct {
	sum   uint32
	parts []part
	// Functions that have no name.
	others []uintptr
}

func (w *walker) raw(at unsafe.Pointer, n int) {
	for mem := range slices.Chunk(unsafe.Slice((*byte)(at), n), perCheck) {
		w.parts = append(w.parts, part{mem, crc32.Checksum(mem, table)})
	}
}

func (w *walker) bytes(b []byte) { w.sum = crc32.Update(w.sum, table, b) }

// addNumber adds size bytes of n to the checksum, beginning with the lowest byte.
func (w *walker) addNumber(n uint64, size int) {
	var b [8]byte
	for i := range b {
		b[i] = byte(n >> (8 * i))
	}
	w.bytes(b[:size])
}

func (w *walker) flag(set bool) bool {
	if set {
		w.addNumber(1, 1)
	} else {
		w.addNumber(0, 1)
	}
	return set
}

func (w *walker) text(s string) {
	w.addNumber(uint64(len(s)), 8)
	w.bytes(unsafe.Slice(unsafe.StringData(s), len(s)))
}
