package kernelimpl

import (
	"unsafe"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/runtime/internal/host"
	"github.com/kgen-go/kgen/runtime/internal/launch"
)

// Receiver sets all arguments of a launch from the fields of the kernel that k points to. The
// kernel's slices are the caller's memory. Receiver has the same effect as a call of [Value],
// [Slice] or [Accessor] for each field. Receiver finds each field at the offset
// abi.Param.HostOffset, which is valid on 64-bit machines.
func Receiver[K any](l *Launch, k *K) {
	params := l.kernel.ABI().Params
	for i := range params {
		p, at := &params[i], fieldOf(k, &params[i])
		switch {
		case p.IsPrint(): // the runtime sets the print buffer
		case p.Internal > 0: // launches have no argument for an internal slice
		case p.Kind == abi.Slice:
			s := *(*[]byte)(at) // the header of a slice has the same layout for elements of any type
			l.call.Host = append(l.call.Host, launch.HostArg{Param: i, Ptr: unsafe.Pointer(unsafe.SliceData(s)),
				Len: len(s), Size: uint64(len(s)) * uint64(p.ElemSize)})
		case p.Kind == abi.LocalAccessor:
			Accessor(l, (*dsl.LocalAccessor[byte])(at).Len())
		default:
			if p.Offset >= 0 {
				copy(l.call.Args[p.Offset:][:p.Size], unsafe.Slice((*byte)(at), p.Size))
			}
		}
	}
}

// HostReceiver returns a kernel whose fields are the arguments of a launch on the host device. The
// fields have the values that [HostValue], [HostSlice] and [HostLen] return.
func HostReceiver[K any](a *HostArgs) *K {
	k := new(K)
	params := a.Params()
	for i := range params {
		p, at := &params[i], fieldOf(k, &params[i])
		switch {
		case p.IsPrint():
		case p.Internal > 0:
			*(*[]byte)(at) = host.Internal[byte](a, i)
		case p.Kind == abi.Slice:
			*(*[]byte)(at) = host.Slice[byte](a, i)
		case p.Kind == abi.LocalAccessor:
			*(*dsl.LocalAccessor[byte])(at) = dsl.LocalLen[byte](host.Len(a, i))
		default:
			if p.Offset >= 0 {
				copy(unsafe.Slice((*byte)(at), p.Size), a.Bytes(i))
			}
		}
	}
	return k
}

// fieldOf returns the address of the field in *k that corresponds to a parameter.
func fieldOf[K any](k *K, p *abi.Param) unsafe.Pointer {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		panic("stubs without functions that know the kernels' fields need a machine of 64 bits")
	}
	return unsafe.Add(unsafe.Pointer(k), p.HostOffset)
}
