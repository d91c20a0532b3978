package watch

import (
	"fmt"
	"math"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"unsafe"

	"github.com/kgen-go/kgen/abi"
)

// addValue adds the value v to the checksum. The value v may be the value of an unexported
// field.
func (w *walker) addValue(v reflect.Value, pointers int) {
	switch v.Kind() {
	case reflect.Bool:
		w.flag(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.addNumber(uint64(v.Int()), sizeOfType(v.Type()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		w.addNumber(v.Uint(), sizeOfType(v.Type()))
	case reflect.Float32:
		w.addNumber(uint64(floatBits(v)), 4)
	case reflect.Float64:
		w.addNumber(math.Float64bits(v.Float()), 8)
	case reflect.Complex64:
		w.addNumber(uint64(math.Float32bits(real(complex64(v.Complex())))), 4)
		w.addNumber(uint64(math.Float32bits(imag(complex64(v.Complex())))), 4)
	case reflect.Complex128:
		w.addNumber(math.Float64bits(real(v.Complex())), 8)
		w.addNumber(math.Float64bits(imag(v.Complex())), 8)
	case reflect.String:
		w.text(v.String())
	case reflect.Array:
		if v.CanAddr() && v.Len() > 0 && isPlain(v.Type().Elem()) {
			w.bytes(unsafe.Slice((*byte)(addressOf(v)), v.Type().Size()))
			return
		}
		for i := range v.Len() {
			w.addValue(v.Index(i), pointers)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			w.addValue(v.Field(i), pointers)
		}
	case reflect.Slice:
		w.slice(v, pointers)
	case reflect.Pointer:
		if w.flag(!v.IsNil()) && pointers < abi.MaxPointers {
			w.raw(v.UnsafePointer(), int(v.Type().Elem().Size()))
			w.addValue(v.Elem(), pointers+1)
		}
	case reflect.Interface:
		if w.flag(!v.IsNil()) {
			w.text(typeName(v.Elem().Type()))
			w.addValue(v.Elem(), pointers)
		}
	case reflect.Func:
		if w.flag(!v.IsNil()) {
			name := funcName(v)
			if w.text(name); name == "" {
				w.others = append(w.others, v.Pointer())
			}
		}
	default:
		w.flag(!v.IsNil())
	}
}

func (w *walker) slice(v reflect.Value, pointers int) {
	if v.IsNil() {
		w.addNumber(0, 8)
		return
	}
	w.addNumber(uint64(v.Len())+1, 8)
	n := v.Len() * int(v.Type().Elem().Size())
	w.raw(v.UnsafePointer(), n)
	if isPlain(v.Type().Elem()) {
		w.bytes(unsafe.Slice((*byte)(v.UnsafePointer()), n))
		return
	}
	for i := range v.Len() {
		w.addValue(v.Index(i), pointers)
	}
}

// addressOf returns the address of v. Unlike v.Addr, the function also works for
// unexported fields.
func addressOf(v reflect.Value) unsafe.Pointer { return unsafe.Pointer(v.UnsafeAddr()) }

// floatBits returns the bits of a float32. floatBits keeps the bits of a signalling NaN, which
// v.Float would change to a quiet NaN.
func floatBits(v reflect.Value) uint32 {
	if v.CanAddr() {
		return *(*uint32)(addressOf(v))
	}
	return math.Float32bits(float32(v.Float()))
}

// sizeOfType returns how many bytes a number of type t adds to a checksum.
func sizeOfType(t reflect.Type) int {
	switch t.Kind() {
	case reflect.Int, reflect.Uint, reflect.Uintptr:
		return 8
	}
	return int(t.Size())
}

var littleEndian = func() bool {
	one := uint16(1)
	return *(*byte)(unsafe.Pointer(&one)) == 1
}()

// isPlain reports whether a value of type t has the same bytes in memory as in the input of a
// checksum.
func isPlain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32,
		reflect.Uint64, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128, reflect.Int, reflect.Uint, reflect.Uintptr:
		return littleEndian && int(t.Size()) == max(sizeOfType(t), 1)
	case reflect.Array:
		return isPlain(t.Elem())
	case reflect.Struct:
		end := uintptr(0)
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Offset != end || !isPlain(f.Type) {
				return false
			}
			end += f.Type.Size()
		}
		return end == t.Size()
	}
	return false
}

func typeName(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	if name == "" {
		return ""
	}
	return t.PkgPath() + "." + name
}

// funcName returns the name of a function that is declared in a package and not generic. For a
// function literal, funcName returns the literal's source position.
func funcName(v reflect.Value) string {
	fn := runtime.FuncForPC(v.Pointer())
	if fn == nil {
		return ""
	}
	name := fn.Name()
	last := name[strings.LastIndexByte(name, '/')+1:]
	switch {
	case strings.ContainsAny(last, "[(") || strings.HasSuffix(last, "-fm"):
		return ""
	case strings.Count(last, ".") == 1:
		return name
	case isLiteral(last):
		file, line := fn.FileLine(fn.Entry())
		return fmt.Sprintf("%s:%d", path.Base(filepath.ToSlash(file)), line)
	}
	return ""
}

// isLiteral reports whether name is gc's name of a function literal. The name of a function literal
// ends in .func and a number. More numbers may follow, each after a dot, as in
// kernels.init.func1.2.
func isLiteral(name string) bool {
	at := strings.LastIndex(name, ".func")
	if at < 0 {
		return false
	}
	for number := range strings.SplitSeq(name[at+len(".func"):], ".") {
		if number == "" || strings.Trim(number, "0123456789") != "" {
			return false
		}
	}
	return true
}
