package abi

import (
	"runtime"
	"strings"
	"testing"
)

// TestDescribe compares the words of faults with those of the run-time errors
// that gc's code gives for the same operations.
func TestDescribe(t *testing.T) {
	xs := make([]int, 3, 5)
	var array [4]int
	at := func(n int) int { return n }
	for _, c := range []struct {
		kind FaultKind
		a, b int64
		do   func()

		unsigned bool
	}{
		{FaultIndex, 7, 3, func() { _ = xs[at(7)] }, false},
		{FaultIndex, -1, 3, func() { _ = xs[at(-1)] }, false},
		{FaultIndex, -1, 3, func() { _ = xs[uint64(at(-1))] }, true},
		{FaultSliceCap, -2, 5, func() { _ = xs[:uint(at(-2))] }, true},
		{FaultSliceOrder, -2, 1, func() { _ = xs[uint64(at(-2)):at(1)] }, true},
		{FaultSliceCap, 9, 5, func() { _ = xs[:at(9)] }, false},
		{FaultSliceCap, -2, 5, func() { _ = xs[:at(-2)] }, false},
		{FaultSliceLen, 9, 4, func() { _ = array[:at(9)] }, false},
		{FaultSliceOrder, 2, 1, func() { _ = xs[at(2):at(1)] }, false},
		{FaultSliceOrder, -2, 1, func() { _ = xs[at(-2):at(1)] }, false},
		{FaultSlice3Cap, 9, 5, func() { _ = xs[0:1:at(9)] }, false},
		{FaultSlice3Len, 9, 4, func() { _ = array[0:1:at(9)] }, false},
		{FaultSlice3Max, 4, 2, func() { _ = xs[0:at(4):at(2)] }, false},
		{FaultSlice3Order, 3, 2, func() { _ = xs[at(3):at(2):at(4)] }, false},
		{FaultSliceToArray, 4, 3, func() { _ = [4]int(xs) }, false},
		{FaultDivide, 0, 0, func() { _ = 1 / at(0) }, false},
		{FaultShift, -1, 0, func() { _ = 1 << at(-1) }, false},
		{FaultNil, 0, 0, func() { var p *[3]int; _ = p[at(1)] }, false},
	} {
		func() {
			defer func() {
				err, _ := recover().(runtime.Error)
				if err == nil {
					t.Errorf("%v: no run-time error", c.kind)
					return
				}
				want := strings.TrimPrefix(err.Error(), "runtime error: ")
				if got := c.kind.Describe(c.a, c.b, c.unsigned, ""); got != want {
					t.Errorf("got %q, gc says %q", got, want)
				}
			}()
			c.do()
		}()
	}
	if got := FaultPanic.Describe(0, 0, false, "text"); got != "text" {
		t.Error(got)
	}
}
