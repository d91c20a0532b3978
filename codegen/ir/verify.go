package ir

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Verify checks the rules of the module's level and returns all that is broken.
// A finding is a bug of kgen's, never of the user's.
func Verify(m *Module) error {
	v := &verifier{m: m}
	for _, f := range append([]*Func{m.Kernel}, m.Helpers...) {
		v.fun(f)
	}
	return errors.Join(v.errs...)
}

type verifier struct {
	m    *Module
	f    *Func
	b    *Block
	dom  *DomTree
	at   map[*Value]int // place in its block; phis are -1
	vars map[*Var]bool
	errs []error
}

func (v *verifier) errorf(format string, args ...any) {
	where := ""
	if v.f != nil {
		where = v.f.Name + ": "
	}
	if v.b != nil {
		where += fmt.Sprintf("b%d: ", slices.Index(v.f.Blocks, v.b))
	}
	v.errs = append(v.errs, fmt.Errorf("%s%s", where, fmt.Sprintf(format, args...)))
}

func (v *verifier) fun(f *Func) {
	v.f, v.b = f, nil
	v.at, v.vars = map[*Value]int{}, map[*Var]bool{}
	for _, x := range f.Vars {
		v.vars[x] = true
	}
	for _, x := range v.m.Vars {
		v.vars[x] = true
	}
	if len(f.Blocks) == 0 {
		v.errorf("no blocks")
		return
	}
	if len(f.Blocks[0].Preds) > 0 {
		v.errorf("the entry block has predecessors")
	}
	v.edges(f)
	if len(v.errs) > 0 {
		return // the dominator tree needs sound edges
	}
	v.dom = f.Dominators()
	for _, b := range f.Blocks {
		for _, p := range b.Phis {
			v.at[p] = -1
		}
		for i, x := range b.Insts {
			v.at[x] = i
		}
	}
	for _, b := range f.Blocks {
		v.b = b
		if !v.dom.Reachable(b) {
			v.errorf("unreachable")
			continue
		}
		v.block(b)
	}
	v.b = nil
	if v.m.Level >= Structured {
		v.structure(f)
	}
}

// edges checks that predecessors and successors agree.
func (v *verifier) edges(f *Func) {
	count := map[[2]*Block]int{}
	for _, b := range f.Blocks {
		v.b = b
		want := map[TermKind]int{Jump: 1, Branch: 2, Return: 0, Unreachable: 0}
		n, ok := want[b.Term.Kind]
		if !ok || n != len(b.Term.Succs) {
			v.errorf("terminator %v with %d successors", b.Term.Kind, len(b.Term.Succs))
		}
		if (b.Term.Cond != nil) != (b.Term.Kind == Branch) {
			v.errorf("terminator %v: condition", b.Term.Kind)
		}
		for _, s := range b.Term.Succs {
			count[[2]*Block{b, s}]++
			if !slices.Contains(f.Blocks, s) {
				v.errorf("successor is not in the function")
			}
		}
	}
	for _, b := range f.Blocks {
		v.b = b
		for _, p := range b.Preds {
			count[[2]*Block{p, b}]--
		}
	}
	for k, n := range count {
		if n != 0 {
			v.b = k[0]
			v.errorf("edge to b%d: successors and predecessors differ by %d", slices.Index(f.Blocks, k[1]), n)
		}
	}
	v.b = nil
}

func (v *verifier) block(b *Block) {
	for _, p := range b.Phis {
		if p.Op != OpPhi || p.Block != b {
			v.errorf("misplaced phi %s", p.LongString())
		}
		if len(p.Args) != len(b.Preds) {
			v.errorf("phi with %d arguments for %d predecessors", len(p.Args), len(b.Preds))
			continue
		}
		for i, a := range p.Args {
			if a == nil || a.Type != p.Type {
				v.errorf("argument %d of %s: type", i, p.LongString())
				continue
			}
			if !v.reaches(a, b.Preds[i], len(b.Preds[i].Insts)) {
				v.errorf("argument %d of phi %s does not dominate its edge", i, p.LongString())
			}
		}
	}
	for i, x := range b.Insts {
		if x.Op == OpPhi || x.Op.Has(FlagConst) || x.Op == OpInvalid || x.Block != b {
			v.errorf("misplaced value %s", x.LongString())
		}
		for j, a := range x.Args {
			if a == nil {
				v.errorf("%v: argument %d is missing", x.Op, j)
			} else if !v.reaches(a, b, i) {
				v.errorf("argument %d of %s does not dominate it", j, x.LongString())
			}
		}
		if !slices.Contains(x.Args, nil) {
			v.value(x)
		}
	}
	if c := b.Term.Cond; c != nil {
		if c.Type != TypeBool {
			v.errorf("branch on %v", c.Type)
		}
		if !v.reaches(c, b, len(b.Insts)) {
			v.errorf("branch condition %s does not dominate", c.LongString())
		}
	}
}

// reaches reports whether a is defined wherever place i of block b is reached.
func (v *verifier) reaches(a *Value, b *Block, i int) bool {
	if a.Block == nil {
		return a.IsConstExpr() || slices.Contains(v.f.Params, a)
	}
	at, ok := v.at[a]
	if !ok {
		return false
	}
	if a.Block == b {
		return at < i
	}
	return v.dom.Dominates(a.Block, b)
}

