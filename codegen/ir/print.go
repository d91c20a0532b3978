package ir

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// Fprint writes the module's text; see the package documentation. Values and
// blocks are numbered in the order in which they appear, so that a change in one
// place does not renumber the rest.
func Fprint(w io.Writer, m *Module) error {
	p := &printer{nums: map[*Value]int{}, blocks: map[*Block]int{}}
	p.module(m)
	_, err := io.WriteString(w, p.b.String())
	return err
}

// String returns the module's text.
func (m *Module) String() string {
	var b strings.Builder
	Fprint(&b, m)
	return b.String()
}

// LongString prints a value with its operands, for messages about bugs.
func (v *Value) LongString() string {
	p := &printer{nums: map[*Value]int{}, blocks: map[*Block]int{}, raw: true}
	p.value(v)
	return strings.TrimSpace(p.b.String())
}

type printer struct {
	b      strings.Builder
	nums   map[*Value]int
	blocks map[*Block]int
	raw    bool // print values' own numbers
}

func (p *printer) f(format string, args ...any) { fmt.Fprintf(&p.b, format, args...) }

func (p *printer) module(m *Module) {
	p.f("kernel %q %v rank=%d items=%d level=%v\n", m.Name, m.Form, m.Rank, m.Items, m.Level)
	for _, a := range m.Params {
		p.f("param %q %v %s offset=%d size=%d elem=%d access=%v\n", a.Name, a.Kind, a.Type, a.Offset, a.Size, a.ElemSize, a.Access)
	}
	for _, s := range m.Specs {
		p.f("spec %q %v id=%d default=%d\n", s.Name, s.Type, s.ID, s.Default)
	}
	for _, s := range m.Sites {
		p.f("site %d %v %v", s.Index, s.Kind, s.Pos)
		if s.Message != "" {
			p.f(" %q", s.Message)
		}
		p.f("\n")
	}
	for i, v := range m.Vars {
		p.f("var @%d %q %v %v", i, v.Name, v.Storage, v.Type)
		if v.Init != nil {
			p.f(" = [")
			for j, c := range v.Init {
				if j > 0 {
					p.f(", ")
				}
				p.operand(c)
			}
			p.f("]")
		}
		p.f("\n")
	}
	for _, f := range append([]*Func{m.Kernel}, m.Helpers...) {
		p.fun(f)
	}
}

func (p *printer) fun(f *Func) {
	p.f("\nfunc %s(", f.Name)
	for i, a := range f.Params {
		if i > 0 {
			p.f(", ")
		}
		p.f("%%%d %v", p.num(a), a.Type)
	}
	p.f(") {\n")
	for i, b := range f.Blocks {
		p.blocks[b] = i
	}
	for i, v := range f.Vars {
		p.f("  var %%v%d %q %v\n", i, v.Name, v.Type)
	}
	for _, b := range f.Blocks {
		p.f("b%d:", p.blocks[b])
		if b.Merge != nil {
			p.f(" merge=b%d", p.blocks[b.Merge])
		}
		if b.Continue != nil {
			p.f(" continue=b%d", p.blocks[b.Continue])
		}
		if b.Unroll {
			p.f(" unroll")
		}
		p.f("\n")
		for _, v := range b.Phis {
			p.value(v)
		}
		for _, v := range b.Insts {
			p.value(v)
		}
		p.term(b)
	}
	p.f("}\n")
}

func (p *printer) term(b *Block) {
	p.f("  %v", b.Term.Kind)
	sep := " "
	if b.Term.Cond != nil {
		p.f(" ")
		p.operand(b.Term.Cond)
		sep = ", "
	}
	for _, s := range b.Term.Succs {
		p.f("%sb%d", sep, p.blocks[s])
		sep = ", "
	}
	p.f("\n")
}

func (p *printer) num(v *Value) int {
	if p.raw {
		return v.ID
	}
	n, ok := p.nums[v]
	if !ok {
		n = len(p.nums)
		p.nums[v] = n
	}
	return n
}

func (p *printer) operand(v *Value) {
	switch {
	case v == nil:
		p.f("nil")
	case v.Op == OpConst:
		p.f("%v %s", v.Type, constText(v))
	case v.Op == OpSpecConst || v.IsConstExpr():
		p.f("%v %s", v.Type, constString(v))
	default:
		p.f("%%%d", p.num(v))
	}
}

func constText(v *Value) string {
	switch v.Type.Kind {
	case Bool:
		return fmt.Sprint(v.Bits == 1)
	case F32:
		return floatText(float64(math.Float32frombits(uint32(v.Bits))), v.Bits, 32)
	case F64:
		return floatText(math.Float64frombits(v.Bits), v.Bits, 64)
	case Addr, F16:
		return fmt.Sprintf("%#x", v.Bits)
	}
	return fmt.Sprint(v.Int())
}

// floatText prints a float in decimal where that is exact, else its bits.
func floatText(x float64, bits uint64, size int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) || x == 0 && bits != 0 {
		return fmt.Sprintf("%#x", bits)
	}
	if size == 32 {
		return fmt.Sprintf("%g", float32(x))
	}
	return fmt.Sprintf("%g", x)
}

func (p *printer) value(v *Value) {
	p.f("  ")
	if v.Type != TypeVoid {
		p.f("%%%d = ", p.num(v))
	}
	p.f("%v", v.Op)
	if v.Type != TypeVoid {
		p.f(" %v", v.Type)
	}
	p.aux(v)
	args := v.Args
	path := v.Path()
	if v.Op == OpPhi {
		for i, a := range args {
			sep := ", "
			if i == 0 {
				sep = " "
			}
			p.f("%s[", sep)
			p.operand(a)
			if v.Block != nil && i < len(v.Block.Preds) {
				p.f(" b%d", p.blocks[v.Block.Preds[i]])
			}
			p.f("]")
		}
		p.f("\n")
		return
	}
	sep := " "
	if r := v.Ref(); r != nil {
		p.f(" [")
		p.ref(v, r, path)
		p.f("]")
		args = args[:len(args)-len(path)]
		sep = ", "
	}
	for _, a := range args {
		p.f("%s", sep)
		p.operand(a)
		sep = ", "
	}
	p.f("\n")
}

func (p *printer) ref(v *Value, r *Ref, path []*Value) {
	if r.Var != nil {
		p.f("%s", varText(v, r.Var))
	} else if len(path) > 0 {
		p.operand(path[0])
		p.f(" %v", r.Elem)
		path = path[1:]
	}
	for _, x := range path {
		p.f(", ")
		p.operand(x)
	}
}

func varText(at *Value, v *Var) string {
	if at.Block != nil {
		for i, x := range at.Block.Func.Vars {
			if x == v {
				return fmt.Sprintf("%%v%d", i)
			}
		}
		for i, x := range at.Block.Func.Module.Vars {
			if x == v {
				return fmt.Sprintf("@%d", i)
			}
		}
	}
	return fmt.Sprintf("var#%d", v.ID)
}

func (p *printer) aux(v *Value) {
	switch v.Op.Info().Aux {
	case AuxBits:
		p.f(" %d", v.Bits)
	case AuxBuiltIn, AuxScope:
		p.f(" %v", v.Aux)
	case AuxSite:
		p.f(" site%d", v.Aux.(*Site).Index)
	case AuxFunc:
		p.f(" %s", v.Aux.(*Func).Name)
	case AuxCopy:
		c := v.Aux.(*Copy)
		p.f(" %s, %s", varText(v, c.Dst), varText(v, c.Src))
	}
}
