package lower

// This file lists the package-level variables that each launch checks for changes.

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/constinit"
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/load"
)

// isWatched reports whether each launch compares the value of variable g with its value at the time
// of generation. Launches compare exported variables because packages that are not loaded may write
// to them.
func (l *lowerer) isWatched(g *ssa.Global) bool { return launchWatches(l.prog, l.k.Pkg, g) }

func launchWatches(p *load.Program, pkg *load.Package, g *ssa.Global) bool {
	path := g.Pkg.Pkg.Path()
	if p.IsStd(path) && slices.Contains(strings.Split(path, "/"), "internal") {
		return false
	}
	return token.IsExported(g.Name()) && pkg.Importable(path)
}

// finishVariables lists, in the module, the package-level variables that the kernel reads.
func (l *lowerer) finishVariables() {
	read := slices.SortedFunc(maps.Keys(l.globals), func(a, b *ssa.Global) int {
		return cmp.Or(cmp.Compare(a.Pkg.Pkg.Path(), b.Pkg.Pkg.Path()), cmp.Compare(a.Name(), b.Name()))
	})
	for _, g := range read {
		v := l.globals[g]
		t := g.Type().Underlying().(*types.Pointer).Elem()
		if isBad(v) || sizes.Sizeof(t) == 0 || !token.IsExported(g.Name()) {
			continue
		}
		name := g.Pkg.Pkg.Path() + "." + g.Name()
		if !l.isWatched(g) {
			if !l.prog.IsStd(g.Pkg.Pkg.Path()) {
				l.m.Unwatched = append(l.m.Unwatched, name)
			}
			continue
		}
		row := abi.Variable{Name: name, Pos: l.prog.Pos(g.Pos()).String()}
		if !isSpecPointer(t) {
			tree, ok := l.foresight.carried.inits.Tree(g)
			if !ok {
				panic(fmt.Sprintf("BUG: the variable %s has no value", name))
			}
			d := &varDigest{l: l}
			d.addValue(tree, t, 0)
			row.Sum = max(abi.Sum(string(d.bytes)), 1)
		}
		l.m.Variables = append(l.m.Variables, row)
	}
}

// varDigest computes the bytes that represent a variable's value in the ABI.
type varDigest struct {
	l     *lowerer
	bytes []byte
}

func (d *varDigest) word(n uint64) { d.bytes = binary.LittleEndian.AppendUint64(d.bytes, n) }

func (d *varDigest) flag(set bool) bool {
	if set {
		d.bytes = append(d.bytes, 1)
	} else {
		d.bytes = append(d.bytes, 0)
	}
	return set
}

func (d *varDigest) text(s string) {
	d.word(uint64(len(s)))
	d.bytes = append(d.bytes, s...)
}

// addValue appends the bytes of a value of type t to the digest.
func (d *varDigest) addValue(tree *constinit.Tree, t types.Type, pointers int) {
	if tree == nil {
		tree = &constinit.Tree{}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		d.addBasic(tree, t, u)
	case *types.Array:
		for i := range int(u.Len()) {
			d.addValue(tree.Parts[i], u.Elem(), pointers)
		}
	case *types.Struct:
		for i := range u.NumFields() {
			d.addValue(tree.Parts[i], u.Field(i).Type(), pointers)
		}
	case *types.Slice:
		if tree.Length == 0 && !tree.Made {
			d.word(0)
			return
		}
		d.word(uint64(tree.Length) + 1)
		for i := range tree.Length {
			d.addValue(tree.Parts[i], u.Elem(), pointers)
		}
	case *types.Pointer:
		if !d.flag(tree.To != nil) || pointers >= abi.MaxPointers {
			return
		}
		if g, ok := tree.To.ID.(*ssa.Global); ok {
			to, _ := d.l.foresight.carried.inits.Tree(g)
			d.addValue(to, u.Elem(), pointers+1)
			return
		}
		d.addValue(tree.To.Tree, u.Elem(), pointers+1)
	case *types.Interface:
		if !d.flag(tree.Dynamic != nil) {
			return
		}
		d.text(dynamicName(tree.Dynamic))
		concrete := *tree
		concrete.Dynamic = nil
		d.addValue(&concrete, tree.Dynamic, pointers)
	case *types.Signature:
		fn, _ := tree.Leaf.(*ssa.Function)
		if d.flag(fn != nil) {
			d.text(d.funcName(fn))
		}
	default:
		d.flag(false)
	}
}

func (d *varDigest) addBasic(tree *constinit.Tree, t types.Type, u *types.Basic) {
	c, _ := tree.Leaf.(*ssa.Const)
	if u.Info()&types.IsString != 0 {
		s := ""
		if c != nil && c.Value != nil {
			s = constant.StringVal(c.Value)
		}
		d.text(s)
		return
	}
	if u.Kind() == types.UnsafePointer {
		d.flag(false)
		return
	}
	var scalars []*ir.Value
	switch {
	case tree.Number != nil:
		scalars = d.l.numberOf(tree, t)
	case tree.Leaf == nil:
		scalars = scalarsOf(d.l.zeroValue(t))
	case gotypes.IsFloat(t):
		x, _ := constinit.ExactFloat(tree.Leaf)
		scalars = []*ir.Value{d.l.float(regType(t), x)}
	default:
		scalars = scalarsOf(d.l.constant(c))
	}
	size := int(sizes.Sizeof(t)) / len(scalars)
	for _, s := range scalars {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], s.Bits)
		d.bytes = append(d.bytes, b[:size]...)
	}
}

// dynamicName returns the import path and the name of a type, or "" if it has no name.
func dynamicName(t types.Type) string {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		if b, ok := t.Underlying().(*types.Basic); ok {
			return "." + types.Typ[b.Kind()].Name()
		}
		return ""
	}
	path := ""
	if n.Obj().Pkg() != nil {
		path = n.Obj().Pkg().Path()
	}
	return path + "." + n.Obj().Name()
}

// funcName returns the name that the linker gives to a function. The name of a function literal
// consists of its file and line.
func (d *varDigest) funcName(fn *ssa.Function) string {
	if fn.Parent() != nil {
		at := d.l.prog.Fset.Position(fn.Pos())
		return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
	}
	if fn.Synthetic != "" || fn.Signature.Recv() != nil || fn.Origin() != nil || fn.Pkg == nil {
		return ""
	}
	path := fn.Pkg.Pkg.Path()
	slash := strings.LastIndexByte(path, '/') + 1
	var b strings.Builder
	b.WriteString(path[:slash])
	for i := slash; i < len(path); i++ {
		if c := path[i]; c <= ' ' || c == '.' || c == '%' || c == '"' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + "." + fn.Name()
}
