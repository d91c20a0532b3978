package smith

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/kgen-go/kgen/internal/tests/smith/shape"
)

// groupState is the state of a kernel with work-groups. The kernel consists of "group code" and
// "item code". Group code is executed together by all work-items of the group that have not
// returned. Item code may have any control flow. The states of the shared tiles determine which
// memory each kind of code may use.
type groupState struct {
	local, groups []int
	items         int  // number of work-items in a work-group
	uni           bool // whether expressions must be the same for all work-items
	late          bool // whether the code is at the end of the kernel
	depth         int
	loops         []groupLoop
	times         int // number of times that the current group code runs
	tiles         []*sharedTile
	walks         bool // whether the code mostly consists of loops that add up the elements of a slice
}

// groupLoop is a loop that all work-items of a group execute together.
type groupLoop struct {
	label  string
	used   *bool
	states []tileState
}

// tileState describes how work-items may use a tile (memory that the group shares).
type tileState uint8

const (
	owned  tileState = iota // each work-item uses only its own part of the tile, but all may change counters
	shared                  // all work-items may read the tile
)

// sharedTile is memory that the work-items of a group share.
type sharedTile struct {
	name    string
	elem    *typ // type of the elements; each group has n elements
	n       int
	base    string // expression for the offset of the group's elements
	view    string // format that makes an expression for a work-item's own part from the tile's name
	own     *typ   // type of a work-item's own part
	length  int
	counter bool // whether only atomic operations change the tile
	state   tileState
}

// ndShapes lists the numbers of work-items and of work-groups in each dimension of nd-ranges.
var ndShapes = []struct{ local, groups []int }{
	{[]int{8}, []int{2}}, {[]int{8}, []int{3}}, {[]int{16}, []int{2}}, {[]int{12}, []int{2}}, {[]int{4}, []int{3}},
	{[]int{32}, []int{1}}, {[]int{20}, []int{2}}, {[]int{1}, []int{3}}, {[]int{40}, []int{1}}, {[]int{2}, []int{4}}, {[]int{7}, []int{2}},
	{[]int{2, 4}, []int{2, 1}}, {[]int{4, 4}, []int{1, 2}}, {[]int{3, 4}, []int{1, 2}}, {[]int{2, 12}, []int{1, 2}}, {[]int{2, 2, 2}, []int{1, 2, 1}}, {[]int{1, 3, 4}, []int{2, 1, 1}},
}

// NewGroup returns the program for a seed. The program's size is one of the n smallest sizes. The
// program has work-groups with barriers and shared memory. The results of the program do not depend
// on the order of work-items. The results do not depend on the size of sub-groups either, if the
// size is a power of two and at least 4.
func NewGroup(seed uint64, prefix string, n int) *Program {
	return newGroup(seed, prefix, n, false)
}

// NewWalks returns a program with work-groups, like NewGroup. Most statements of the program are loops that
// add up the elements of a slice. The work-groups have one dimension, because host forms have lockstep loops
// only for work-groups of one dimension.
func NewWalks(seed uint64, prefix string, n int) *Program { return newGroup(seed, prefix, n, true) }

func newGroup(seed uint64, prefix string, n int, walks bool) *Program {
	g := &progGen{r: rand.New(rand.NewPCG(seed, 43)), prefix: prefix}
	calm, products := rand.New(rand.NewPCG(seed, 46)), rand.New(rand.NewPCG(seed, 47))
	shape := pick(g, ndShapes)
	for walks && len(shape.local) > 1 {
		shape = pick(g, ndShapes)
	}
	b := &groupState{local: shape.local, groups: shape.groups, items: 1, times: 1, walks: walks}
	global := make([]int, len(b.local))
	for d := range b.local {
		b.items *= b.local[d]
		global[d] = b.local[d] * b.groups[d]
	}
	g.writeFile(n, func(g *progGen) { g.group = b; g.groupKernel(calm, products) })
	return &Program{Seed: seed, Prefix: prefix, Source: g.out.String(), Faulty: g.faulty, Global: global, Local: b.local}
}

// needUniform reports whether expressions must be the same for all work-items of a group.
func (g *progGen) needUniform() bool { return g.group != nil && g.group.uni }

// isOpen reports whether the code being generated may use variable v.
func (g *progGen) isOpen(v *progVar) bool {
	if g.needUniform() {
		return v.uniform
	}
	return v.tile == nil || v.tile.state == owned && !g.group.late
}

