package runtime

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/properties"
)

// kgen compiles the list that a kernel's Properties method returns while kgen runs. The same
// method is part of the program, so the runtime can ask it once more: a list that differs means
// that the module was compiled for other properties than the source states. The variables that
// the method reads may have changed, or the source has.

// States tells the kernel which method states its properties in this program; nil if the kernel's
// type has none. It is called while packages are initialized.
func (forStubs) States(k *Kernel, method func() properties.List) {
	k.stated = func() *Error { return k.compareStated(method) }
}

// checkStated returns an error if the kernel's Properties method returns another list than kgen
// has compiled. The method is called once in a program.
func (k *Kernel) checkStated() *Error {
	if k.stated == nil { // a kernel of LoadModule, or one that a graph has linked
		return nil
	}
	k.once.Do(func() { k.differs = k.stated() })
	return k.differs
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
		advise("make the list of constants, and of variables that nothing writes; if the source has changed, run go generate").about(k)
}

// sameSet reports whether two lists hold the same properties, whatever their order and that of the
// aspects in them. A property that stands twice in a list is no part of a set.
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
