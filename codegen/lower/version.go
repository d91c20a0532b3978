package lower

// This file handles variables whose shape changes.

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/ir"
)

// The type versions holds the different shapes that a variable has in succession. For example, a
// field is set to another function, or to a slice of another array, before it is used again. go/ssa
// makes separate values for successive contents of a local variable, but not for fields and
// captured variables.
type versions struct {
	all      []*version
	at       map[*ir.Block]*version // maps a block to the last version of the shape that the block stores
	changed  token.Pos              // position at which the shape first changed
	reported bool                   // whether an error has been reported that the current shape is not known
}

type version struct {
	shape val
	vars  []*ir.Var
}

// supersede makes the shape of v the current shape of the variable, and keeps the earlier shapes.
// If an iteration of a loop could see the shape of an earlier iteration, supersede returns false
// and changes nothing.
func (w *builder) supersede(c *cell, v val) bool {
	if c.home == nil || w.loopsSince(*c.home) {
		return false
	}
	if c.versions == nil {
		c.versions = &versions{all: []*version{{c.shape, c.vars}}, at: map[*ir.Block]*version{}, changed: w.pos}
	}
	ver := c.versions.versionOf(v)
	c.shape, c.vars, c.fixed = ver.shape, ver.vars, true
	return true
}

// versionOf returns the version with the shape of v. If no version has this shape, versionOf adds a
// version.
func (vs *versions) versionOf(v val) *version {
	for _, ver := range vs.all {
		if sameShape(ver.shape, v) {
			return ver
		}
	}
	ver := &version{shape: v}
	vs.all = append(vs.all, ver)
	return ver
}

// keepVersion records that the current block stores a value of the variable's current shape.
func (w *builder) keepVersion(c *cell) {
	if c.versions != nil {
		ver := c.versions.versionOf(c.shape)
		ver.vars = c.vars
		c.versions.at[w.b] = ver
	}
}

// A version is one of the shapes that a variable has in succession. selectVersion selects a version
// that is possible in the current block and sets the variable's shape to it. If several versions
// are possible, the method returns another possible version. Otherwise it returns nil.
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
	if len(found) == 0 { // the block is unreachable
		return nil
	}
	if c.shape, c.vars = found[0].shape, found[0].vars; len(found) > 1 {
		return found[1]
	}
	return nil
}

// onlyVersion selects the variable's version for a load. If several versions are possible, it
// reports an error.
func (l *lowerer) onlyVersion(c *cell) {
	if also := l.selectVersion(c); also != nil && !c.versions.reported && !l.maySeveral(c, c.shape, also.shape) {
		c.versions.reported = true
		save := l.pos
		l.pos = c.versions.changed
		l.mixed(c, c.shape, also.shape)
		l.pos = save
	}
}

// loopsSince reports whether the current instruction is in a loop that does not contain the block
// in parameter home. Loops that are lowered iteration by iteration do not count.
func (w *builder) loopsSince(home place) bool {
	callers := map[*frame]bool{}
	for f := w.frame; f != nil; f = f.caller {
		callers[f] = true
	}
	for !callers[home.frame] { // the call of home's function has ended
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

// The method loops reports whether block b is in a loop that does not contain the block in
// parameter home.
func (f *frame) loops(b, home *ssa.BasicBlock) bool {
	for _, h := range f.fn.Blocks {
		if !h.Dominates(b) || f.inRounds(h) {
			continue
		}
		if loop := naturalLoop(h); loop[b] && !loop[home] {
			return true
		}
	}
	return false
}

// inRounds reports whether h is the head of a loop that is being lowered iteration by iteration.
func (f *frame) inRounds(h *ssa.BasicBlock) bool {
	for _, u := range f.unrolled {
		if u.active && u.head == h {
			return true
		}
	}
	return false
}
