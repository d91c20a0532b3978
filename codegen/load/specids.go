package load

// This file assigns numbers to specialization constants.

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"

	"github.com/kgen-go/kgen/codegen/diag"
)

// SpecID is the number that a //kgen:spec directive gives to a specialization constant. The first
// scalar of the constant has the number ID, and the other scalars have the following numbers.
type SpecID struct {
	ID  uint32
	Pos token.Pos // position of the directive
}

// specScalars returns the number of scalars in a value of type t. specScalars returns at least 1,
// and not much more than maxPinned.
func specScalars(t types.Type) int {
	n := 0
	switch u := t.Underlying().(type) {
	case *types.Array:
		n = int(min(u.Len(), maxPinned)) * specScalars(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			n = min(n+specScalars(f.Type()), maxPinned)
		}
	}
	return max(1, min(n, maxPinned))
}

// reportOverlaps reports errors for constants with a number from a directive (pinned constants).
// Pinned constants must have different numbers, and must not have reserved numbers. Each constant
// is reported only once, although several checks may find the same error.
func (l *loader) reportOverlaps(d Directives, pinned []*types.Var, reported map[types.Object]bool) {
	type run struct {
		v           *types.Var
		first, past uint32
	}
	var runs []run
	for _, v := range pinned {
		at := d.SpecIDs[v]
		r := run{v, at.ID, at.ID + uint32(specScalars(isSpecConstant(v.Type())))}
		if r.past > maxPinned && !reported[v] {
			reported[v] = true
			l.directiveError(at.Pos, "give it a lower id", "the ids of %s are %d to %d, and those from %d on are not to choose", v.Name(), r.first, r.past-1, maxPinned)
		}
		runs = append(runs, r)
	}
	slices.SortStableFunc(runs, func(a, b run) int { return cmp.Compare(a.first, b.first) })
	for i := range runs {
		for j := range runs[:i] {
			a, b := runs[j], runs[i]
			if b.first >= a.past || reported[a.v] || reported[b.v] {
				continue
			}
			if l.comparePos(d.SpecIDs[a.v].Pos, d.SpecIDs[b.v].Pos) > 0 {
				a, b = b, a
			}
			reported[b.v] = true
			e := l.diags.Add(diag.Directive, l.diagPos(d.SpecIDs[b.v].Pos), "give it another id; an array or struct takes one for each scalar",
				"%s and %s have the same id, %d", a.v.Name(), b.v.Name(), max(a.first, b.first))
			e.Related = append(e.Related, diag.Related{Pos: l.diagPos(d.SpecIDs[a.v].Pos), Message: "the id of " + a.v.Name()})
		}
	}
}

// comparePos orders two positions by file, line and column. So the order of positions does not
// depend on the order in which files were loaded.
func (l *loader) comparePos(a, b token.Pos) int {
	p, q := l.fset.Position(a), l.fset.Position(b)
	return cmp.Or(cmp.Compare(p.Filename, q.Filename), p.Line-q.Line, p.Column-q.Column)
}

// pinnedTogether reports overlapping numbers of constants in one package, even if no kernel reads
// the constants.
func (l *loader) pinnedTogether(d Directives) map[types.Object]bool {
	packages := map[*types.Package][]*types.Var{}
	for obj := range d.SpecIDs {
		if v, ok := obj.(*types.Var); ok && isSpecConstant(v.Type()) != nil {
			packages[v.Pkg()] = append(packages[v.Pkg()], v)
		}
	}
	reported := map[types.Object]bool{}
	for _, pinned := range packages {
		slices.SortFunc(pinned, func(a, b *types.Var) int { return l.comparePos(a.Pos(), b.Pos()) })
		l.reportOverlaps(d, pinned, reported)
	}
	return reported
}

// findMentions computes, for each package, the set of declarations that its kernels mention.
func (f *kernelFinder) findMentions() {
	reported := f.l.pinnedTogether(f.prog.Directives)
	m := f.u.indexDecls()
	for _, pkg := range f.prog.Packages {
		m.markAll(slices.DeleteFunc(slices.Clone(f.methods), func(k *kernelMethods) bool { return k.k.Pkg != pkg }))
		pkg.mentions = m.packagePaths(f.prog.listed)
		f.numberSpecs(pkg, m.specs, reported)
	}
}

// numberSpecs sets the numbers of the constants that a package's kernels mention. A constant with a
// number from a directive keeps that number. All other constants have the lowest free numbers, in
// the order of their declarations. Thus a number has the same meaning in all kernels of the
// package.
func (f *kernelFinder) numberSpecs(pkg *Package, specs []*types.Var, reported map[types.Object]bool) {
	pkg.SpecIDs = map[types.Object]uint32{}
	var pinned []*types.Var
	for _, v := range specs {
		if _, ok := f.prog.SpecIDs[v]; ok {
			pinned = append(pinned, v)
		}
	}
	f.l.reportOverlaps(f.prog.Directives, pinned, reported)
	taken := map[uint32]bool{}
	for _, v := range pinned {
		if reported[v] {
			continue // the code below gives a free number to a constant without a directive
		}
		pkg.SpecIDs[v] = f.prog.SpecIDs[v].ID
		for i := range uint32(specScalars(isSpecConstant(v.Type()))) {
			taken[pkg.SpecIDs[v]+i] = true
		}
	}
	next := uint32(0)
	for _, v := range specs {
		if _, ok := pkg.SpecIDs[v]; ok {
			continue
		}
		n := uint32(specScalars(isSpecConstant(v.Type())))
		for !areFree(taken, next, n) {
			next++
		}
		pkg.SpecIDs[v] = next
		next += n
	}
	if next > maxPinned {
		f.l.diags.Add(diag.TooLarge, f.l.diagPos(pkg.Kernels[0].Pos), "read fewer, or smaller ones",
			"the kernels of package %s read specialization constants of more than %d numbers", pkg.Name, maxPinned)
	}
}

// areFree reports whether the map "taken" contains none of the numbers from first to first+n-1.
func areFree(taken map[uint32]bool, first, n uint32) bool {
	for i := range n {
		if taken[first+i] {
			return false
		}
	}
	return true
}
