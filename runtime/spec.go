package runtime

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path"
	"reflect"
	"unsafe"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/dslhook"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
)

// WithSpec sets a specialization constant for one launch. Kernels that do not read the constant
// ignore it. If the kernel has no pipeline with the given values, the device makes another
// pipeline. This takes as long as at the kernel's first launch.
//
// A program has its own values, so WithSpec together with WithProgram is an error (ErrInvalid).
func WithSpec[T any](c *dsl.SpecConstant[T], v T) LaunchOption {
	info := dslhook.InfoOf(c)
	return launchFunc(func(o *launchOptions) {
		if info == nil {
			o.fail(errorf(ErrInvalid, "WithSpec: no specialization constant").advise("declare it with dsl.NewSpecConstant"))
			return
		}
		if err := checkSpecType(info); err != nil {
			o.fail(err)
			return
		}
		o.specs.putValue(info, unsafe.Pointer(&v))
		o.withSpec = true
	})
}

// SpecValue is the value of a specialization constant on the host, as returned by SetSpec. A
// program can compute ranges and sizes of local memory from the same value that its kernels use. A
// SpecValue is valid until the constant is set again. The zero SpecValue is not valid.
type SpecValue[T any] struct {
	p    *Program
	info *dslhook.SpecInfo
	gen  int
	v    T
}

// Get returns the value. Get panics with an error of class ErrInvalid if the SpecValue is zero, or
// if the constant has been set again.
func (v SpecValue[T]) Get() T {
	if err := v.valid(); err != nil {
		panic(err)
	}
	return v.v
}

func (v SpecValue[T]) valid() *Error {
	if v.p == nil {
		return errorf(ErrInvalid, "a SpecValue that no SetSpec returned")
	}
	v.p.mu.Lock()
	defer v.p.mu.Unlock()
	if s := v.p.specs.find(v.info); s == nil || s.gen != v.gen {
		return errorf(ErrInvalid, "the value of %s that an earlier SetSpec returned", v.p.nameOf(v.info)).
			advise("use what the last SetSpec of the constant returned")
	}
	return nil
}

// WithSpecValue launches with a value that SetSpec returned. If WithProgram is given, too, the
// value must belong to the program of WithProgram. Without WithProgram, WithSpecValue is like
// WithSpec. A value that is not valid is an error (ErrInvalid).
func WithSpecValue[T any](v SpecValue[T]) LaunchOption {
	return launchFunc(func(o *launchOptions) {
		if err := v.valid(); err != nil {
			o.fail(err)
			return
		}
		o.specs.putValue(v.info, unsafe.Pointer(&v.v))
		o.valuesOf = append(o.valuesOf, v.p)
	})
}

// specSetting is a specialization constant with the value that was set.
type specSetting struct {
	info  *dslhook.SpecInfo
	value unsafe.Pointer // pointer to a value of the type info.Type; nothing overwrites the value
	gen   int            // number of times that the constant was set
}

// settingList is a list of specialization constants with their values.
type settingList []specSetting

func (s settingList) find(c *dslhook.SpecInfo) *specSetting {
	for i := range s {
		if s[i].info == c {
			return &s[i]
		}
	}
	return nil
}

// putValue sets a value and returns the number of times that the constant was set before.
func (s *settingList) putValue(c *dslhook.SpecInfo, value unsafe.Pointer) int {
	if old := s.find(c); old != nil {
		old.value = value
		old.gen++
		return old.gen
	}
	if *s == nil {
		*s = make(settingList, 0, 16)
	}
	*s = append(*s, specSetting{c, value, 1})
	return 1
}

// specVar is a specialization constant that a kernel reads. The elements [first, end) of the kernel's
// Specs describe the constant's scalars.
type specVar struct {
	info       *dslhook.SpecInfo
	first, end int
}

// specVars groups the elements of the kernel's Specs by constant.
func specVars(k *launch.Kernel) []specVar {
	var out []specVar
	rows := k.ABI.Specs
	for i := range rows {
		if n := len(out); n > 0 && rows[i].Name == rows[i-1].Name {
			out[n-1].end = i + 1
			continue
		}
		v := specVar{first: i, end: i + 1}
		if len(out) < len(k.Specs) {
			v.info = k.Specs[len(out)]
		}
		if v.info == nil {
			v.info = rawInfo(&rows[i])
		}
		out = append(out, v)
	}
	return out
}

