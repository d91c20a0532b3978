package rewrite

// This file has functions that replace values in all their uses.

import "github.com/kgen-go/kgen/codegen/ir"

// OnePred removes the phis of blocks with one predecessor. OnePred replaces each use of a removed
// phi by the phi's only argument.
func OnePred(f *ir.Func) {
	repl := map[*ir.Value]*ir.Value{}
	for _, b := range f.Blocks[1:] {
		if len(b.Preds) == 1 {
			for _, phi := range b.Phis {
				repl[phi] = phi.Args[0]
			}
			b.Phis = nil
		}
	}
	ReplaceUses(f, (&Promoter{Repl: repl}).Resolve)
}

// ReplaceUses replaces each operand and each branch condition v in f by resolve(v).
func ReplaceUses(f *ir.Func, resolve func(*ir.Value) *ir.Value) {
	for _, b := range f.Blocks {
		for _, vs := range [2][]*ir.Value{b.Phis, b.Insts} {
			for _, v := range vs {
				for k, a := range v.Args {
					v.Args[k] = resolve(a)
				}
			}
		}
		if b.Term.Cond != nil {
			b.Term.Cond = resolve(b.Term.Cond)
		}
	}
}
