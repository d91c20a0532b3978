package gohost

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
)

// Host forms represent an address by a pair of a root and a distance in bytes. The root is the
// object to which the address belongs, and the distance is the offset of the address in the object.
// With a root and a distance, no Go pointer ever points outside of an object, even if the address
// does. If kgen can determine the root of an address, the Go variable for the address contains only
// the distance.

// These constants are the names of roots (objects into which addresses point) other than kernel
// parameters. The constant `dynamic` stands for a root that is not known before run time.
const (
	dynamic  = "?"
	nullRoot = "nil"
	dataRoot = "data"
)

// findRoots computes the root of every address value, by iteration until no root changes.
func (w *formWriter) findRoots() {
	w.roots = map[*ir.Value]string{}
	for changed := true; changed; {
		changed = false
		for _, v := range w.all {
			if v.Type.Kind != ir.Addr {
				continue
			}
			if r := w.rootOf(v); r != w.roots[v] {
				w.roots[v], changed = r, true
			}
		}
	}
}

func (w *formWriter) rootOf(v *ir.Value) string {
	switch v.Op {
	case ir.OpArg:
		return w.argRoot(v)
	case ir.OpAddrOf:
		if v.Ref().Var != nil {
			fail("the address of a variable")
		}
		return w.rootName(v.Args[0])
	case ir.OpPhi:
		return w.join(v.Args)
	case ir.OpSelect:
		return w.join(v.Args[1:])
	case ir.OpGroupUniform:
		return w.rootName(v.Args[0])
	}
	fail("%v of an address", v.Op)
	return ""
}

// rootName returns the root of address v, or "" if findRoots has not computed the root yet.
func (w *formWriter) rootName(v *ir.Value) string {
	if v.IsConst() {
		return nullRoot
	}
	return w.roots[v]
}

func (w *formWriter) join(args []*ir.Value) string {
	root := ""
	for _, a := range args {
		switch r := w.rootName(a); {
		case r == "" || r == root:
		case root == "":
			root = r
		default:
			return dynamic
		}
	}
	return root
}

// argRoot returns the root of the address that argument v loads from the launch block. The root is
// a kernel parameter or the constant data.
func (w *formWriter) argRoot(v *ir.Value) string {
	at := int(v.Bits) - abi.OffsetArgs
	for i, p := range w.m.Params {
		if p.Kind == abi.Slice && p.Offset == at {
			return fmt.Sprintf("p%d", i)
		}
	}
	if len(w.m.Data) > 0 && at == w.m.DataOffset {
		return dataRoot
	}
	fail("an address at offset %d of the launch block", v.Bits)
	return ""
}

// lenOf reports whether the launch block contains the length of a slice at offset off.
func (w *formWriter) lenOf(off int) bool {
	return slices.ContainsFunc(w.m.Params, func(p abi.Param) bool {
		return p.Kind == abi.Slice && p.Offset+8 == off-abi.OffsetArgs
	})
}

// memory describes where a host form stores a variable of the kernel.
type memory struct {
	row   int  // number that identifies the variable's memory in kernelimpl.HostGroup
	each  bool // whether each work-item has a separate copy, which keeps its contents across cuts
	table bool
	// size is the number of bytes of the variable if `count` is nil. Otherwise, `count` is the
	// number of elements of the variable, and `elem` is the number of bytes of an element.
	size  int
	count *ir.Value
	elem  int
}

// placeMemory decides where each variable of the kernel is stored.
func (w *formWriter) placeMemory() {
	w.memory, w.tables = map[*ir.Var]*memory{}, map[*ir.Var]string{}
	row := 0
	place := func(v *ir.Var, each bool) {
		checkMemory(v.Type, true)
		m := &memory{row: row, each: each}
		if v.Type.Kind == ir.Array && !v.Type.Len.IsConst() {
			m.count = v.Type.Len
			m.elem, _ = ownLayout.size(v.Type.Elem)
		} else {
			m.size, _ = ownLayout.size(v.Type)
		}
		w.memory[v] = m
		row++
	}
	for _, v := range w.m.Vars {
		switch {
		case v.Storage == ir.Private && v.Init != nil:
			w.memory[v] = &memory{table: true}
		case v.Storage == ir.Workgroup:
			place(v, false)
		default:
			fail("a variable of storage class %v", v.Storage)
		}
	}
	for _, v := range w.m.Kernel.Vars {
		place(v, w.crossesCut(v))
	}
}

// checkMemory panics with unsupported for a type that cannot be stored as bytes.
func checkMemory(t *ir.Type, outer bool) {
	switch t.Kind {
	case ir.Addr:
		fail("an address in memory")
	case ir.F16:
		fail("float16")
	case ir.Array:
		if !outer && !t.Len.IsConst() {
			fail("an array of arrays whose length is no constant")
		}
		checkMemory(t.Elem, false)
	case ir.Struct:
		for _, f := range t.Fields {
			checkMemory(f.Type, false)
		}
	}
}

// A layout is a rule for the offsets of fields and elements. In device memory, the IR type defines
// the offsets. In memory other than device memory, the offsets follow Go's rules for alignment.
type layout bool