// rawInfo describes a specialization constant that no Go variable declares, as in modules that kgen
// did not generate.
func rawInfo(row *abi.SpecConstant) *dslhook.SpecInfo {
	t := scalarTypes[row.Type]
	if t == nil {
		t = reflect.TypeFor[uint64]()
	}
	info := &dslhook.SpecInfo{Type: t, Required: row.Required}
	if !row.Required {
		v := reflect.New(t)
		bits := row.Default
		copy(unsafe.Slice((*byte)(v.UnsafePointer()), t.Size()), unsafe.Slice((*byte)(unsafe.Pointer(&bits)), 8))
		info.Default = v.UnsafePointer()
	}
	return info
}

var scalarTypes = map[string]reflect.Type{
	"bool": reflect.TypeFor[bool](),
	"int8": reflect.TypeFor[int8](), "int16": reflect.TypeFor[int16](), "int32": reflect.TypeFor[int32](),
	"int64": reflect.TypeFor[int64](), "int": reflect.TypeFor[int](),
	"uint8": reflect.TypeFor[uint8](), "uint16": reflect.TypeFor[uint16](), "uint32": reflect.TypeFor[uint32](),
	"uint64": reflect.TypeFor[uint64](), "uint": reflect.TypeFor[uint](),
	"float32": reflect.TypeFor[float32](), "float64": reflect.TypeFor[float64](),
}

// specName returns the name of a constant as Go source writes it, followed by the path to a scalar in the constant.
func specName(row *abi.SpecConstant, path_ string) string { return path.Base(row.Name) + path_ }

// leafBits returns the bits that the device receives for a scalar. The scalar is in the value at p.
func leafBits(row *abi.SpecConstant, p unsafe.Pointer) (uint64, *Error) {
	p = unsafe.Add(p, row.Offset)
	var n int64
	switch row.Type {
	case "bool":
		if *(*bool)(p) {
			return 1, nil
		}
		return 0, nil
	case "float32":
		return uint64(math.Float32bits(*(*float32)(p))), nil
	case "float64":
		return math.Float64bits(*(*float64)(p)), nil
	case "int8":
		n = int64(*(*int8)(p))
	case "int16":
		n = int64(*(*int16)(p))
	case "int32":
		n = int64(*(*int32)(p))
	case "int64":
		n = *(*int64)(p)
	case "int":
		n = int64(*(*int)(p))
	case "uint8":
		n = int64(*(*uint8)(p))
	case "uint16":
		n = int64(*(*uint16)(p))
	case "uint32":
		n = int64(*(*uint32)(p))
	case "uint64":
		n = *(*int64)(p)
	case "uint":
		n = int64(*(*uint)(p))
	}
	switch {
	case row.Max > 0 && n < int64(row.Min):
		return 0, errorf(ErrSpecConst, "%s sets the length of an array and cannot be %v", specName(row, row.Path), printed(row, n))
	case row.Max > 0 && n > int64(row.Max):
		return 0, errorf(ErrMemoryAllocation, "%s sets the length of an array, and with %v no device has the memory for it", specName(row, row.Path), printed(row, n))
	case row.Size == 4 && row.Type == "int" && n != int64(int32(n)), row.Size == 4 && row.Type == "uint" && n != int64(uint32(n)):
		return 0, errorf(ErrSpecConst, "%s of type %s has 32 bits and cannot hold %v", specName(row, row.Path), row.Type, printed(row, n)).
			advise("declare it as %s64", row.Type)
	}
	if row.Size == 4 {
		return uint64(uint32(n)), nil
	}
	return uint64(n), nil
}

func printed(row *abi.SpecConstant, n int64) string {
	if row.Type == "uint64" || row.Type == "uint" {
		return fmt.Sprint(uint64(n))
	}
	return fmt.Sprint(n)
}

// checkSpecType returns an error if info has a type that a specialization constant cannot have.
func checkSpecType(info *dslhook.SpecInfo) *Error {
	if !plain(info.Type) {
		return errorf(ErrSpecConst, "the specialization constant declared at %s has the type %v", info.Pos, info.Type).
			advise("use bools, integers, floats, and arrays and structs of them")
	}
	return nil
}

func plain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return plain(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !plain(t.Field(i).Type) {
				return false
			}
		}
		return true
	}
	return t.Kind() >= reflect.Bool && t.Kind() <= reflect.Float64 && t.Kind() != reflect.Uintptr
}

