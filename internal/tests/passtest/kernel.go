package passtest

import (
	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// NewKernel returns a kernel with a single block. The block loads the addresses of the kernel's slices.
func NewKernel(slices int) (m *ir.Module, b *ir.Block, addrs []*ir.Value) {
	m = ir.NewModule("t")
	m.Form, m.Rank = abi.NDRange, 1
	m.Kernel = m.NewFunc("main")
	b = m.Kernel.Blocks[0]
	for i := range slices {
		m.Params = append(m.Params, abi.Param{Name: string(rune('A' + i)), Kind: abi.Slice, Offset: m.ArgSize, Size: 16, ElemSize: 4, ElemAlign: 4})
		a := b.Append(ir.OpArg, ir.TypeAddr)
		a.Bits = uint64(abi.OffsetArgs + m.ArgSize)
		addrs = append(addrs, a)
		m.ArgSize += 16
	}
	return m, b, addrs
}