const (
	deviceLayout layout = false
	ownLayout    layout = true
)

func (l layout) size(t *ir.Type) (size, align int) {
	if l == deviceLayout {
		return t.Size, t.Align
	}
	switch t.Kind {
	case ir.Array:
		n, _ := t.ArrayLen()
		size, align = l.size(t.Elem)
		return n * size, align
	case ir.Struct:
		align = 1
		for _, f := range t.Fields {
			n, a := l.size(f.Type)
			size = up(size, a) + n
			align = max(align, a)
		}
		return up(size, align), align
	}
	return t.Size, t.Align
}

func (l layout) offset(t *ir.Type, field int) int {
	if l == deviceLayout {
		return t.Fields[field].Offset
	}
	at := 0
	for i, f := range t.Fields {
		n, a := l.size(f.Type)
		at = up(at, a)
		if i == field {
			break
		}
		at += n
	}
	return at
}

func up(n, align int) int { return (n + align - 1) / align * align }

// crossesCut reports whether some path accesses variable x both before and after a cut.
func (w *formWriter) crossesCut(x *ir.Var) bool {
	uses := func(n *node) bool {
		for _, v := range n.insts {
			if r := v.Ref(); r != nil && r.Var == x {
				return true
			}
			if c, ok := v.Aux.(*ir.Copy); ok && (c.Dst == x || c.Src == x) {
				return true
			}
		}
		return false
	}
	// A node is in state 1 if a path from an access of x reaches the node. A node is in state 2 if
	// a path from an access of x to the node contains a cut.
	reached := map[*node]int{}
	var work []*node
	visit := func(n *node, state int) {
		if reached[n] < state {
			reached[n] = state
			work = append(work, n)
		}
	}
	for _, n := range w.nodes {
		if uses(n) {
			visit(n, 1)
		}
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		state := reached[n]
		if state == 2 && uses(n) {
			return true
		}
		if n.split != nil {
			visit(n.split.next, 2)
		}
		for _, s := range w.succsOf(n) {
			visit(s, state)
		}
	}
	return false
}

// locationExpr returns Go code for a pointer to the memory that op v loads or stores.
func (w *regionBody) locationExpr(v *ir.Value) string {
	r, path := v.Ref(), v.Path()
	var base string
	var terms []string
	t := r.Elem
	if r.Var != nil {
		base, t = w.variableExpr(r.Var), r.Var.Type
	} else {
		base = w.baseExpr(path[0])
		if off := w.offsetExpr(path[0]); off != "0" {
			terms = append(terms, off)
		}
		terms = append(terms, w.scaledTerms(path[1], t.Size)...)
		path = path[2:]
	}
	l := deviceLayout
	if r.Var != nil {
		l = ownLayout
	}
	offset, more := w.pathTerms(l, t, path)
	return addTerms(base, append(terms, more...), offset)
}

// distanceExpr returns the address that AddrOf v computes, as a distance in bytes from the root.
func (w *regionBody) distanceExpr(v *ir.Value) string {
	path := v.Path()
	off := w.offsetExpr(path[0])
	t := v.Ref().Elem
	var terms []string
	if off != "0" {
		terms = append(terms, off)
	}
	terms = append(terms, w.scaledTerms(path[1], t.Size)...)
	offset, more := w.pathTerms(deviceLayout, t, path[2:])
	terms = append(terms, more...)
	if offset != 0 || len(terms) == 0 {
		terms = append(terms, fmt.Sprint(offset))
	}
	return strings.Join(terms, " + ")
}

func addTerms(base string, terms []string, offset int) string {
	constant := 0
	var rest []string
	for _, t := range terms {
		var n int
		if _, err := fmt.Sscanf(t+";", "%d;", &n); err == nil {
			constant += n
		} else {
			rest = append(rest, t)
		}
	}
	if constant += offset; constant != 0 {
		rest = append(rest, fmt.Sprint(constant))
	}
	if len(rest) == 0 {
		return base
	}
	return fmt.Sprintf("unsafe.Add(%s, %s)", base, strings.Join(rest, "+"))
}

// pathTerms returns the byte offset of a field or element in type t. Parameter path contains the
// indices of fields and elements. The byte offset is the sum of the constant offset and the Go
// terms.
func (w *regionBody) pathTerms(l layout, t *ir.Type, path []*ir.Value) (offset int, terms []string) {
	for _, p := range path {
		if t.Kind == ir.Array {
			t = t.Elem
			size, _ := l.size(t)
			terms = append(terms, w.scaledTerms(p, size)...)
			continue
		}
		offset += l.offset(t, int(p.Bits))
		t = t.Fields[p.Bits].Type
	}
	return offset, terms
}

// scaledTerms returns a list of Go terms. The sum of the terms is the product of index and size.
func (w *regionBody) scaledTerms(index *ir.Value, size int) []string {
	switch {
	case size == 0:
		return nil
	case index.IsConst():
		if n := index.Int() * int64(size); n != 0 {
			return []string{fmt.Sprint(n)}
		}
		return nil
	}
	if l, ok := w.linearOf(index); ok && !w.sharing {
		return w.scaledLinear(l, size)
	}
	if size == 1 {
		return []string{"int(" + withoutParens(w.valueExpr(index)) + ")"}
	}
	return []string{fmt.Sprintf("int(%s)*%d", withoutParens(w.valueExpr(index)), size)}
}

