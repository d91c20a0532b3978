package golang

import (
	"errors"

	"github.com/kgen-go/kgen/dsl"
)

// Joined wraps several errors in one error.
type Joined struct {
	In, Out []int32
}

type manyErrors struct{ all []error }

func (m manyErrors) Error() string   { return "many" }
func (m manyErrors) Unwrap() []error { return m.all }

type wrapper interface {
	error
	Unwrap() error
}

// settingError has an As method that sets its target, but no error of this type is ever found.
type settingError struct{ to int }

func (s settingError) Error() string { return "setting" }
func (s settingError) As(target any) bool {
	if r, ok := target.(*rangeError); ok {
		*r = rangeError(s.to)
	}
	return false
}

func checkAll(x int32) (err error) {
	if x&1 != 0 {
		err = errors.Join(err, errEmpty)
	}
	var wide error
	if x&2 != 0 {
		wide = rangeError(x)
	}
	err = errors.Join(err, wide, nil)
	if x&4 != 0 {
		err = errors.Join(errOf, err)
	}
	if x&8 != 0 {
		list := []error{errAlso, err}
		err = manyErrors{list}
	}
	return err
}

// Kernel tests errors by errors.Is and errors.As.
func (k Joined) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	h := int32(0)
	err := checkAll(x)
	if err != nil {
		h = 1
	}
	for _, e := range []error{errEmpty, errBad, errOf, errAlso, errWide} {
		h *= 2
		if errors.Is(err, e) {
			h++
		}
	}
	var r rangeError
	if errors.As(err, &r) {
		h += int32(r) << 8
	}
	var w *wideError
	if errors.As(err, &w) {
		h += int32(w.bits) << 16
	}
	if e, ok := errors.AsType[rangeError](err); ok && e == r {
		h += 1 << 28
	}
	if e, ok := errors.AsType[wrapper](err); ok && e.Unwrap() == errBad {
		h += 1 << 29
	}
	if e, ok := errors.AsType[rangeError](errors.Join(settingError{5}, errBad)); ok || e != 0 {
		h += 1 << 26
	}
	if _, ok := errors.AsType[*syntaxError](err); ok {
		h += 1 << 27
	}
	if errors.Join() == nil && errors.Join(nil, nil) == nil && errors.Join(err) != err {
		h += 1 << 30
	}
	k.Out[i] = h
}
