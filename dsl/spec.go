package dsl

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"unsafe"

	"github.com/kgen-go/kgen/internal/dslhook"
)

// SpecConstant is a specialization constant. The value of the constant is set after kgen has
// compiled the kernels, and before a device's driver compiles them. For the driver the value is
// fixed, so array lengths, loop bounds and branches that depend on the value cost nothing.
//
// A specialization constant is declared as a package-level variable that is exported and never
// written. The method Get reads the value. The host sets the value for a launch (runtime.WithSpec)
// or for a program (runtime.SetSpec). T is a bool, integer or float type, or an array or struct of
// values of such types. An int or uint constant has values of 32 bits on every device, and a larger
// value is an error. An int64 or uint64 constant has values of 64 bits.
//
// A directive in the variable's doc comment gives the constant an explicit number, for programs
// that set constants by number (Program.SetSpecByID). kgen chooses the numbers of all other
// constants.
//
//	//kgen:spec id=42
//	var Tile = dsl.NewSpecConstant(16)           // 16 unless it is set
//	var Width = dsl.RequireSpecConstant[int32]() // must be set
//
//	func (k Blur) Kernel(it dsl.Item1) {
//		for i := range Tile.Get(it) {
type SpecConstant[T any] struct {
	def  T
	info dslhook.SpecInfo
}

// NewSpecConstant declares a constant with the default value def.
// For kernels, def is a constant, or a composite literal of constants.
func NewSpecConstant[T any](def T) *SpecConstant[T] {
	c := &SpecConstant[T]{def: def}
	c.info = dslhook.SpecInfo{Type: reflect.TypeFor[T](), Default: unsafe.Pointer(&c.def), Pos: callerPos()}
	return c
}

// RequireSpecConstant declares a constant without a default value. The program must set the constant
// before it builds or launches a kernel that reads the constant.
func RequireSpecConstant[T any]() *SpecConstant[T] {
	c := &SpecConstant[T]{}
	c.info = dslhook.SpecInfo{Type: reflect.TypeFor[T](), Required: true, Pos: callerPos()}
	return c
}

// If f calls callerPos, callerPos returns the source position at which f was called.
func callerPos() string {
	_, file, line, ok := runtime.Caller(2)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// Get returns the constant's value in the launch that h belongs to. If h is a zero item, which
// belongs to no launch, Get panics. Host code reads a constant's value by runtime.GetSpec, or from
// the result of runtime.SetSpec.
func (c *SpecConstant[T]) Get(h KernelHandler) T {
	l := launchOf(h, "SpecConstant.Get")
	for i := range l.Specs {
		if s := &l.Specs[i]; s.Const == &c.info {
			return *(*T)(s.Value)
		}
	}
	if c.info.Default == nil && c.info.Type.Size() > 0 { // a type of size 0 has only one value
		panic(fmt.Sprintf("dsl: the specialization constant declared at %s has no value", c.info.Pos))
	}
	return c.def
}

// AnySpecConstant is implemented by a *[SpecConstant] of any type. AnySpecConstant is sealed.
type AnySpecConstant interface {
	specInfo() *dslhook.SpecInfo
}

func (c *SpecConstant[T]) specInfo() *dslhook.SpecInfo {
	if c == nil || c.info.Type == nil {
		return nil
	}
	return &c.info
}

func init() {
	dslhook.InfoOf = func(c any) *dslhook.SpecInfo {
		if c, ok := c.(AnySpecConstant); ok {
			return c.specInfo()
		}
		return nil
	}
}

// launchOf returns the launch of a work-item. Outside of a launch, launchOf panics with an error
// that matches runtime.ErrFeatureNotSupported.
func launchOf(h KernelHandler, what string) *dslhook.Launch {
	if h != nil {
		if l := h.launch(); l != nil {
			return l
		}
	}
	panic(hostCall{fmt.Errorf("dsl: %s outside of a kernel: %w", what, dslhook.ErrFeatureNotSupported)})
}

// hostCall is the panic value if the host calls a function that only work-items may call.
type hostCall struct{ error }

func (h hostCall) Unwrap() error { return errors.Unwrap(h.error) }
