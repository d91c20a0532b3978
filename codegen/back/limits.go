package back

import (
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// siteLimits returns the limit of each fault site of a module, for abi.Site. The limit of a fault
// site is a number in the text of the Go panic, such as a length. The host device runs the kernel's
// Go code, and a Go panic reports only the source line. If a source line has several fault sites,
// the limit in the panic's text identifies the fault site.
func siteLimits(m *ir.Module) map[*ir.Site]int64 {
	limits := map[*ir.Site]int64{}
	for _, b := range m.Kernel.Blocks {
		for _, v := range b.Insts {
			if v.Op != ir.OpFault {
				continue
			}
			s, n := v.Aux.(*ir.Site), faultLimit(m, v.Args[1])
			if was, ok := limits[s]; ok && was != n {
				n = 0
			}
			limits[s] = n
		}
	}
	return limits
}

// faultLimit returns the limit of a fault site. Parameter b is the second value in the fault
// record, for example a length.
func faultLimit(m *ir.Module, b *ir.Value) int64 {
	for b.Op == ir.OpSConvert || b.Op == ir.OpUConvert {
		b = b.Args[0]
	}
	switch {
	case b.IsConst():
		return max(b.Int(), 0)
	case b.Op == ir.OpArg:
		at := int(b.Bits) - abi.OffsetArgs - 8
		return -1 - int64(slices.IndexFunc(m.Params, func(p abi.Param) bool { return p.Kind == abi.Slice && p.Offset == at }))
	}
	return 0
}