// groupKernel writes the kernel.
func (g *progGen) groupKernel(calm, products *rand.Rand) {
	b := g.group
	rank := len(b.local)
	g.line("")
	g.line("type %sK struct{ shape.GroupArgs }", g.prefix)
	g.line("")
	g.line("func (%sK) Properties() properties.List {", g.prefix)
	size := ""
	if g.oneIn(2) {
		size = fmt.Sprintf(", properties.WorkGroupSize(%s)", strings.Trim(strings.ReplaceAll(fmt.Sprint(b.local), " ", ", "), "[]"))
	}
	g.line("\treturn properties.List{properties.Float(properties.FloatExact)%s}", size)
	g.line("}")
	g.line("")
	g.line("func (k %sK) Kernel(it dsl.NDItem%d) {", g.prefix, rank)
	g.beginFunc(nil, false, true)
	g.indent++
	common := append(g.writeCalm(calm), g.writeProducts(products)...)
	g.line("gid, lid := it.GroupLinearID(), it.LocalLinearID()")
	switch {
	case rank == 1 && g.oneIn(2):
		g.line("id := it.GlobalID()")
	case size == "" && g.oneIn(2):
		g.line("id := gid*it.Group().LocalRange() + lid")
	default:
		g.line("id := gid*%d + lid", b.items)
	}
	items := b.items
	for _, n := range b.groups {
		items *= n
	}
	if !g.oneIn(4) {
		g.line("if len(k.In) < %d || len(k.Out) < %d || len(k.Bytes) < %d || len(k.Reals) < %d || len(k.Recs) < %d || len(k.Share) < %d || len(k.Counts) < shape.Counts {",
			items*shape.Words, items*shape.Words, items*shape.Bytes, items*shape.Reals, items*shape.Recs, items*shape.Shares)
		g.line("\treturn")
		g.line("}")
	}
	g.line("out, bytes := k.Out[id*16:id*16+16], k.Bytes[id*8:][:8:8]")
	g.line("reals, recs := k.Reals[4*id:4*(id+1)], k.Recs[id*2:2*id+2:len(k.Recs)]")
	g.line("h := shape.Mix(uint64(id), k.In[id*16])")
	g.line("_, _, _, _, _ = bytes, reals, recs, h, gid")
	for _, v := range []*progVar{
		{name: "id", typ: intT, fixed: true}, {name: "lid", typ: intT, fixed: true},
		{name: "gid", typ: intT, fixed: true, uniform: true}, {name: "k.N", typ: int32T, fixed: true, uniform: true},
		{name: "out", typ: sliceOf(uint64T), fixed: true, device: true, length: 16},
		{name: "bytes", typ: sliceOf(int8T), fixed: true, device: true, length: 8},
		{name: "reals", typ: sliceOf(float32T), fixed: true, device: true, length: 4},
		{name: "recs", typ: sliceOf(recT), fixed: true, device: true, length: 2},
		{name: "h", typ: uint64T},
		{name: "k.Small", typ: &typ{kind: arrayKind, elem: ints[1], len: 3}},
	} {
		g.declare(v)
	}
	if g.oneIn(2) {
		t := &sharedTile{name: "k.Share", elem: uint64T, n: b.items * shape.Shares, base: fmt.Sprintf("gid*%d+", b.items*shape.Shares),
			view: fmt.Sprintf("%%s[id*%d:][:%d]", shape.Shares, shape.Shares), own: sliceOf(uint64T), length: shape.Shares}
		b.tiles = append(b.tiles, t)
		g.ownView(t)
	}
	g.groupStatements(3 + g.n(g.size.statements))
	for _, v := range common {
		g.line("h = shape.Mix(h, uint64(%s))", v)
	}
	g.hashFinals()
	g.writeCalm(calm)
	g.indent--
	g.line("}")
}

// hashFinals writes code that hashes the final values of variables.
func (g *progGen) hashFinals() {
	for _, v := range g.scopes[0] {
		if !g.isOpen(v) {
			continue
		}
		g.faults = 1
		if v.typ.scalar() {
			g.line("h = shape.Mix(h, %s)", toWord(v.typ, v.name))
		} else if p := g.partOf(v.name, v.typ, v, (*typ).scalar, false, 4); p != "" && v.name != "out" {
			g.line("h = shape.Mix(h, %s)", g.wordOf(p, v.typ))
		}
	}
	for _, t := range g.group.tiles {
		if t.state == shared && t.elem.scalar() {
			g.line("h = shape.Mix(h, %s)", toWord(t.elem, fmt.Sprintf("%s[%s(lid+1)%%%d]", t.name, t.base, t.n)))
		}
	}
	g.line("out[15] = h")
}

// uniformExpr returns an expression that is the same for all work-items of a group.
func (g *progGen) uniformExpr(t *typ, depth int) string {
	g.group.uni = true
	defer func() { g.group.uni = false }()
	return g.pureExpr(t, depth)
}

