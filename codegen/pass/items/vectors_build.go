package items

// This file generates the code of work-groups that access memory by vectors (see vectors.go).

import (
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// vectorBuilder generates code for items that run in lockstep.
type vectorBuilder struct {
	*vectorKernel
	ahead *ir.Block                 // block for the values that are the same for all items
	cur   *ir.Block                 // block to which code is appended
	exit  *ir.Block                 // block to which items jump at their end
	had   map[*ir.Value]*ir.Value   // copies of the values that are the same for all items; the keys are the original values
	each  []map[*ir.Value]*ir.Value // maps from values to their copies, one map for each item
	ids   []*ir.Value               // ids of the items
	index map[int][]*ir.Value       // maps an element's size in bytes to the indices of the vectors
	parts map[*ir.Value]wordPart    // maps a loaded element of a packed vector to its position in a 32-bit word
}

// wordPart describes the position of a packed element in a 32-bit word.
type wordPart struct {
	word *ir.Value
	at   int
}

// buildFast generates the fast code and returns its first block. buildFast also appends code to
// block "start". The appended code computes the condition `ok`: a work-group runs the fast code if
// `ok` is true. The argument group is the work-group's id, size is the number of its invocations,
// and local is the invocation's id within the group.
func (x *vectorKernel) buildFast(start, exit *ir.Block, group, size, local *ir.Value) (fast *ir.Block, ok *ir.Value) {
	b := &vectorBuilder{vectorKernel: x, ahead: start, exit: exit, had: map[*ir.Value]*ir.Value{},
		index: map[int][]*ir.Value{}, parts: map[*ir.Value]wordPart{}}
	before := start.Append(ir.OpIMul, ir.TypeI32, group, size)
	ok = b.fastCondition(before, size)
	fast = x.f.NewBlock()
	b.ahead, b.cur = fast, fast
	b.numberItems(before, size, local)
	b.buildBody()
	return fast, ok
}

// numberItems computes the indices of the invocation's vectors and the ids of its items. If an invocation has
// more items than a vector has elements, its items form several runs of adjacent items. The indices of the vectors of
// successive runs differ by the work-group's size.
func (b *vectorBuilder) numberItems(before, size, local *ir.Value) {
	op := func(op ir.Op, x, y *ir.Value) *ir.Value { return b.cur.Append(op, ir.TypeI32, x, y) }
	num := func(n int) *ir.Value { return b.m.Int(ir.TypeI32, int64(n)) }
	n := b.items / b.lanes
	if n > 1 {
		before = op(ir.OpIMul, before, num(n))
	}
	run := op(ir.OpIAdd, before, local)
	for h := range n {
		if h > 0 {
			run = op(ir.OpIAdd, run, size)
		}
		id := op(ir.OpIMul, run, num(b.lanes))
		for k := range b.lanes {
			if k > 0 {
				id = op(ir.OpIAdd, b.ids[h*b.lanes], num(k))
			}
			b.ids, b.each = append(b.ids, id), append(b.each, map[*ir.Value]*ir.Value{})
		}
		for bytes := b.least; bytes <= b.most; bytes *= 2 {
			index := run
			for k := range bytes / b.least {
				switch {
				case bytes > b.least && k == 0:
					index = op(ir.OpIMul, run, num(bytes/b.least))
				case k > 0:
					index = op(ir.OpIAdd, b.index[bytes][h*bytes/b.least], num(k))
				}
				b.index[bytes] = append(b.index[bytes], index)
			}
		}
	}
}

// fastCondition computes whether all items of the work-group exist and pass their checks,
// and all slices are aligned. nBefore is the number of invocations in the preceding
// work-groups.
func (b *vectorBuilder) fastCondition(nBefore, size *ir.Value) *ir.Value {
	s, m := b.ahead, b.m
	i32 := func(op ir.Op, args ...*ir.Value) *ir.Value { return s.Append(op, ir.TypeI32, args...) }
	last := i32(ir.OpISub, i32(ir.OpIMul, i32(ir.OpIAdd, nBefore, size), m.Int(ir.TypeI32, int64(b.items))), m.Int(ir.TypeI32, 1))
	all := m.Bool(true)
	and := func(v *ir.Value) {
		if facts.IsOne(all) {
			all = v
		} else {
			all = s.Append(ir.OpLAnd, ir.TypeBool, all, v)
		}
	}
	for _, t := range b.tests {
		and(b.boundTest(t, last))
	}
	var low *ir.Value
	for _, base := range b.bases {
		x := i32(ir.OpLow, b.fixedValue(base))
		if low != nil {
			x = i32(ir.OpOr, low, x)
		}
		low = x
	}
	and(s.Append(ir.OpIEq, ir.TypeBool, i32(ir.OpAnd, low, m.Int(ir.TypeI32, vectorBytes-1)), m.Int(ir.TypeI32, 0)))
	return all
}

// boundTest computes whether the bound t has its required value for the item with the given
// id.
func (b *vectorBuilder) boundTest(t bound, id *ir.Value) *ir.Value {
	var as func(v *ir.Value) *ir.Value
	as = func(v *ir.Value) *ir.Value {
		if v.Op == ir.OpBuiltIn {
			return id
		}
		return b.ahead.Append(v.Op, v.Type, as(v.Args[0]))
	}
	v := t.cond
	if t.id == noOperand {
		v = b.fixedValue(v)
	} else {
		args := make([]*ir.Value, 2)
		args[t.id], args[1-t.id] = as(v.Args[t.id]), b.fixedValue(v.Args[1-t.id])
		v = b.ahead.Append(v.Op, ir.TypeBool, args...)
	}
	if !t.want {
		v = b.ahead.Append(ir.OpLNot, ir.TypeBool, v)
	}
	return v
}

// fixedValue returns a copy of v in block "ahead". The value v must be the same for all items.
func (b *vectorBuilder) fixedValue(v *ir.Value) *ir.Value {
	if v.Block == nil {
		return v
	}
	if w := b.had[v]; w != nil {
		return w
	}
	args := make([]*ir.Value, len(v.Args))
	for i, a := range v.Args {
		args[i] = b.fixedValue(a)
	}
	b.had[v] = copyTo(b.ahead, v, args)
	return b.had[v]
}

// copyTo appends to b a copy of v with the given operands.
func copyTo(b *ir.Block, v *ir.Value, args []*ir.Value) *ir.Value {
	w := b.Append(v.Op, v.Type, args...)
	w.Bits, w.Aux, w.Pos = v.Bits, v.Aux, v.Pos
	return w
}

// copyOf returns the copy of v for item k.
func (b *vectorBuilder) copyOf(v *ir.Value, k int) *ir.Value {
	switch {
	case v.Op == ir.OpBuiltIn && v.Aux == ir.GlobalInvocationIDX:
		return b.ids[k]
	case b.isUniform(v):
		return b.fixedValue(v)
	case b.had[v] != nil:
		return b.had[v]
	}
	return b.each[k][v]
}

func (b *vectorBuilder) copiesOf(list []*ir.Value, k int) []*ir.Value {
	out := make([]*ir.Value, len(list))
	for i, v := range list {
		out[i] = b.copyOf(v, k)
	}
	return out
}

// buildBody generates code for each block of the spine (the blocks that all items reach), in order.
// The code between two blocks of the spine, where items may take different paths, is copied for
// each item.
func (b *vectorBuilder) buildBody() {
	for i := 0; i < len(b.order); {
		at := b.order[i]
		for _, v := range at.Insts {
			b.buildInst(v)
		}
		i++
		end := i // end of the range of blocks between this block of the spine and the next
		for end < len(b.order) && !b.spine[b.order[end]] {
			end++
		}
		between := b.order[i:end]
		i = end
		switch n, known := b.onlyEdge(at); {
		case at.Term.Kind == ir.Return:
			b.cur.Jump(b.exit)
			return
		case known:
			to := at.Term.Succs[n]
			for k := range b.each {
				for _, phi := range to.Phis {
					b.each[k][phi] = b.copyOf(phi.Args[edgeIndex(at, n)], k)
				}
			}
		default:
			var to *ir.Block
			if end < len(b.order) {
				to = b.order[end]
			}
			for k := range b.each {
				b.copyRegion(at, to, between, k)
			}
			if to == nil {
				b.cur.Jump(b.exit)
			}
		}
	}
}

// onlyEdge returns the index of the only edge by which control can leave the given block. If
// several edges are possible, onlyEdge returns false.
func (b *vectorBuilder) onlyEdge(at *ir.Block) (int, bool) {
	if at.Term.Kind == ir.Jump {
		return 0, true
	}
	n, ok := b.taken[at]
	return n, ok
}

// buildInst generates the code for the op v of a block that all items reach.
func (b *vectorBuilder) buildInst(v *ir.Value) {
	switch {
	case b.accesses[v] && v.Op == ir.OpLoad:
		b.loadVectors(v)
	case b.accesses[v]:
		b.storeVectors(v)
	case v.Op == ir.OpLoad && v.Ref().Var == nil: // a load of the same element by all items
		b.had[v] = copyTo(b.cur, v, b.copiesOf(v.Args, 0))
	default:
		b.copyScalar(v)
	}
}

// loadVectors replaces the load v of the items' elements by loads of vectors.
func (b *vectorBuilder) loadVectors(v *ir.Value) {
	n := vectorBytes / v.Type.Size
	var x, word *ir.Value
	extract := func(t *ir.Type, i int) *ir.Value {
		e := b.cur.Append(ir.OpVecExtract, t, x)
		e.Bits, e.Pos = uint64(i), v.Pos
		return e
	}
	for k := range b.each {
		i := k % n
		if i == 0 {
			t := vectorOf(v.Type)
			x = b.vectorAccess(v, t, k/n, b.cur.Append(ir.OpLoad, t))
		}
		if !isPacked(v.Type) {
			b.each[k][v] = extract(v.Type, i)
			continue
		}
		at := i % (4 / v.Type.Size)
		if at == 0 {
			word = extract(ir.TypeI32, i*v.Type.Size/4)
		}
		e := word
		if at > 0 {
			e = b.cur.Append(ir.OpShrL, ir.TypeI32, word, b.m.Int(ir.TypeI32, int64(8*at*v.Type.Size)))
		}
		e = b.cur.Append(ir.OpUConvert, v.Type, e)
		b.each[k][v], b.parts[e] = e, wordPart{word, at}
	}
}

// storeVectors replaces the store v of the items' elements by stores of vectors.
func (b *vectorBuilder) storeVectors(v *ir.Value) {
	elem := v.Args[0].Type
	n := vectorBytes / elem.Size
	for q := range len(b.each) / n {
		values := make([]*ir.Value, n)
		for i := range values {
			values[i] = b.copyOf(v.Args[0], q*n+i)
		}
		if isPacked(elem) {
			values = b.packWords(values)
		}
		t := vectorOf(elem)
		x := b.cur.Append(ir.OpVecMake, t, values...)
		x.Pos = v.Pos
		b.vectorAccess(v, t, q, b.cur.Append(ir.OpStore, ir.TypeVoid, x))
	}
}

// packWords returns 32-bit words that contain the given elements.
func (b *vectorBuilder) packWords(elems []*ir.Value) []*ir.Value {
	bytes := elems[0].Type.Size
	var words []*ir.Value
	for n := 4 / bytes; len(elems) > 0; elems = elems[n:] {
		whole := b.parts[elems[0]].word // the loaded 32-bit word that contains exactly these elements in order, or nil
		for i, e := range elems[:n] {
			if b.parts[e] != (wordPart{whole, i}) {
				whole = nil
			}
		}
		if whole != nil {
			words = append(words, whole)
			continue
		}
		var word *ir.Value
		for i, e := range elems[:n] {
			e = b.cur.Append(ir.OpUConvert, ir.TypeI32, e)
			if i == 0 {
				word = e
				continue
			}
			e = b.cur.Append(ir.OpShl, ir.TypeI32, e, b.m.Int(ir.TypeI32, int64(8*i*bytes)))
			word = b.cur.Append(ir.OpOr, ir.TypeI32, word, e)
		}
		words = append(words, word)
	}
	return words
}

// copyScalar copies the op v for each item, unless v is the same for all items.
func (b *vectorBuilder) copyScalar(v *ir.Value) {
	for k := range b.each {
		b.scalarOf(v, k, b.cur)
	}
}

// scalarOf appends a copy of the op v for item k to block "to".
func (b *vectorBuilder) scalarOf(v *ir.Value, k int, to *ir.Block) {
	if v.Op.Has(ir.FlagPure) && (b.isUniform(v) || v.Op == ir.OpBuiltIn && v.Aux == ir.GlobalInvocationIDX) {
		return // the copy already exists
	}
	b.each[k][v] = copyTo(to, v, b.copiesOf(v.Args, k))
}

// vectorAccess completes the load or store w of a vector of type t. The access w replaces the op v
// for the items whose elements are in vector number q.
func (b *vectorBuilder) vectorAccess(v *ir.Value, t *ir.Type, q int, w *ir.Value) *ir.Value {
	w.Args = append(w.Args, b.copyOf(v.Path()[0], 0), b.index[v.Ref().Elem.Size][q])
	w.Aux, w.Pos = &ir.Ref{Elem: t}, v.Pos
	return w
}

// copyRegion creates item k's copy of the blocks on the paths between two blocks. Block "at" ends
// with a branch into the paths, and block "to" follows the paths. If block "to" is nil, the paths
// lead to the end of the kernel.
func (b *vectorBuilder) copyRegion(at, to *ir.Block, between []*ir.Block, k int) {
	join := b.f.NewBlock()
	copies := map[*ir.Block]*ir.Block{}
	phis := func(from, at *ir.Block) { // copies the phis of one block to another block
		for _, phi := range from.Phis {
			w := at.NewPhi(phi.Type)
			w.Pos = phi.Pos
			b.each[k][phi] = w
		}
	}
	for _, x := range between {
		c := b.f.NewBlock()
		copies[x] = c
		phis(x, c)
		for _, v := range x.Insts {
			b.scalarOf(v, k, c)
		}
	}
	if to != nil {
		phis(to, join)
		copies[to] = join
	}
	end := func(from, c *ir.Block) {
		t := ir.Term{Kind: ir.Jump, Pos: from.Term.Pos}
		edges := []int{0, 1}
		switch n, known := b.onlyEdge(from); {
		case from.Term.Kind == ir.Return:
			t.Succs = []*ir.Block{join}
			c.SetTerm(t)
			return
		case known:
			edges = []int{n}
		default:
			t.Kind, t.Cond = ir.Branch, b.copyOf(from.Term.Cond, k)
		}
		for _, n := range edges {
			t.Succs = append(t.Succs, copies[from.Term.Succs[n]])
		}
		c.SetTerm(t)
		for _, n := range edges {
			s := from.Term.Succs[n]
			for _, phi := range s.Phis {
				w := b.each[k][phi]
				w.Args = append(w.Args, b.copyOf(phi.Args[edgeIndex(from, n)], k))
			}
		}
	}
	end(at, b.cur)
	for _, x := range between {
		end(x, copies[x])
	}
	b.cur = join
}
