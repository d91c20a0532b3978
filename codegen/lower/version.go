package lower

// This file handles variables whose shape changes.

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/ir"
)

// shapeVersions holds the different shapes that a variable has in succession. For example, a field
// first holds a function, and later holds another function. go/ssa makes separate values for
// successive contents of a local variable, but not for fields and captured variables.
type shapeVersions struct {
	all      []*shapeVersion
	at       map[*ir.Block]*shapeVersion // maps a block to the last version of the shape that the block stores
	changed  token.Pos                   // position at which the shape first changed
	reported bool                        // whether an error about the unknown current shape has been reported
}

type shapeVersion struct {
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
		c.versions = &shapeVersions{all: []*shapeVersion{{c.shape, c.vars}}, at: map[*ir.Block]*shapeVersion{}, changed: w.pos}
	}
	ver := c.versions.versionOf(v)
	c.shape, c.vars, c.fixed = ver.shape, ver.vars, true
	return true
}

// versionOf returns the version with the shape of v. If no version has the shape of v, versionOf
// adds a version.
func (vs *shapeVersions) versionOf(v val) *shapeVersion {
	for _, ver := range vs.all {
		if sameShape(ver.shape, v) {
			return ver
		}
	}
	ver := &shapeVersion{shape: v}
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

// selectVersion selects a version of a variable's shape that is possible in the current block, and
// sets the variable's shape to the selected version. Versions are the shapes that a variable has in
// succession. If a second version is possible, selectVersion returns the second version. If only
// one version is possible, selectVersion returns nil.
func (w *builder) selectVersion(c *cell) *shapeVersion {
	if c.versions == nil {
		return nil
	}
	var found []*shapeVersion
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

// onlyVersion selects the variable's version for a load. If several versions are possible,
// onlyVersion reports an error.
func (l *lowerer) onlyVersion(c *cell) {
	if also := l.selectVersion(c); also != nil && !c.versions.reported && !l.maySeveral(c, c.shape, also.shape) {
		c.versions.reported = true
		save := l.pos
		l.pos = c.versions.changed
		l.reportMixed(c, c.shape, also.shape)
		l.pos = save
	}
}

// loopsSince reports whether the current instruction is in a loop that does not contain homeBlock.
// Loops that are lowered iteration by iteration do not count.
func (w *builder) loopsSince(homeBlock frameBlock) bool {
	callers := map[*frame]bool{}
	for f := w.frame; f != nil; f = f.caller {
		callers[f] = true
	}
	for !callers[homeBlock.frame] { // the call that contains homeBlock has ended
		if homeBlock.frame.site == nil {
			return true
		}
		homeBlock = frameBlock{frame: homeBlock.frame.caller, block: homeBlock.frame.site.Block()}
	}
	in := w.frame.cur
	for f := w.frame; ; f = f.caller {
		var inside *ssa.BasicBlock
		if f == homeBlock.frame {
			inside = homeBlock.block
		}
		if f.inOtherLoop(in.Block(), inside) {
			return true
		}
		if inside != nil {
			return false
		}
		in = f.site
	}
}

// inOtherLoop reports whether block b is in a loop that does not contain the block "home".
func (f *frame) inOtherLoop(b, home *ssa.BasicBlock) bool {
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