// sharedExpr returns an expression for a part of a tile that all work-items may read, or "".
func (g *progGen) sharedExpr(t *typ) string {
	if g.group == nil || g.group.late || g.needUniform() || !g.kernel || !g.oneIn(3) {
		return ""
	}
	for _, i := range g.r.Perm(len(g.group.tiles)) {
		if c := g.group.tiles[i]; c.state == shared && (c.elem.same(t) || mayHavePart(c.elem, t.same, 3)) {
			return g.partOf(fmt.Sprintf("%s[%s%s]", c.name, c.base, g.tileIndex(c)), c.elem, nil, t.same, false, 3)
		}
	}
	return ""
}

// tileIndex returns an index into the elements of a tile.
func (g *progGen) tileIndex(c *sharedTile) string {
	switch vs := g.varsThat(func(v *progVar) bool { return v.typ.kind == intKind }); {
	case g.oneIn(3):
		return fmt.Sprintf("(lid+%d)%%%d", 1+g.n(c.n), c.n)
	case len(vs) == 0 || g.oneIn(4):
		return fmt.Sprint(g.n(c.n))
	case c.base == "" && g.mayFault(8):
		return pick(g, vs).name
	default:
		return fmt.Sprintf("int(uint(%s)%%%d)", pick(g, vs).name, c.n)
	}
}

// ownView writes a declaration of a work-item's own part of a tile.
func (g *progGen) ownView(t *sharedTile) {
	if t.counter {
		return
	}
	name := g.newName("own")
	g.line("%s := "+t.view, name, t.name)
	g.line("_ = %s", name)
	g.declare(&progVar{name: name, typ: t.own, fixed: true, length: t.length, tile: t, device: t.base != ""})
}

type groupStatement struct {
	weight int
	write  func(g *progGen)
}

var groupSimple, groupNested, groupWalks []groupStatement

func init() {
	groupSimple = []groupStatement{
		{8, (*progGen).itemCode}, {5, (*progGen).writeBarrier}, {4, (*progGen).newTile}, {3, (*progGen).writeReduction}, {2, (*progGen).scan}, {2, (*progGen).ofQuads},
		{2, (*progGen).ofSubGroups}, {2, (*progGen).writeLeaving}, {2, (*progGen).uniformVariable}, {1, (*progGen).writeUniformCall}, {1, (*progGen).leaveLoop}, {1, (*progGen).allLeave}, {2, (*progGen).writeWalk},
	}
	groupWalks = []groupStatement{{6, (*progGen).writeWalk}, {2, (*progGen).itemCode}, {1, (*progGen).writeBarrier}, {1, (*progGen).newTile}, {1, (*progGen).writeReduction}}
	groupNested = []groupStatement{{4, (*progGen).groupIf}, {3, (*progGen).groupFor}, {1, (*progGen).groupSwitch}, {1, (*progGen).groupClosure}}
}

// groupStatements writes group code in the current scope.
func (g *progGen) groupStatements(n int) {
	for range n {
		list := groupSimple
		if g.group.walks {
			list = groupWalks
		}
		if g.group.depth < min(g.size.depth, 3) && g.work < maxWork && g.oneIn(4) {
			list = groupNested
		}
		total := 0
		for _, s := range list {
			total += s.weight
		}
		i := g.n(total)
		g.faults = 0
		for _, s := range list {
			if i -= s.weight; i < 0 {
				s.write(g)
				break
			}
		}
	}
}

// saveStates returns the states of the tiles.
func (b *groupState) saveStates() []tileState {
	var out []tileState
	for _, t := range b.tiles {
		out = append(out, t.state)
	}
	return out
}

// restoreStates sets the states of the tiles to earlier states.
func (g *progGen) restoreStates(states []tileState) {
	tiles := g.group.tiles[:len(states)]
	changed := false
	for i, t := range tiles {
		changed = changed || t.state != states[i]
	}
	if changed {
		g.line("it.Barrier()")
	}
	for i, t := range tiles {
		t.state = states[i]
	}
}

// groupBlock writes group code in a scope of its own, without braces. groupBlock does not change
// the states of the tiles.
func (g *progGen) groupBlock(n int) {
	b := g.group
	states := b.saveStates()
	g.depth++
	b.depth++
	g.indent++
	g.push()
	g.groupStatements(n)
	g.restoreStates(states)
	g.pop()
	b.tiles = b.tiles[:len(states)]
	g.indent--
	b.depth--
	g.depth--
}

// itemCode writes item code.
func (g *progGen) itemCode() {
	for range 1 + g.n(3) {
		g.statement()
	}
}

