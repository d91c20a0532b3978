package golang

import (
	"errors"

	"github.com/kgen-go/kgen/dsl"
)

var (
	errEmpty          = errors.New("empty")
	errBad            = errors.New("bad digit")
	errAlso           = errors.New("bad digit") // a different error with the same text
	errWide     error = &wideError{64, nil}
	errOf             = newWide(32, errBad)
	common            = []error{errEmpty, errOf, errBad}
	limits            = &bounds{-100, 100, [3]int{7, 8, 9}}
	firstStick        = stick(4)
	secondStick       = stick(5)
	sticks            = [...]shaped{&firstStick, &secondStick}
)

func (s stick) doubled() int { return 2 * int(s) }

type bounds struct {
	lo, hi int
	steps  [3]int
}

type wideError struct {
	bits int
	by   error
}

func newWide(bits int, by error) *wideError { return &wideError{bits, by} }

func (e *wideError) Error() string { return "too wide" }
func (e *wideError) Unwrap() error { return e.by }

// nearError is an error type with an Is method that accepts similar errors.
type nearError struct {
	by   int
	what error
}

func (e nearError) Error() string        { return "near " + "enough" }
func (e nearError) Is(target error) bool { return e.by < 3 && target == errAlso }
func (e nearError) Unwrap() error        { return e.what }

func parse(b []byte, lim *bounds) (n int, err error) {
	switch {
	case len(b) == 0:
		return 0, errEmpty
	case len(b) > 5:
		return len(b), errWide
	case len(b) > 4:
		return 1, errOf
	}
	for i, c := range b {
		if c == '-' && i == 0 {
			continue
		}
		if c < '0' || c > '9' {
			return i, errBad
		}
		n = 10*n + int(c-'0')
	}
	if b[0] == '-' {
		n = -n
	}
	if n < lim.lo || n > lim.hi {
		return n, errors.New("out of bounds")
	}
	return n + lim.steps[len(b)%3], nil
}

// Sentinels compares errors with error variables of a package.
type Sentinels struct {
	In  []byte
	Out []int
}

// Kernel reads numbers.
func (k Sentinels) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	n, err := parse(k.In[i:i+i%7], limits)
	h := n
	switch err {
	case nil:
		h += 1000
	case errEmpty:
		h += 2000
	case errAlso:
		h += 3000
	case errBad:
		h += 4000
	case errWide:
		h += 5000
	default:
		h += 6000
	}
	if err != nil {
		for _, c := range err.Error() {
			h = h*31 + int(c)
		}
	}
	if w, ok := err.(*wideError); ok {
		h += w.bits
		if w.by == errBad {
			h++
		}
		if w == errOf {
			h *= 2
		}
	}
	if n&1 == 0 && err != nil {
		err = nearError{n & 7, err}
	}
	if errors.Is(err, errBad) {
		h += 3
	}
	if errors.Is(err, errAlso) {
		h += 5
	}
	if errors.Is(err, nil) != (err == nil) {
		h += 1 << 40
	}
	if errors.Is(err, errOf) {
		h *= 3
	}
	var wide *wideError
	if errors.As(err, &wide) {
		h += wide.bits
	}
	var near interface{ Is(error) bool }
	if errors.As(err, &near) && near.Is(errAlso) {
		h ^= 77
	}
	if errors.Unwrap(err) == errBad {
		h *= 5
	}
	for j, e := range common {
		if err == e {
			h += 7 << j
		}
	}
	s := sticks[0]
	if h&1 == 0 {
		s = sticks[1]
	}
	if s == shaped(&firstStick) {
		h++
	}
	p := &firstStick
	if h&2 == 0 {
		p = &secondStick
	}
	k.Out[i] = h + s.area(3) + 100*p.doubled()
}
