package runtime

import (
	"path"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/dslhook"
	"github.com/kgen-go/kgen/runtime/internal/exec"
)

// Program is a set of kernels with values for their specialization constants. Constants can be set until the program is
// compiled or built. Build returns an Executable, which launches of the kernels use. If Compile or Build fails, the
// program does not change.
//
//	p, err := runtime.NewProgram(dev, blurgen.Kernels()...)
//	tile, err := runtime.SetSpec(p, blur.Tile, 32)
//	exe, err := p.Build()
//	ev, err := blurgen.Blur{…}.ParallelFor(q, r, runtime.WithProgram(exe)) // launches with Tile = 32.
//
// Programs are independent of each other. A kernel may be in several programs, with different
// values. The methods of a Program may be called from several goroutines.
type Program struct {
	dev     *Device
	kernels []*Kernel

	mu       sync.Mutex
	specs    settingList
	compiled bool
	building int         // number of calls of Build in progress
	exe      *Executable // result of the last Build
}

// Executable is the result of Program.Build. Executable contains kernels and the values of their
// constants, which no longer change.
type Executable struct {
	dev     *Device
	program *Program
	kernels []*Kernel
	specs   settingList
}

// Specs is a Program or an Executable. No other type can implement Specs.
type Specs interface {
	specSettings() (settingList, error)
}

// NewProgram returns a program of the kernels for the device. The function Kernels of a generated
// package returns its kernels. NewProgram calls each kernel's Properties method. If the method does
// not return the list that kgen compiled the kernel with, the error is of class ErrBuild.
func NewProgram(dev *Device, kernels ...*Kernel) (*Program, error) {
	if err := dev.usable(); err != nil {
		return nil, err
	}
	p := &Program{dev: dev}
	for _, k := range kernels {
		if k == nil {
			return nil, errorf(ErrInvalid, "a program of a nil kernel")
		}
		if err := k.checkStated(); err != nil {
			return nil, err
		}
		if !slices.Contains(p.kernels, k) {
			p.kernels = append(p.kernels, k)
		}
	}
	return p, nil
}

// Join returns a program with the kernels and the values of several programs. The programs must
// belong to the same device, and must not be compiled. If two programs have a value for the same
// constant, the values must be equal. Errors are of class ErrInvalid.
func Join(programs ...*Program) (*Program, error) {
	var out *Program
	for _, p := range programs {
		if p == nil || p.dev == nil {
			return nil, errorf(ErrInvalid, "no program").advise("use one that NewProgram returned")
		}
		if out == nil {
			out = &Program{dev: p.dev}
		}
		if out.dev != p.dev {
			return nil, errorf(ErrInvalid, "programs of two devices, %s and %s, cannot be joined", out.dev.Name(), p.dev.Name())
		}
		p.mu.Lock()
		compiled, specs := p.compiled, slices.Clone(p.specs)
		p.mu.Unlock()
		if compiled {
			return nil, errorf(ErrInvalid, "a program that is compiled cannot be joined").advise("join programs first")
		}
		for _, k := range p.kernels {
			if !slices.Contains(out.kernels, k) {
				out.kernels = append(out.kernels, k)
			}
		}
		for _, s := range specs {
			if old := out.specs.find(s.info); old == nil {
				out.specs.putValue(s.info, s.value)
			} else if !equalValues(s.info.Type, old.value, s.value) {
				return nil, errorf(ErrInvalid, "the programs set %s to different values", p.nameOf(s.info))
			}
		}
	}
	if out == nil {
		return nil, errorf(ErrInvalid, "no programs to join")
	}
	return out, nil
}