// writeBarrier writes a barrier, after which the states of tiles may change.
func (g *progGen) writeBarrier() {
	switch {
	case g.oneIn(6):
		g.line("it.SubGroup().Barrier()") // orders memory only within the sub-group
		return
	case g.oneIn(5):
		g.writeReduction() // a reduction orders memory like a barrier
	default:
		g.line("%s", g.one("it.Barrier()", "it.Group().Barrier()"))
	}
	for _, t := range g.group.tiles {
		if g.oneIn(3) {
			continue
		}
		if t.state == owned {
			t.state = shared
			continue
		}
		t.state = owned
		if len(g.varsThat(func(v *progVar) bool { return v.tile == t })) == 0 {
			g.ownView(t)
		}
	}
}

// newTile writes a declaration of work-group memory.
func (g *progGen) newTile() {
	b := g.group
	if len(b.tiles) > 3 {
		return
	}
	name := g.newName("t")
	t := &sharedTile{name: name}
	switch per := 1 + g.n(4); g.n(6) {
	case 0, 1:
		t.elem, t.n, t.length = g.randomScalar(), b.items*per, per
		t.view, t.own = fmt.Sprintf("%%s[lid*%d:][:%d]", per, per), sliceOf(t.elem)
		g.line("%s := dsl.Local[[%d]%s](it)", name, t.n, t.elem)
	case 2:
		t.elem, t.n, t.length = g.randomScalar(), b.items*per, per
		t.view, t.own = fmt.Sprintf("%%s[lid*%d:lid*%d+%d:%d]", per, per, per, t.n), sliceOf(t.elem)
		g.line("%s := dsl.LocalSlice[%s](it, %d)", name, t.elem, t.n)
	case 3:
		for t.elem = g.anyType(1); t.elem.approxSize() > 48; {
			t.elem = g.anyType(1)
		}
		t.n, t.view, t.own = b.items, "&%s[lid]", &typ{kind: ptrKind, elem: t.elem}
		g.line("%s := dsl.Local[[%d]%s](it)", name, t.n, t.elem)
	case 4:
		t.elem, t.n, t.length = &typ{kind: arrayKind, elem: g.randomScalar(), len: per}, b.items, per
		t.view, t.own = "%s[lid][:]", sliceOf(t.elem.elem)
		g.line("%s := dsl.Local[[%d]%s](it)", name, t.n, t.elem)
	default:
		t.elem, t.n, t.counter = ints[7], 8, true
		g.line("%s := dsl.Local[[8]uint32](it)", name)
	}
	g.line("_ = %s", name)
	b.tiles = append(b.tiles, t)
	if g.oneIn(6) {
		t.state = shared // all elements are zero at the start
		return
	}
	g.ownView(t)
}

// approxSize returns the approximate size of a value in bytes.
func (t *typ) approxSize() int {
	switch t.kind {
	case boolKind:
		return 1
	case arrayKind:
		return t.len * t.elem.approxSize()
	case structKind:
		n := 0
		for _, f := range t.fields {
			n += f.typ.approxSize()
		}
		return n
	}
	return t.bits / 8
}

// writeLeaving writes code in which some work-items return.
func (g *progGen) writeLeaving() {
	b := g.group
	if g.closed > 0 || b.depth > 0 && g.oneIn(2) {
		return
	}
	cond := g.boolExpr(g.size.expr)
	if isLiteral(cond) {
		return
	}
	if g.oneIn(2) {
		cond = fmt.Sprintf("id == %d || %s && lid > %d", g.n(b.items), cond, g.n(b.items))
	}
	g.line("if %s {", cond)
	if g.oneIn(3) {
		g.writeBlock(1 + g.n(2))
	}
	if g.faulty && g.oneIn(3) {
		g.line("\tpanic(\"left %d\")", g.n(100))
	} else {
		g.line("\treturn")
	}
	g.line("}")
}

// allLeave writes code that makes all work-items of a group return.
func (g *progGen) allLeave() {
	if g.closed > 0 || !g.oneIn(3) {
		return
	}
	g.line("if %s && %s {", g.uniformExpr(boolType, 2), g.uniformExpr(boolType, 2))
	g.line("\treturn")
	g.line("}")
}

// leaveLoop writes a break or continue statement for a loop in group code.
func (g *progGen) leaveLoop() {
	loops := g.group.loops
	if len(loops) == 0 {
		return
	}
	l := pick(g, loops)
	g.line("if %s {", g.uniformExpr(boolType, 2))
	states := g.group.saveStates()
	g.indent++
	g.restoreStates(l.states)
	copyStates(g.group.tiles, states)
	*l.used = true
	g.line("%s %s", g.one("break", "continue"), l.label)
	g.indent--
	g.line("}")
}

