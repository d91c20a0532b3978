package lanes

import "github.com/kgen-go/kgen/codegen/ir"

// maxIndexNodes is the largest number of operations of an index that is computed for all work-items.
const maxIndexNodes = 64

// An indexFunc computes an index for the work-item with the given local ids along x, y and z. An
// indexFunc returns false if the index is undefined, as after a division by zero.
type indexFunc func(ids [3]uint64) (uint64, bool)

// indexOfIDs returns a function that computes the integer v. indexOfIDs returns nil if v depends on values
// other than constants and local ids, or if v has more than *nodes operations. The work-group has the given
// size.
func indexOfIDs(v *ir.Value, size [3]int, nodes *int) indexFunc {
	if *nodes--; *nodes < 0 || !v.Type.IsInt() {
		return nil
	}
	bits := v.Type.Bits()
	mask := ^uint64(0) >> (64 - bits)
	if v.IsConst() {
		return func([3]uint64) (uint64, bool) { return v.Bits & mask, true }
	}
	if v.Op == ir.OpBuiltIn {
		switch b := v.Aux.(ir.BuiltIn); b {
		case ir.LocalInvocationIDX, ir.LocalInvocationIDX + 1, ir.LocalInvocationIDX + 2:
			return func(ids [3]uint64) (uint64, bool) { return ids[b-ir.LocalInvocationIDX], true }
		case ir.LocalInvocationIndex:
			x, xy := uint64(size[0]), uint64(size[0]*size[1])
			return func(ids [3]uint64) (uint64, bool) { return ids[0] + x*ids[1] + xy*ids[2], true }
		}
		return nil
	}
	args := make([]indexFunc, len(v.Args))
	for i, a := range v.Args {
		if args[i] = indexOfIDs(a, size, nodes); args[i] == nil {
			return nil
		}
	}
	switch combine := integerOps[v.Op]; {
	case v.Op == ir.OpUConvert || v.Op == ir.OpSConvert:
		unused := 0
		if v.Op == ir.OpSConvert {
			unused = 64 - v.Args[0].Type.Bits()
		}
		return func(ids [3]uint64) (uint64, bool) {
			x, ok := args[0](ids)
			if unused > 0 {
				x = uint64(int64(x<<unused) >> unused)
			}
			return x & mask, ok
		}
	case combine != nil:
		return func(ids [3]uint64) (uint64, bool) {
			x, ok1 := args[0](ids)
			y, ok2 := args[1](ids)
			if !ok1 || !ok2 {
				return 0, false
			}
			r, ok := combine(x, y, bits)
			return r & mask, ok
		}
	}
	return nil
}

// integerOps contains the operations of indices, for unsigned operands of the given number of bits. An operation
// returns false where SPIR-V leaves the result undefined.
var integerOps = map[ir.Op]func(x, y uint64, bits int) (uint64, bool){
	ir.OpIAdd: func(x, y uint64, _ int) (uint64, bool) { return x + y, true },
	ir.OpISub: func(x, y uint64, _ int) (uint64, bool) { return x - y, true },
	ir.OpIMul: func(x, y uint64, _ int) (uint64, bool) { return x * y, true },
	ir.OpAnd:  func(x, y uint64, _ int) (uint64, bool) { return x & y, true },
	ir.OpOr:   func(x, y uint64, _ int) (uint64, bool) { return x | y, true },
	ir.OpXor:  func(x, y uint64, _ int) (uint64, bool) { return x ^ y, true },
	ir.OpShl:  func(x, y uint64, bits int) (uint64, bool) { return x << y, y < uint64(bits) },
	ir.OpShrL: func(x, y uint64, bits int) (uint64, bool) { return x >> y, y < uint64(bits) },
	ir.OpUDiv: func(x, y uint64, _ int) (uint64, bool) { return x / max(y, 1), y > 0 },
	ir.OpUMod: func(x, y uint64, _ int) (uint64, bool) { return x % max(y, 1), y > 0 },
}