// equalValues reports whether two values have the same bits for kernels. So two NaNs can be equal,
// and the zeros 0 and -0 are not equal. Padding is not compared.
func equalValues(t reflect.Type, a, b unsafe.Pointer) bool {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if !equalValues(f.Type, unsafe.Add(a, f.Offset), unsafe.Add(b, f.Offset)) {
				return false
			}
		}
		return true
	case reflect.Array:
		for i := range t.Len() {
			if off := uintptr(i) * t.Elem().Size(); !equalValues(t.Elem(), unsafe.Add(a, off), unsafe.Add(b, off)) {
				return false
			}
		}
		return true
	}
	return slices.Equal(unsafe.Slice((*byte)(a), t.Size()), unsafe.Slice((*byte)(b), t.Size()))
}

// Kernels returns the program's kernels.
func (p *Program) Kernels() []*Kernel { return slices.Clone(p.kernels) }

// Kernels returns the executable's kernels.
func (e *Executable) Kernels() []*Kernel { return slices.Clone(e.kernels) }

// Has reports whether a kernel of the program reads the constant.
func (p *Program) Has(c dsl.AnySpecConstant) bool {
	return p != nil && reads(p.kernels, dslhook.InfoOf(c))
}

// Has reports whether a kernel of the executable reads the constant.
func (e *Executable) Has(c dsl.AnySpecConstant) bool {
	return e != nil && reads(e.kernels, dslhook.InfoOf(c))
}

func reads(kernels []*Kernel, c *dslhook.SpecInfo) bool {
	return c != nil && slices.ContainsFunc(kernels, func(k *Kernel) bool { return k.specFor(c) != nil })
}

// nameOf returns the constant's name if a kernel reads it. If no kernel reads the constant, nameOf
// returns the source position of the constant's declaration.
func (p *Program) nameOf(c *dslhook.SpecInfo) string {
	for _, k := range p.kernels {
		if v := k.specFor(c); v != nil {
			return path.Base(k.abi.Specs[v.first].Name)
		}
	}
	return "the specialization constant declared at " + c.Pos
}

// SetSpec sets a constant in a program. A later call of SetSpec replaces the value, until Compile
// or Build. The program also keeps the value of a constant that none of its kernels reads, for
// GetSpec and Join. SpecValues that earlier calls returned for the constant become invalid.
//
// SetSpec returns an error of class ErrSpecConst if the program is compiled, or if a kernel does
// not allow the value. If SetSpec fails, the constant keeps its old value.
func SetSpec[T any](p *Program, c *dsl.SpecConstant[T], v T) (SpecValue[T], error) {
	info := dslhook.InfoOf(c)
	if p == nil || p.dev == nil {
		return SpecValue[T]{}, errorf(ErrInvalid, "no program").advise("use one that NewProgram returned")
	}
	if info == nil {
		return SpecValue[T]{}, errorf(ErrInvalid, "SetSpec: no specialization constant").advise("declare it with dsl.NewSpecConstant")
	}
	gen, err := p.set(info, unsafe.Pointer(&v))
	if err != nil {
		return SpecValue[T]{}, err
	}
	return SpecValue[T]{p, info, gen, v}, nil
}