// baseExpr returns the Go expression for the root of address v.
func (w *regionBody) baseExpr(v *ir.Value) string {
	switch r := w.rootName(v); r {
	case dynamic:
		return w.valueExpr(v) + ".Base"
	case nullRoot:
		return "unsafe.Pointer(nil)"
	default:
		w.declarePointer(r)
		return r
	}
}

// offsetExpr returns the Go expression for the distance of address v from the root of v.
func (w *regionBody) offsetExpr(v *ir.Value) string {
	switch r := w.rootName(v); {
	case r == dynamic:
		return w.valueExpr(v) + ".Off"
	case r == nullRoot || v.Op == ir.OpArg:
		return "0"
	}
	return w.valueExpr(v)
}

// variableExpr returns the Go expression of a pointer to a variable.
func (w *regionBody) variableExpr(v *ir.Var) string {
	m := w.memory[v]
	switch {
	case m.table:
		return fmt.Sprintf("unsafe.Pointer(&%s)", w.tableName(v))
	case m.each:
		return w.ownCopy(m)
	}
	name := fmt.Sprintf("m%d", m.row)
	w.declareOnce(&w.top, name, "g.Memory(%d)", m.row)
	return name
}

// ownCopy returns the name of a Go pointer to the current work-item's copy of a variable. The
// variable must have one copy per work-item.
func (w *regionBody) ownCopy(m *memory) string {
	all, name := fmt.Sprintf("m%d", m.row), fmt.Sprintf("own%d", m.row)
	w.declareOnce(&w.top, all, "g.Memory(%d)", m.row)
	size := fmt.Sprint(stride(m))
	if m.count != nil {
		size = fmt.Sprintf("size%d", m.row)
		w.declareOnce(&w.top, size, "%s", w.strideOf(m))
	}
	w.declareOnce(&w.item, name, "unsafe.Add(%s, li*%s)", all, size)
	return name
}

// declarePointer declares the Go variable that points to a root's memory, unless the variable is
// already declared.
func (w *regionBody) declarePointer(root string) {
	if root == dataRoot {
		w.declareOnce(&w.top, root, "g.Data()")
		return
	}
	w.declareOnce(&w.top, root, "g.Pointer(%s)", root[1:])
}

// stride returns the distance in bytes between the copies of a variable for two consecutive
// work-items.
func stride(m *memory) int { return (m.size + 7) &^ 7 }

// strideOf returns Go code for the stride of a variable whose size depends on specialization
// constants.
func (w *formWriter) strideOf(m *memory) string {
	return fmt.Sprintf("(int(%s)*%d+7)&^7", w.constExpr(m.count), m.elem)
}

// byteSize returns the size of a variable's memory as Go code.
func (w *formWriter) byteSize(m *memory) string {
	switch {
	case m.each && m.count != nil:
		return "(" + w.strideOf(m) + ")*n"
	case m.each:
		return fmt.Sprintf("%d*n", stride(m))
	case m.count != nil:
		return fmt.Sprintf("int(%s)*%d", w.constExpr(m.count), m.elem)
	}
	return fmt.Sprint(m.size)
}

// tableName returns the name of the Go variable for a table of constants.
func (w *formWriter) tableName(v *ir.Var) string {
	if w.tables[v] == "" {
		w.tables[v] = fmt.Sprintf("%sTable%d", w.name, len(w.tables))
	}
	return w.tables[v]
}

// memoryType returns the Go type for a table of type t in the host form.
func memoryType(t *ir.Type) string {
	switch t.Kind {
	case ir.Array:
		n, ok := t.ArrayLen()
		if !ok {
			fail("a table without a length")
		}
		return fmt.Sprintf("[%d]%s", n, memoryType(t.Elem))
	case ir.Struct:
		var fields []string
		for i, f := range t.Fields {
			fields = append(fields, fmt.Sprintf("f%d %s", i, memoryType(f.Type)))
		}
		return "struct{" + strings.Join(fields, "; ") + "}"
	}
	return goType(t)
}

// tableValue returns a Go composite literal of type t. The scalars of the literal are the first
// elements of leaves, and tableValue also returns the remaining leaves.
func (w *formWriter) tableValue(t *ir.Type, leaves []*ir.Value) (string, []*ir.Value) {
	var parts []*ir.Type
	switch t.Kind {
	case ir.Array:
		n, _ := t.ArrayLen()
		for range n {
			parts = append(parts, t.Elem)
		}
	case ir.Struct:
		for _, f := range t.Fields {
			parts = append(parts, f.Type)
		}
	default:
		return w.untypedConst(leaves[0]), leaves[1:]
	}
	var b strings.Builder
	b.WriteString(memoryType(t) + "{")
	for i, p := range parts {
		if i > 0 {
			b.WriteString(", ")
		}
		var s string
		s, leaves = w.tableValue(p, leaves)
		b.WriteString(s)
	}
	return b.String() + "}", leaves
}