// resolveSpecs determines the values of the kernel's specialization constants. A constant has the
// value that was set, or its default if no value was set. resolveSpecs stores the values in c.Specs
// and c.HostSpecs.
func resolveSpecs(k *Kernel, c *exec.Launch, set settingList) *Error {
	c.Specs, c.HostSpecs = c.Specs[:0], c.HostSpecs[:0]
	for i := range k.specs {
		v := &k.specs[i]
		value := v.info.Default
		if s := set.find(v.info); s != nil {
			value = s.value
		}
		row := &k.abi.Specs[v.first]
		if value == nil {
			return errorf(ErrSpecConst, "the specialization constant %s has no value", specName(row, "")).
				advise("set it with runtime.WithSpec, or in a program with runtime.SetSpec")
		}
		for j := v.first; j < v.end; j++ {
			row := &k.abi.Specs[j]
			bits, err := leafBits(row, value)
			if err != nil {
				return err
			}
			c.Specs = append(c.Specs, hal.SpecValue{ID: row.ID, Size: row.Size, Bits: bits})
		}
		c.HostSpecs = append(c.HostSpecs, dslhook.Spec{Const: v.info, Value: value})
	}
	return nil
}

// evalLength computes a length that depends on specialization constants.
func evalLength(k *Kernel, e abi.Expr, specs []hal.SpecValue) (uint64, *Error) {
	n, err := e.Eval(func(id uint32) (uint64, bool) {
		for i := range specs {
			if specs[i].ID == id {
				return specs[i].Bits, true
			}
		}
		return 0, false
	})
	if err != nil {
		return 0, &Error{Class: ErrSpecConst, Problem: "the length of an array", Err: err}
	}
	if n < 1 || n > math.MaxInt32 {
		return 0, errorf(ErrSpecConst, "the values of its specialization constants make an array of length %d", n)
	}
	return uint64(n), nil
}

// checkPrivateMemory compares the private memory of a work-item with the device's limit. Drivers do
// not check the limit, and some drivers crash.
func (d *Device) checkPrivateMemory(k *Kernel, specs []hal.SpecValue) *Error {
	limit := uint64(cmp.Or(d.info.Limits.PrivateMemory, defaultPrivate))
	total, err := privateMemory(k, specs, limit)
	if err == nil && total > limit {
		err = errorf(ErrMemoryAllocation, "a work-item's own memory takes %d bytes and more, and the device %s has %d", total, d.Name(), limit)
	}
	return err
}

// privateMemory returns the number of bytes of private memory that a work-item needs. Once the sum exceeds the limit,
// privateMemory stops adding.
func privateMemory(k *Kernel, specs []hal.SpecValue, limit uint64) (total uint64, err *Error) {
	for i := range k.abi.Privates {
		p := &k.abi.Privates[i]
		n := uint64(max(p.Len, 0))
		if p.Expr != "" {
			if n, err = evalLength(k, p.Expr, specs); err != nil {
				return 0, err
			}
		}
		// The product cannot overflow, because lengths are below 2^31 and elements have less than
		// 2^20 bytes.
		if total += n * uint64(p.ElemSize); total > limit {
			break
		}
	}
	return total, nil
}

// privateMemoryError returns an error for a kernel that the driver did not accept.
// privateMemoryError returns nil unless work-items need more private memory than the driver
// guarantees. This memory is compared with the limit only after the driver has refused the kernel,
// because values in registers need no memory.
func (d *Device) privateMemoryError(k *Kernel, specs []hal.SpecValue, cause error) *Error {
	limit := uint64(d.info.Limits.PrivateBacked)
	if limit == 0 || !errors.Is(cause, hal.ErrDriver) {
		return nil
	}
	total, err := privateMemory(k, specs, math.MaxUint64)
	if err != nil || total <= limit {
		return nil
	}
	e := errorf(ErrMemoryAllocation, "a work-item's own arrays take %d bytes, and the driver of %s has memory for %d", total, d.Name(), limit)
	e.Err = cause
	e.setKernel(k)
	return e.advise("make the arrays smaller, or keep them in a slice or in work-group memory")
}

// defaultPrivate is the limit, in bytes, for the private memory of a work-item if the device reports no limit.
const defaultPrivate = 1 << 20
