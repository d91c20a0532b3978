package lower

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/ir"
)

// versions are the shapes that a variable has one after the other, as a field that is
// set to another function, or to a slice of another array, before it is used again.
// go/ssa makes a value of each where it may; fields and captured variables it leaves
// to us.
type versions struct {
	all      []*version
	at       map[*ir.Block]*version // the last that is stored in a block
	changed  token.Pos              // where the first took another's place
	reported bool                   // an error says that it is not known which one is there
}

type version struct {
	shape val
	vars  []*ir.Var
}

// supersede makes v's shape the variable's from here on, beside the one that it has.
// It does nothing where an earlier iteration of a loop would see it.
func (w *builder) supersede(c *cell, v val) bool {
	if c.home == nil || w.loopsSince(*c.home) {
		return false
	}
	if c.versions == nil {
		c.versions = &versions{all: []*version{{c.shape, c.vars}}, at: map[*ir.Block]*version{}, changed: w.pos}
	}
	ver := c.versions.of(v)
	c.shape, c.vars, c.fixed = ver.shape, ver.vars, true
	return true
}

// of returns the version of v's shape.
func (vs *versions) of(v val) *version {
	for _, ver := range vs.all {
		if sameShape(ver.shape, v) {
			return ver
		}
	}
	ver := &version{shape: v}
	vs.all = append(vs.all, ver)
	return ver
}

// keepVersion notes which version has just been stored.
func (w *builder) keepVersion(c *cell) {
	if c.versions != nil {
		ver := c.versions.of(c.shape)
		ver.vars = c.vars
		c.versions.at[w.b] = ver
	}
}

// selectVersion makes the shape that a variable has here the one that it is known by,
// and returns another one that it may also have.
func (w *builder) selectVersion(c *cell) *version {
	if c.versions == nil {
		return nil
	}
	var found []*version
	seen := map[*ir.Block]bool{}
	var walk func(b *ir.Block)
	walk = func(b *ir.Block) {
		if seen[b] {
			return
		}
		seen[b] = true
		ver := c.versions.at[b]
		if ver == nil && b == w.f.Blocks[0] {
			ver = c.versions.all[0]
		}
		if ver == nil {
			for _, p := range b.Preds {
				walk(p)
			}
			return
		}
		for _, f := range found {
			if f == ver {
				return
			}
		}
		found = append(found, ver)
	}
	walk(w.b)
	if len(found) == 0 { // nothing leads here
		return nil
	}
	if c.shape, c.vars = found[0].shape, found[0].vars; len(found) > 1 {
		return found[1]
	}
	return nil
}

// onlyVersion selects the version that is loaded, and reports an error if it may be
// one of several.
func (l *lowerer) onlyVersion(c *cell) {
	if also := l.selectVersion(c); also != nil && !c.versions.reported && !l.maySeveral(c, c.shape, also.shape) {
		c.versions.reported = true
		save := l.pos
		l.pos = c.versions.changed
		l.mixed(c, c.shape, also.shape)
		l.pos = save
	}
}

// loopsSince reports whether this is in a loop that the place is not in. Loops whose
// rounds are lowered one by one do not count.
func (w *builder) loopsSince(home place) bool {
	callers := map[*frame]bool{}
	for f := w.frame; f != nil; f = f.caller {
		callers[f] = true
	}
	for !callers[home.frame] { // it has returned
		if home.frame.site == nil {
			return true
		}
		home = place{frame: home.frame.caller, block: home.frame.site.Block()}
	}
	in := w.frame.cur
	for f := w.frame; ; f = f.caller {
		var inside *ssa.BasicBlock
		if f == home.frame {
			inside = home.block
		}
		if f.loops(in.Block(), inside) {
			return true
		}
		if inside != nil {
			return false
		}
		in = f.site
	}
}

// loops reports whether block b is in a loop that block but is not in.
func (f *frame) loops(b, but *ssa.BasicBlock) bool {
	for _, h := range f.fn.Blocks {
		if !h.Dominates(b) || f.inRounds(h) {
			continue
		}
		if loop := naturalLoop(h); loop[b] && !loop[but] {
			return true
		}
	}
	return false
}

// inRounds reports whether the loop of a head is being lowered round by round.
func (f *frame) inRounds(h *ssa.BasicBlock) bool {
	for _, u := range f.unrolled {
		if u.active && u.head == h {
			return true
		}
	}
	return false
}
