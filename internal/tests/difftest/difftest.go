// Package difftest runs the kernels of package corpus on every device. The resulting memory and the
// faults must be the same as on the host device, where gc compiled the kernels.
//
// The cases are divided between lavapipe and SwiftShader, unless -every-case is set. TestInterpreter runs the
// cases in the interpreter, after the passes that -points names.
package difftest

import (
	"fmt"
	"math"
	"reflect"
)

// Diff describes the first difference between two values, or returns "". Floats must agree bit for bit,
// except that any two NaNs are equal, because Go does not define their payload. If flush is set, a float32
// zero also equals a subnormal of the same sign.
func Diff(got, want any, flush bool) string {
	c := comparer{flush}
	return c.diff("", reflect.ValueOf(got), reflect.ValueOf(want))
}

type comparer struct{ flush bool }

func (c comparer) diff(path string, a, b reflect.Value) string {
	switch a.Kind() {
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return fmt.Sprintf("%s: length %d, want %d", path, a.Len(), b.Len())
		}
		for i := range a.Len() {
			if d := c.diff(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i)); d != "" {
				return d
			}
		}
		return ""
	case reflect.Struct:
		for i := range a.NumField() {
			if a.Type().Field(i).Name == "_" {
				continue
			}
			if d := c.diff(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i)); d != "" {
				return d
			}
		}
		return ""
	case reflect.Complex64, reflect.Complex128:
		if d := c.compareFloats(path, a.Kind() == reflect.Complex64, real(a.Complex()), real(b.Complex())); d != "" {
			return d
		}
		return c.compareFloats(path, a.Kind() == reflect.Complex64, imag(a.Complex()), imag(b.Complex()))
	case reflect.Float32, reflect.Float64:
		return c.compareFloats(path, a.Kind() == reflect.Float32, a.Float(), b.Float())
	}
	if !a.Equal(b) {
		return fmt.Sprintf("%s: %v, want %v", path, a, b)
	}
	return ""
}

// compareFloats compares two floats, which have 32 bits if narrow is set.
func (c comparer) compareFloats(path string, narrow bool, x, y float64) string {
	if x != x && y != y || math.Float64bits(x) == math.Float64bits(y) {
		return ""
	}
	const least = 0x1p-126
	if c.flush && narrow && x == 0 && math.Abs(y) < least && math.Signbit(x) == math.Signbit(y) {
		return ""
	}
	return fmt.Sprintf("%s: %v (%#x), want %v (%#x)", path, x, math.Float64bits(x), y, math.Float64bits(y))
}