func copyStates(tiles []*sharedTile, states []tileState) {
	for i, s := range states {
		tiles[i].state = s
	}
}

// uniformVariable writes a statement that declares or changes a variable that is uniform in the group.
func (g *progGen) uniformVariable() {
	vs := g.varsThat(func(v *progVar) bool { return v.uniform && strings.HasPrefix(v.name, "u") })
	if len(vs) > 0 && g.oneIn(2) {
		v := pick(g, vs)
		g.line("%s = %s", v.name, g.uniformExpr(v.typ, g.size.expr))
		return
	}
	t := g.randomScalar()
	g.declareUniform(t, g.uniformExpr(t, g.size.expr))
}

func (g *progGen) declareUniform(t *typ, e string) {
	u := g.newName("u")
	g.line("var %s %s = %s", u, t, e)
	g.line("_ = %s", u)
	g.declare(&progVar{name: u, typ: t, fixed: true, uniform: true})
}

func (g *progGen) groupIf() {
	g.line("if %s {", g.uniformExpr(boolType, g.size.expr))
	g.groupBlock(1 + g.n(4))
	if g.oneIn(2) {
		g.line("} else {")
		g.groupBlock(1 + g.n(3))
	}
	g.line("}")
}

func (g *progGen) groupSwitch() {
	g.line("switch %s %% 4 {", g.uniformExpr(intT, 1))
	n := 1 + g.n(3)
	for c := range n {
		if c == 1 && g.oneIn(2) {
			g.line("default:")
		} else {
			g.line("case %d:", c)
		}
		g.groupBlock(1 + g.n(3))
		if c < n-1 && g.oneIn(5) {
			g.line("\tfallthrough")
		}
	}
	g.line("}")
}

func (g *progGen) groupFor() {
	b := g.group
	n := 1 + g.n(min(3, max(1, maxWork/8/g.times)))
	i := g.newName("i")
	var head string
	v := &progVar{name: i, typ: intT, fixed: true, uniform: true, noCapture: true}
	switch g.n(4) {
	case 0:
		head = fmt.Sprintf("for %s := range %d", i, n)
	case 1:
		head = fmt.Sprintf("for %s := 0; %s < int(uint(%s)%%%d); %s++", i, i, g.uniformExpr(intT, 2), n+1, i)
	case 2:
		head = fmt.Sprintf("for %s := %d; %s > 0 && %s; %s--", i, n, i, g.uniformExpr(boolType, 2), i)
	default:
		head = fmt.Sprintf("for %s := 0; %s < %d; %s++", i, i, n, i)
	}
	times := b.times
	b.times *= n
	g.flowLoop(head, n, false, func() {
		outer := g.loops
		l := outer[len(outer)-1]
		b.loops = append(b.loops, groupLoop{l.label, l.used, b.saveStates()})
		g.loops = nil // a single work-item must not leave a loop in group code
		g.push()
		g.declare(v)
		g.indent++
		g.line("_ = %s", i)
		g.indent--
		g.groupBlock(1 + g.n(4))
		g.pop()
		g.loops = outer
	})
	b.loops = b.loops[:len(b.loops)-1]
	b.times = times
}

// groupClosure writes a function literal that contains group code, and a call of this function.
func (g *progGen) groupClosure() {
	b := g.group
	if g.closed > 0 {
		return
	}
	result, loops, groupLoops := g.result, g.loops, b.loops
	name, arg, param := g.newName("c"), g.newName("a"), g.randomScalar()
	res := g.randomScalar()
	g.line("%s := func(%s %s) %s {", name, arg, param, res)
	g.result, g.loops, b.loops = nil, nil, nil
	g.closed++
	before := g.work
	states := b.saveStates()
	g.depth++
	b.depth++
	g.indent++
	g.push()
	g.declare(&progVar{name: arg, typ: param})
	g.groupStatements(2 + g.n(3))
	g.restoreStates(states)
	g.faults = 0
	g.line("return %s", g.pureExpr(res, 2))
	g.pop()
	b.tiles = b.tiles[:len(states)]
	g.indent--
	b.depth--
	g.depth--
	g.closed--
	g.result, g.loops, b.loops = result, loops, groupLoops
	g.line("}")
	cost := g.work - before
	for range 1 + g.n(2) {
		v := g.newName("v")
		g.faults = 1
		g.line("%s := %s(%s)", v, name, g.pureExpr(param, 2))
		g.line("_ = %s", v)
		g.declare(&progVar{name: v, typ: res})
		g.work += cost
	}
}
