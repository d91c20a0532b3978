package runtime

import (
	"sync"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/host"
	"github.com/kgen-go/kgen/runtime/internal/launch"
)

// Kernel is a compiled kernel. Generated packages list theirs.
type Kernel struct {
	abi   *abi.Kernel
	host  host.Func
	name  string
	words func() []uint32
}

// NewKernel is called by generated code.
func NewKernel(k launch.Kernel) *Kernel {
	return &Kernel{
		abi: k.ABI, host: k.Host, name: shortName(k.ABI),
		words: sync.OnceValue(func() []uint32 { return moduleWords(k.ABI.SPIRV) }),
	}
}

// Name returns the kernel's package and type name, such as "saxpy.SAXPY".
func (k *Kernel) Name() string { return k.name }

// ABI returns the kernel's description, which must not be changed.
func (k *Kernel) ABI() *abi.Kernel { return k.abi }

// Properties returns the properties that the kernel itself states.
func (k *Kernel) Properties() properties.List {
	return append(properties.List(nil), k.abi.Properties...)
}

// Aspects returns the aspects that the kernel's code needs, sorted.
func (k *Kernel) Aspects() []properties.Aspect {
	return append([]properties.Aspect(nil), k.abi.Aspects...)
}

// moduleWords returns the words of a module.
func moduleWords(s string) []uint32 {
	w := make([]uint32, len(s)/4)
	for i := range w {
		w[i] = uint32(s[4*i]) | uint32(s[4*i+1])<<8 | uint32(s[4*i+2])<<16 | uint32(s[4*i+3])<<24
	}
	return w
}
