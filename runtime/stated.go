package runtime

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/properties"
)

// kgen calls a kernel's Properties method, and compiles the kernel with the list that the method
// returns. The same method is part of the program, so the runtime can call it again. If the method
// then returns another list, the properties of the compiled module differ from the properties that
// the method now states. The lists differ if the source has changed, or if variables that the
// method reads have changed.

// States stores the Properties method of the kernel's type in the kernel. The parameter method is
// nil if the kernel's type has no Properties method. States is called during package
// initialization.
func (forStubs) States(k *Kernel, method func() properties.List) {
	k.statedDiffers = func() *Error { return k.compareStated(method) }
}

// checkStated returns an error if the kernel's Properties method does not return the list that kgen
// compiled the kernel with. checkStated calls the Properties method only once in a program.
func (k *Kernel) checkStated() *Error {
	if k.statedDiffers == nil { // the kernel comes from LoadModule, or a graph has linked it
		return nil
	}
	k.statedOnce.Do(func() { k.statedError = k.statedDiffers() })
	return k.statedError
}

func (k *Kernel) compareStated(method func() properties.List) *Error {
	want := slices.Clone(k.abi.Properties)
	if k.abi.Directed {
		want = slices.DeleteFunc(want, func(p properties.Property) bool { return p.Key() == properties.KeyDeviceHas })
	}
	var got properties.List
	problem := ""
	if method != nil {
		problem = func() (text string) {
			defer func() {
				if p := recover(); p != nil {
					text = fmt.Sprintf("panics in this program: %v", p)
				}
			}()
			got = method()
			return ""
		}()
	}
	if problem == "" && !sameSet(got, want) {
		problem = fmt.Sprintf("returns %v in this program", got)
	}
	if problem == "" {
		return nil
	}
	return errorf(ErrBuild, "its Properties method %s, and kgen has compiled it with %v", problem, want).
		advise("make the list of constants, and of variables that nothing writes; if the source has changed, run go generate").setKernel(k)
}

// sameSet reports whether two lists contain the same properties, whatever the order of properties
// and aspects is. sameSet returns false for a list that contains a property twice.
func sameSet(a, b properties.List) bool {
	if len(a) != len(b) || a.Validate() != nil || b.Validate() != nil {
		return false
	}
	aspects := func(p properties.Property) []properties.Aspect {
		all := p.Aspects()
		slices.Sort(all)
		return slices.Compact(all)
	}
	for _, p := range a {
		q, ok := b.Get(p.Key())
		if !ok || !p.Equal(q) && (p.Key() != properties.KeyDeviceHas || !slices.Equal(aspects(p), aspects(q))) {
			return false
		}
	}
	return true
}