func (p *Program) set(c *dslhook.SpecInfo, value unsafe.Pointer) (int, error) {
	if err := checkSpecType(c); err != nil {
		return 0, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.checkSettable(c, value); err != nil {
		return 0, err
	}
	return p.specs.putValue(c, value), nil
}

// checkSettable returns an error if a constant cannot be set to the value at present.
func (p *Program) checkSettable(c *dslhook.SpecInfo, value unsafe.Pointer) error {
	if p.compiled || p.building > 0 {
		return errorf(ErrSpecConst, "%s is set after the program was compiled", p.nameOf(c)).
			advise("set it before, or in another program")
	}
	for _, k := range p.kernels {
		if v := k.specFor(c); v != nil {
			for i := v.first; i < v.end; i++ {
				// Build checks later whether there is enough memory.
				if _, err := leafBits(&k.abi.Specs[i], value); err != nil && err.Class != ErrMemoryAllocation {
					return err.setKernel(k)
				}
			}
		}
	}
	return nil
}

// GetSpec returns the value of a constant in a program or executable. If no value was set, GetSpec
// returns the default. If a required constant is not set, GetSpec returns an error of class
// ErrSpecConst.
func GetSpec[T any](p Specs, c *dsl.SpecConstant[T]) (T, error) {
	var zero T
	info := dslhook.InfoOf(c)
	if info == nil || p == nil {
		return zero, errorf(ErrInvalid, "GetSpec: no specialization constant, or no program")
	}
	set, err := p.specSettings()
	if err != nil {
		return zero, err
	}
	if s := set.find(info); s != nil {
		return *(*T)(s.value), nil
	}
	if info.Default == nil {
		return zero, errorf(ErrSpecConst, "the specialization constant declared at %s has no value", info.Pos)
	}
	return *(*T)(info.Default), nil
}

func (p *Program) specSettings() (settingList, error) {
	if p == nil || p.dev == nil {
		return nil, errorf(ErrInvalid, "no program")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.specs), nil
}

func (e *Executable) specSettings() (settingList, error) {
	if e == nil || e.dev == nil {
		return nil, errorf(ErrInvalid, "no executable")
	}
	return e.specs, nil
}

// SetSpecByID sets the constant with the numeric id in the program's modules. The id comes from a
// //kgen:spec directive, from a module of LoadModule, or from kgen. Kernels of the same package use the
// same id for the same constant. Kernels of different packages may use different ids for the same
// constant. If several constants have the id, SetSpecByID sets the constant whose id comes from a
// directive. If the id is still ambiguous, SetSpecByID returns an error.
//
// The value must have the constant's Go type. For an integer constant the value may also be an int.
// In an array or struct, each scalar has its own id. A scalar can be set once the whole constant
// has a value.
//
// If no kernel has a constant with the id, or if the value has a wrong type, SetSpecByID returns an
// error of class ErrSpecConst. Vulkan itself would ignore the id.
func (p *Program) SetSpecByID(id uint32, value any) error {
	if p == nil || p.dev == nil {
		return errorf(ErrInvalid, "no program")
	}
	type place struct {
		v     *specVar
		row   *abi.SpecConstant
		value unsafe.Pointer
	}
	var found []place
	for _, k := range p.kernels {
		for i := range k.specs {
			v := &k.specs[i]
			for j := v.first; j < v.end; j++ {
				row := &k.abi.Specs[j]
				if row.ID == id && !slices.ContainsFunc(found, func(f place) bool { return f.v.info == v.info }) {
					found = append(found, place{v: v, row: row})
				}
			}
		}
	}
	// An id that a directive in the source states has priority over an id that kgen chose.
	if slices.ContainsFunc(found, func(f place) bool { return f.row.Pinned }) {
		found = slices.DeleteFunc(found, func(f place) bool { return !f.row.Pinned })
	}
	for i := range found {
		// A constant in a module of LoadModule has no Go variable, and Pos is "". If several
		// constants without a Go variable have the id, all of them are set.
		if f := &found[i]; i > 0 && (f.v.info.Pos != "" || found[0].v.info.Pos != "") {
			return errorf(ErrSpecConst, "the id %d stands for %s and for %s", id,
				specName(found[0].row, found[0].row.Path), specName(f.row, f.row.Path)).
				advise("give each an id of its own with //kgen:spec")
		}
	}
	if len(found) == 0 {
		return errorf(ErrSpecConst, "no kernel of the program has a specialization constant with the id %d", id)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range found {
		f := &found[i]
		whole := reflect.New(f.v.info.Type)
		old := f.v.info.Default
		if s := p.specs.find(f.v.info); s != nil {
			old = s.value
		}
		if old != nil {
			whole.Elem().Set(reflect.NewAt(f.v.info.Type, old).Elem())
		} else if f.v.end-f.v.first > 1 {
			return errorf(ErrSpecConst, "%s has no value yet, of which the id %d would set a part", specName(f.row, ""), id).
				advise("set it as a whole first")
		}
		leaf := reflect.NewAt(scalarTypes[f.row.Type], unsafe.Add(whole.UnsafePointer(), f.row.Offset)).Elem()
		if err := assignScalar(leaf, value, f.row, id); err != nil {
			return err
		}
		f.value = whole.UnsafePointer()
		if err := p.checkSettable(f.v.info, f.value); err != nil {
			return err
		}
	}
	// Set all scalars with the id, or none of them.
	for _, f := range found {
		p.specs.putValue(f.v.info, f.value)
	}
	return nil
}

// assignScalar stores a value in the scalar `leaf`. The value must be of the scalar's kind, or an
// int that the scalar can represent.
func assignScalar(leaf reflect.Value, value any, row *abi.SpecConstant, id uint32) error {
	v := reflect.ValueOf(value)
	switch {
	case v.IsValid() && v.Kind() == leaf.Kind():
		leaf.Set(v.Convert(leaf.Type()))
		return nil
	case v.IsValid() && v.Kind() == reflect.Int && leaf.CanInt() && !leaf.OverflowInt(v.Int()):
		leaf.SetInt(v.Int())
		return nil
	case v.IsValid() && v.Kind() == reflect.Int && leaf.CanUint() && v.Int() >= 0 && !leaf.OverflowUint(uint64(v.Int())):
		leaf.SetUint(uint64(v.Int()))
		return nil
	}
	return errorf(ErrSpecConst, "%s with the id %d is of type %s, and was given %v of type %T", specName(row, row.Path), id, row.Type, value, value)
}

// Compile checks that the constants of the program's kernels are set. After Compile, constants
// cannot be set any more. Errors are of class ErrSpecConst. Build also compiles the program, for
// the kernels that it builds.
func (p *Program) Compile() error {
	if p == nil || p.dev == nil {
		return errorf(ErrInvalid, "no program")
	}
	if err := p.dev.usable(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.checkConstants(p.kernels); err != nil {
		return err
	}
	p.compiled = true
	return nil
}

// checkConstants checks that the constants of the kernels are set.
func (p *Program) checkConstants(kernels []*Kernel) error {
	for _, k := range kernels {
		var c exec.Launch
		if err := resolveSpecs(k, &c, p.specs); err != nil {
			return err.setKernel(k)
		}
		if err := p.dev.checkPrivateMemory(k, c.Specs); err != nil {
			return err.setKernel(k)
		}
		for i := range k.abi.Locals {
			if e := k.abi.Locals[i].Expr; e != "" {
				if _, err := evalLength(k, e, c.Specs); err != nil {
					return err.setKernel(k)
				}
			}
		}
	}
	return nil
}

// WithProgram launches a kernel with the values of a built program. The program must belong to the
// queue's device, and must contain the kernel (ErrInvalid otherwise).
func WithProgram(e *Executable) LaunchOption {
	return launchFunc(func(o *launchOptions) {
		switch {
		case e == nil || e.dev == nil:
			o.fail(errorf(ErrInvalid, "no executable").advise("use one that Program.Build returned"))
		case o.exe != nil && o.exe != e:
			o.fail(errorf(ErrInvalid, "a launch with two programs"))
		}
		o.exe = e
	})
}

// settingsFor returns the values of specialization constants for a launch of k.
func (o *launchOptions) settingsFor(d *Device, k *Kernel) (settingList, *Error) {
	if o.exe == nil {
		return o.specs, nil
	}
	switch {
	case o.withSpec:
		return nil, errorf(ErrInvalid, "WithSpec and WithProgram exclude each other").advise("set the constant in the program")
	case o.exe.dev != d:
		return nil, errorf(ErrInvalid, "the program is of another device, %s", o.exe.dev.Name())
	case !slices.Contains(o.exe.kernels, k):
		return nil, errorf(ErrInvalid, "the program does not have the kernel").advise("name it in NewProgram and Build")
	}
	for _, p := range o.valuesOf {
		if p != o.exe.program {
			return nil, errorf(ErrInvalid, "WithSpecValue has a value of another program than WithProgram")
		}
	}
	return o.exe.specs, nil
}
