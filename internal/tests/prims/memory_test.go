package prims_test

import (
	"encoding/binary"
	"reflect"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/prims"
	"github.com/kgen-go/kgen/runtime"
)

// fault is how a view is wrong.
type fault int

const (
	none    fault = iota
	closed        // its buffer is closed
	far           // its buffer is another device's
	absent        // it has no buffer
	short         // it has one element less
	overlap       // it overlaps a view of the same type, that of the number overlapped
	same          // it is that view
)

// memory makes the views of a call: each in a buffer of its own, in the middle of other elements.
type memory struct {
	t      *testing.T
	home   *runtime.Queue  // of the device that has the buffers
	q      *runtime.Queue  // the function's
	other  *runtime.Device // for views of another device
	offset int

	wrong      int // the number of the view that has the fault
	fault      fault
	overlapped int

	views []view
}

// view is one view of a call.
type view struct {
	name  string
	out   bool
	n     int
	elem  reflect.Type
	at    any    // a runtime.View
	whole any    // the same with elements around it, in which others overlap it
	all   func() // compares the buffer's elements with those before, all of them
	// around compares those around the view, and returns the view's elements as text.
	around func() string
}

// in makes a view that a function reads.
func in[T any](m *memory, name string, xs []T) runtime.View[T] { return place(m, name, xs, false) }

// out makes a view that a function writes.
func out[T any](m *memory, name string, n int) runtime.View[T] {
	old := make([]T, n)
	for i := range old {
		old[i] = pattern[T]()
	}
	return place(m, name, old, true)
}

// pattern returns an element with bits that no result has.
func pattern[T any]() T {
	if reflect.TypeFor[T]().Kind() == reflect.Bool {
		return any(true).(T)
	}
	return prims.FromBits[T](0x5a5a5a5a5a5a5a5a)
}

// tail is the number of elements after a view.
const tail = 9

func place[T any](m *memory, name string, xs []T, out bool) runtime.View[T] {
	m.t.Helper()
	number := len(m.views)
	f := none
	if number == m.wrong {
		f = m.fault
	}
	if f == overlap || f == same {
		v := m.views[m.overlapped].whole.(runtime.View[T])
		lo := m.offset
		if f == overlap {
			lo++
		}
		v = v.Slice(lo, lo+len(xs))
		m.views = append(m.views, view{name: name, out: out, n: len(xs), elem: reflect.TypeFor[T](), at: v, whole: v, all: func() {}, around: func() string {
			return text(read(m, v))
		}})
		return v
	}
	dev := m.home.Device()
	if f == far {
		dev = m.other
	}
	before := make([]T, m.offset+len(xs)+size+tail)
	for i := range before {
		before[i] = pattern[T]()
	}
	copy(before[m.offset:], xs)
	b, err := runtime.BufferOf(dev, before)
	check(m.t, err)
	m.t.Cleanup(func() { b.Close() })
	n := len(xs)
	if f == short {
		n--
	}
	whole, at := b.All(), b.Slice(m.offset, m.offset+n)
	now := func() []T {
		if f == far || f == closed || f == absent {
			return before
		}
		return read(m, whole)
	}
	compare := func(lo, hi int) {
		after := now()
		for i := range after {
			if (i < lo || i >= hi) && prims.Bits(after[i]) != prims.Bits(before[i]) {
				m.t.Errorf("%s: element %d, of those from %d to %d, was %v and is %v", name, i-m.offset, lo-m.offset, hi-m.offset-1, before[i], after[i])
				return
			}
		}
	}
	switch f {
	case closed:
		check(m.t, b.Close())
	case absent:
		var nothing *runtime.Buffer[T]
		at = nothing.All()
	}
	m.views = append(m.views, view{
		name: name, out: out, n: n, elem: reflect.TypeFor[T](), at: at, whole: whole,
		all: func() { compare(0, 0) },
		around: func() string {
			if !out {
				if m.fault != same {
					compare(0, 0)
				}
				return ""
			}
			compare(m.offset, m.offset+n)
			return text(now()[m.offset : m.offset+n])
		},
	})
	return at
}

// read returns the elements of a view.
func read[T any](m *memory, v runtime.View[T]) []T {
	m.t.Helper()
	xs := make([]T, v.Len())
	check(m.t, v.CopyTo(m.t.Context(), m.home, xs))
	return xs
}

// text returns the bits of elements.
func text[T any](xs []T) string {
	var b []byte
	for _, x := range xs {
		b = binary.LittleEndian.AppendUint64(b, prims.Bits(x))
	}
	return string(b)
}

// untouched compares all elements with those before the call.
func (m *memory) untouched() {
	m.t.Helper()
	for _, v := range m.views {
		v.all()
	}
}

// results returns the outputs as text, and compares the elements around them with those before the call.
func (m *memory) results() (all []string) {
	m.t.Helper()
	for _, v := range m.views {
		all = append(all, v.around())
	}
	return all
}
