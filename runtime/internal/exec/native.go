package exec

import (
	"slices"
	"sync"

	"github.com/kgen-go/kgen/abi"
)

// nativeModules contains a kernel's modules for devices with matrix instructions. Devices with the
// same matrix products use the same module.
type nativeModules struct {
	mu   sync.Mutex
	made []*native
}

type native struct {
	target abi.NativeTarget
	get    func() (*abi.NativeModule, error)
}

// Native returns the module for a device with matrix instructions. The first call makes the module,
// and concurrent calls wait. Later calls return the same module or the same error. The field
// abi.Kernel.MakeNative of the kernel must not be nil.
func (k *Kernel) Native(t abi.NativeTarget) (*abi.NativeModule, error) {
	return k.native(t)()
}

func (k *Kernel) native(t abi.NativeTarget) func() (*abi.NativeModule, error) {
	n := &k.natives
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, m := range n.made {
		if m.target.Small == t.Small && m.target.Cancel == t.Cancel && slices.Equal(m.target.Tuples, t.Tuples) {
			return m.get
		}
	}
	m := &native{t, sync.OnceValues(func() (*abi.NativeModule, error) { return k.ABI.MakeNative(k.ABI, t) })}
	n.made = append(n.made, m)
	return m.get
}