// value checks a value against its op's row.
func (v *verifier) value(x *Value) {
	info := x.Op.Info()
	in, out, _ := strings.Cut(info.Sig, ":")
	path := x.Path()
	args := x.Args
	if x.Op.Info().Aux == AuxRef {
		v.ref(x, path)
		args = args[:len(args)-len(path)]
		if x.Op != OpZero && x.Op != OpZeroLocal {
			in = strings.TrimSuffix(in, ".")
		}
	}
	var same [3]*Type // of I, F and S
	class := func(c byte, t *Type) bool {
		switch c {
		case 'b':
			return t == TypeBool
		case 'w':
			return t == TypeI32
		case 'q':
			return t == TypeI64
		case 'a':
			return t == TypeAddr
		case 'i':
			return t.IsInt()
		case 'f':
			return t.IsFloat()
		case 's':
			return t.IsScalar()
		case 'I', 'F', 'S':
			k := strings.IndexByte("IFS", c)
			if same[k] == nil {
				same[k] = t
			}
			return same[k] == t && [3]bool{t.IsInt(), t.IsFloat(), t.IsScalar()}[k]
		}
		return false
	}
	if in != "*" {
		if len(in) != len(args) {
			v.errorf("%s: %d arguments, want %d", x.LongString(), len(args), len(in))
			return
		}
		for i, a := range args {
			if !class(in[i], a.Type) {
				v.errorf("%s: argument %d has type %v, want class %c", x.LongString(), i, a.Type, in[i])
			}
		}
	}
	if out == "-" {
		if x.Type != TypeVoid {
			v.errorf("%s: has a result", x.LongString())
		}
	} else if !class(out[0], x.Type) {
		v.errorf("%s: result has type %v, want class %c", x.LongString(), x.Type, out[0])
	}
	if v.m.Level == Legal && (x.Op == OpFault || x.Op == OpZeroLocal) {
		v.errorf("%s: not legal", x.LongString())
	}
	v.narrow(x)
}

// narrow checks that 8- and 16-bit integers are only moved and converted.
func (v *verifier) narrow(x *Value) {
	switch x.Op {
	case OpLoad, OpStore, OpSConvert, OpUConvert, OpArg, OpPhi, OpBitcast:
		return
	}
	for _, t := range append([]*Value{x}, x.Args...) {
		if t.Type == TypeI8 || t.Type == TypeI16 {
			v.errorf("%s: arithmetic on %v", x.LongString(), t.Type)
			return
		}
	}
}

// ref checks a memory reference.
func (v *verifier) ref(x *Value, path []*Value) {
	r := x.Ref()
	if r == nil {
		v.errorf("%s: no reference", x.LongString())
		return
	}
	if r.Var != nil && !v.vars[r.Var] {
		v.errorf("%s: variable of another function", x.LongString())
	}
	if r.Var == nil && (len(path) < 2 || path[0].Type != TypeAddr || !path[1].Type.IsInt()) {
		v.errorf("%s: device memory without an address and an index", x.LongString())
		return
	}
	leaf := r.Leaf(path)
	if leaf == nil {
		v.errorf("%s: path does not fit", x.LongString())
		return
	}
	var t *Type
	switch x.Op {
	case OpLoad, OpAtomicCompareExchange:
		t = x.Type
	case OpStore:
		t = x.Args[0].Type
	default:
		return
	}
	if leaf != t {
		v.errorf("%s: memory of type %v", x.LongString(), leaf)
	}
}

// structure checks SPIR-V's rules of structured control flow (SPIR-V 2.11).
func (v *verifier) structure(f *Func) {
	merges := map[*Block]*Block{}
	continues := map[*Block]*Block{}
	for _, b := range f.Blocks {
		v.b = b
		if b.Merge == nil {
			if b.Continue != nil {
				v.errorf("a continue block without a merge block")
			}
			continue
		}
		if h := merges[b.Merge]; h != nil {
			v.errorf("its merge block is also that of b%d", slices.Index(f.Blocks, h))
		}
		merges[b.Merge] = b
		if b.Continue != nil {
			continues[b.Continue] = b
		}
		if v.dom.Reachable(b.Merge) && !v.dom.Dominates(b, b.Merge) {
			v.errorf("does not dominate its merge block")
		}
	}
	for _, b := range f.Blocks {
		v.b = b
		back := 0
		for _, p := range b.Preds {
			if v.dom.IsBackEdge(p, b) {
				back++
				if b.Continue == nil || !v.dom.Dominates(b.Continue, p) {
					v.errorf("a back edge that does not come from the continue construct")
				}
			}
		}
		if back > 1 || back == 0 && b.Continue != nil && len(b.Continue.Preds) > 0 {
			v.errorf("%d back edges", back)
		}
		if b.Term.Kind != Branch {
			continue
		}
		if b.Term.Succs[0] == b.Term.Succs[1] {
			v.errorf("both arms lead to one block")
		}
		if b.Merge == nil && !v.exits(merges, continues, b) {
			v.errorf("a branch without a merge block, neither arm of which leaves a loop")
		}
	}
	v.b = nil
}

// exits reports whether an arm of b's branch leads to the merge or continue
// block of a loop.
func (v *verifier) exits(merges, continues map[*Block]*Block, b *Block) bool {
	for _, s := range b.Term.Succs {
		if h := merges[s]; h != nil && h.Continue != nil {
			return true
		}
		if continues[s] != nil || s.Continue != nil {
			return true
		}
	}
	return false
}
