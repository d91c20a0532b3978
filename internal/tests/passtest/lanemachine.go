package passtest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// LaneMachine runs the work-items of one group, from one Sync op to the next.
type LaneMachine struct {
	F     *ir.Func
	Out   *ir.Var // variable whose stores are events
	In    *ir.Var // variable whose loads return new values, which differ between lanes
	Args  []uint64
	Size  int
	Limit int // largest number of steps of each lane
	// Most is the number of events after which a lane's run ends, or 0 for no limit.
	Most  int
	State uint64 // seed of the values that loads from In return
	// Strict requires that all lanes reach every Sync op. Without Strict, Sync ops do not wait for lanes that
	// have returned. The host does not wait for them, either.
	Strict bool
	Hits   map[string]int // maps a path to the number of stores there; may be nil
}

type lane struct {
	id        int
	b, prev   *ir.Block
	at, steps int
	loads     uint64
	val       map[*ir.Value]uint64
	vars      map[*ir.Var]map[string]uint64 // maps a variable and a path to the value there
	events    []uint64
	done      bool
	second    bool // whether the lane entered the block by the second edge of a branch
}

// Run runs all lanes, and returns the events of each lane.
func (m *LaneMachine) Run() (events [][]uint64, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	lanes := make([]*lane, m.Size)
	for i := range lanes {
		lanes[i] = &lane{id: i, b: m.F.Blocks[0], val: map[*ir.Value]uint64{}, vars: map[*ir.Var]map[string]uint64{}}
	}
	for {
		var meet *ir.Value
		returned := 0
		for _, l := range lanes {
			if l.done {
				returned++
				continue
			}
			at := m.runToSync(l)
			switch {
			case at == nil:
				returned++
			case meet == nil:
				meet = at
			case meet != at:
				return nil, fmt.Errorf("lanes meet at different Sync ops")
			}
		}
		if meet == nil {
			break
		}
		if m.Strict && returned > 0 {
			return nil, fmt.Errorf("%d lanes have returned while others wait", returned)
		}
		m.combineLanes(meet, lanes)
	}
	for _, l := range lanes {
		events = append(events, l.events)
	}
	return events, nil
}

// combineLanes computes a group op, and sets the result in the lanes that have not returned.
func (m *LaneMachine) combineLanes(v *ir.Value, lanes []*lane) {
	if v.Op != ir.OpGroupUniform && v.Op != ir.OpGroupAny {
		return
	}
	x := uint64(0)
	for _, l := range lanes {
		if !l.done {
			x |= m.get(l, v.Args[0])
		}
	}
	for _, l := range lanes {
		l.val[v] = x
	}
}

func (m *LaneMachine) get(l *lane, v *ir.Value) uint64 {
	if v.IsConst() {
		return v.Bits
	}
	if v.Op == ir.OpSpecConst { // the group's size, or a constant of the test
		if s := v.Aux.(*ir.Spec); s.ID < abi.SpecReserved {
			return s.Default
		}
		return uint64(m.Size)
	}
	if v.Op == ir.OpIMul && v.Block == nil {
		return m.get(l, v.Args[0]) * m.get(l, v.Args[1])
	}
	x, ok := l.val[v]
	if !ok {
		panic(fmt.Sprintf("%v is used before it has a value", v.Op))
	}
	return x
}

// runToSync runs the lane to the next Sync op or to its end.
func (m *LaneMachine) runToSync(l *lane) *ir.Value {
	for {
		if l.at == 0 && len(l.b.Phis) > 0 {
			i := slices.Index(l.b.Preds, l.prev)
			if l.second && slices.Contains(l.b.Preds[i+1:], l.prev) {
				i += 1 + slices.Index(l.b.Preds[i+1:], l.prev)
			}
			var xs []uint64
			for _, v := range l.b.Phis {
				xs = append(xs, m.get(l, v.Args[i]))
			}
			for j, v := range l.b.Phis {
				l.val[v] = xs[j]
			}
		}
		for l.at < len(l.b.Insts) {
			v := l.b.Insts[l.at]
			l.at++
			if v.Op.Has(ir.FlagSync) {
				return v
			}
			m.exec(l, v)
			if m.Most > 0 && len(l.events) == m.Most {
				l.done = true
				return nil
			}
		}
		if l.steps++; l.steps > m.Limit {
			panic("too many steps")
		}
		t := l.b.Term
		if t.Kind == ir.Return {
			l.done = true
			return nil
		}
		next := t.Succs[0]
		if l.second = t.Kind == ir.Branch && m.get(l, t.Cond) == 0; l.second {
			next = t.Succs[1]
		}
		l.prev, l.b, l.at = l.b, next, 0
	}
}

// pathText returns the text of an access's indices. All indices of the access must be in range.
func (m *LaneMachine) pathText(l *lane, v *ir.Value) string {
	var path []uint64
	t := v.Ref().Var.Type
	for _, a := range v.Path() {
		x := m.get(l, a)
		if n, known := t.ArrayLen(); t.Kind == ir.Array && known && x >= uint64(n) {
			panic(fmt.Sprintf("%v has index %d of %d", v.Op, x, n))
		}
		if path = append(path, x); t.Kind == ir.Struct {
			t = t.Fields[x].Type
		} else {
			t = t.Elem
		}
	}
	return fmt.Sprint(path)
}

func (m *LaneMachine) exec(l *lane, v *ir.Value) {
	switch v.Op {
	case ir.OpBuiltIn:
		l.val[v] = uint64(l.id)
	case ir.OpArg:
		if l.val[v] = 0; v.Bits == abi.OffsetReserved {
			return
		}
		l.val[v] = m.Args[(v.Bits-abi.OffsetArgs)/4]
	case ir.OpLoad:
		x := v.Ref().Var
		if x == m.In {
			l.loads++
			h := (l.loads*31 + uint64(l.id) + m.State<<32) * 0x9e3779b97f4a7c15
			l.val[v] = h >> 40
			return
		}
		l.val[v] = l.vars[x][m.pathText(l, v)]
	case ir.OpStore:
		x := m.get(l, v.Args[0])
		path := m.pathText(l, v)
		if m.Hits != nil {
			m.Hits[path]++
		}
		if v.Ref().Var == m.Out {
			l.events = append(l.events, x)
			return
		}
		if l.vars[v.Ref().Var] == nil {
			l.vars[v.Ref().Var] = map[string]uint64{}
		}
		l.vars[v.Ref().Var][path] = x
	case ir.OpZero:
		delete(l.vars, v.Ref().Var)
	case ir.OpCopyVar:
		c := v.Aux.(*ir.Copy)
		l.vars[c.Dst] = maps.Clone(l.vars[c.Src])
	case ir.OpFault, ir.OpCall:
		a := v.Args[0]
		if v.Op == ir.OpCall {
			a = v.Args[1]
		}
		l.events = append(l.events, 1<<32|m.get(l, a))
	default:
		w := *v
		w.Args = nil
		for _, a := range v.Args {
			w.Args = append(w.Args, m.F.Module.Const(a.Type, m.get(l, a)))
		}
		c := facts.FoldConst(m.F.Module, &w)
		if c == nil {
			panic(fmt.Sprintf("%v is undefined", v.Op))
		}
		l.val[v] = c.Bits
	}
}

func ofBool(b bool) int {
	if b {
		return 1
	}
	return 0
}
