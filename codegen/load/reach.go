package load

// This file visits the functions that kernels reach.

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/constinit"
	"github.com/kgen-go/kgen/codegen/diag"
)

// deviceStd lists the standard packages whose code may be compiled into kernels. Package lower
// reports an error for calls of functions in other standard packages.
var deviceStd = map[string]bool{
	"cmp": true, "math": true, "math/bits": true, "math/cmplx": true, "slices": true, "sort": true,
	"iter": true, "bytes": true, "encoding/binary": true, "internal/byteorder": true,
	"math/rand/v2": true, "internal/chacha8rand": true, "container/heap": true, "unicode/utf8": true,
	"unicode/utf16": true, "hash/adler32": true, "hash/crc32": true, "errors": true, "io": true, "internal/bytealg": true, "unicode": true,
	"crypto/sha256": true, "crypto/internal/boring": true, "crypto/internal/fips140": true,
	"crypto/internal/fips140/sha256": true, "crypto/internal/fips140deps/byteorder": true,
}

// seldomStd lists further standard packages whose code may be compiled into kernels. Programs
// usually import the packages of seldomStd for host code. So a package in seldomStd is loaded from
// source only if a kernel calls one of the package's functions.
var seldomStd = map[string]bool{
	"strings": true, "internal/stringslite": true, "strconv": true, "internal/strconv": true,
	"encoding/hex": true, "encoding/base64": true, "encoding/base32": true, "hash/fnv": true,
	"image": true, "image/color": true, "container/list": true, "container/ring": true,
	"crypto/sha512": true, "crypto/internal/fips140/sha512": true,
	"crypto/md5": true, "crypto/sha1": true, "hash/crc64": true, "math/rand": true,
	"crypto/sha3": true, "crypto/internal/fips140/sha3": true, "crypto/aes": true, "crypto/internal/fips140/aes": true,
	"crypto/subtle": true, "crypto/internal/fips140/subtle": true, "crypto/internal/constanttime": true,
}

// DeviceStd reports whether a standard package's code may be compiled into kernels.
func DeviceStd(path string) bool { return deviceStd[path] || seldomStd[path] }

// Clones reports whether fn is one of the standard library's functions that allocate their result
// by an append to a slice without capacity. Kernels can call such a function if the length of the
// result is constant.
func Clones(fn *ssa.Function) bool {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	switch fn.RelString(nil) {
	case "slices.Clone", "bytes.Clone", "bytes.Join", "bytes.ToLower", "bytes.ToUpper":
		return true
	}
	return false
}

// reacher visits the code that kernels reach.
type reacher struct {
	l    *loader
	u    *universe
	seen map[*ssa.Function]bool
	// The keys of withoutBody are the packages that must be loaded from source. The values are the
	// reached functions that have no body.
	withoutBody map[string][]*ssa.Function
	// The list "methods" contains functions of loaded packages that may be called through
	// interfaces. An error in a function of the list is reported only if package lower finds a call
	// of the function.
	methods []*ssa.Function
	made    map[*ssa.Global]bool // variables whose initializing functions are in the list "methods"
	quiet   bool
	orderer *orderer
}

// reachAll visits all functions that kernels reach, and reports the errors in the visited
// functions. The keys of the returned map are the packages that must be loaded from source. The
// values are the reached functions that have no body.
func (l *loader) reachAll(u *universe, from []*ssa.Function) map[string][]*ssa.Function {
	r := &reacher{l: l, u: u, seen: map[*ssa.Function]bool{}, withoutBody: map[string][]*ssa.Function{}, made: map[*ssa.Global]bool{}, orderer: newOrderer()}
	for _, fn := range from {
		r.visitFunc(fn, nil, token.NoPos)
	}
	for r.quiet = true; len(r.methods) > 0; {
		fn := r.methods[0]
		r.methods = r.methods[1:]
		r.visitFunc(fn, nil, token.NoPos)
	}
	return r.withoutBody
}

// callLink is one link in a chain of calls that begins at a kernel.
type callLink struct {
	up *callLink
	fn *ssa.Function
	at token.Pos
}

func (r *reacher) visitFunc(fn *ssa.Function, up *callLink, at token.Pos) {
	if fn == nil || r.seen[fn] {
		return
	}
	r.seen[fn] = true
	if r.l.isIntrinsic(fn) {
		if fn.RelString(nil) == "unicode/utf8.RuneCount" { // package lower replaces a call of RuneCount by calls of DecodeRune
			r.visitFunc(fn.Pkg.Func("DecodeRune"), up, at)
		}
		for _, code := range halfCode(fn.Prog, fn) {
			r.visitFunc(code, up, at)
		}
		return
	}
	if decl, ok := fn.Syntax().(*ast.FuncDecl); ok {
		if errs := r.l.broken[decl]; len(errs) > 0 {
			if !r.quiet {
				r.l.reportBroken(errs, &callLink{up, fn, at})
			}
			return
		}
	}
	if fn.Blocks == nil {
		if path := PackageOf(fn); path != "" {
			r.withoutBody[path] = append(r.withoutBody[path], fn)
		}
		return
	}
	r.l.recordReached(fn)
	r.orderer.orderFunc(fn)
	var ops [8]*ssa.Value
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if _, ok := in.(*ssa.DebugRef); ok {
				continue
			}
			if in, ok := in.(*ssa.MakeInterface); ok {
				r.interfaceMethods(in)
			}
			for _, op := range in.Operands(ops[:0]) {
				switch x := (*op).(type) {
				case *ssa.Function:
					r.visitFunc(x, &callLink{up, fn, at}, in.Pos())
				case *ssa.Global:
					// If kernels read a variable, the variable's package must be loaded, because
					// the package's initializer computes the variable's initial value.
					if path := x.Pkg.Pkg.Path(); noInit(x.Pkg) && path != dslPath && path != propertiesPath {
						r.withoutBody[path] = r.withoutBody[path][:len(r.withoutBody[path]):len(r.withoutBody[path])]
					} else {
						r.madeBy(x)
					}
				}
			}
		}
	}
}

// madeBy adds to r.methods the functions, such as errors.New, that compute the initial value of a
// package-level variable.
func (r *reacher) madeBy(g *ssa.Global) {
	init := g.Pkg.Func("init")
	if init == nil || r.made[g] {
		return
	}
	r.made[g] = true
	seen := map[ssa.Value]bool{}
	for _, b := range init.Blocks {
		for _, in := range b.Instrs {
			if c, ok := in.(*ssa.Call); ok {
				if fn := c.Call.StaticCallee(); fn != nil && fn.Pkg == g.Pkg && mentionsVar(fn, g) { // fn may set g
					r.methods = append(r.methods, fn)
				}
			}
			st, ok := in.(*ssa.Store)
			if !ok {
				continue
			}
			if constinit.RootOf(st.Addr) == ssa.Value(g) {
				r.addComputing(st.Val, seen)
			}
		}
	}
}

// mentionsVar reports whether function fn uses variable g, directly or through calls inside the
// package.
func mentionsVar(fn *ssa.Function, g *ssa.Global) bool {
	seen := map[*ssa.Function]bool{}
	var look func(fn *ssa.Function) bool
	look = func(fn *ssa.Function) bool {
		if seen[fn] || fn.Pkg != g.Pkg {
			return false
		}
		seen[fn] = true
		var ops [8]*ssa.Value
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				for _, op := range in.Operands(ops[:0]) {
					if *op == ssa.Value(g) {
						return true
					}
					if f, ok := (*op).(*ssa.Function); ok && look(f) {
						return true
					}
				}
			}
		}
		return false
	}
	return look(fn)
}

// addComputing adds to r.methods the functions that compute value v in an initializer.
func (r *reacher) addComputing(v ssa.Value, seen map[ssa.Value]bool) {
	if seen[v] {
		return
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Function:
		r.methods = append(r.methods, v)
		return
	case *ssa.Global:
		if noInit(v.Pkg) {
			return
		}
		r.madeBy(v)
		return
	case *ssa.Alloc: // the functions that compute the stored values are added
		for _, u := range *v.Referrers() {
			if st, ok := u.(*ssa.Store); ok {
				r.addComputing(st.Val, seen)
			}
		}
		return
	}
	in, ok := v.(ssa.Instruction)
	if !ok {
		return
	}
	var ops [8]*ssa.Value
	for _, op := range in.Operands(ops[:0]) {
		if *op != nil {
			r.addComputing(*op, seen)
		}
	}
}

// noInit reports whether a package is not loaded from source.
func noInit(p *ssa.Package) bool {
	init := p.Func("init")
	return init == nil || len(init.Blocks) == 0
}

// interfaceMethods adds to r.methods the methods that become callable because an instruction
// converts a value to an interface.
func (r *reacher) interfaceMethods(in *ssa.MakeInterface) {
	iface, ok := in.Type().Underlying().(*types.Interface)
	if !ok {
		return
	}
	set := r.u.prog.MethodSets.MethodSet(in.X.Type())
	for m := range iface.Methods() {
		if sel := set.Lookup(m.Pkg(), m.Name()); sel != nil && !types.IsInterface(in.X.Type()) {
			if fn := r.u.prog.MethodValue(sel); fn != nil {
				r.methods = append(r.methods, fn)
			}
		}
	}
}

// reportBroken reports the errors of a function whose body was removed, with the chain of calls
// from the kernel.
func (l *loader) reportBroken(errs diag.List, c *callLink) {
	for _, d := range errs {
		d := *d
		for at := c; at.up != nil; at = at.up {
			if at.at.IsValid() {
				d.Related = append(d.Related, diag.Related{Pos: l.diagPos(at.at),
					Message: "called here from " + FuncText(at.up.fn)})
			}
		}
		l.diags = append(l.diags, &d)
	}
}

// isIntrinsic reports whether the compiler has its own code for fn. If the compiler has its own
// code, the body of fn is not needed.
func (l *loader) isIntrinsic(fn *ssa.Function) bool {
	path := PackageOf(fn)
	switch path {
	case dslPath, propertiesPath, "sync/atomic", "unsafe":
		return true
	}
	return path != "" && l.known != nil && l.known(path, funcName(fn))
}

// objectOf returns the object that declares function fn. For an instance of a generic function,
// objectOf returns the generic function's object.
func objectOf(fn *ssa.Function) *types.Func {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	f, _ := fn.Object().(*types.Func)
	return f
}

// PackageOf returns the import path of the package that declares fn, or "".
func PackageOf(fn *ssa.Function) string {
	if f := objectOf(fn); f != nil && f.Pkg() != nil {
		return f.Pkg().Path()
	}
	return ""
}

// funcName returns the name of a function in the form "Func" or "Type.Method".
func funcName(fn *ssa.Function) string {
	f := objectOf(fn)
	if recv := f.Signature().Recv(); recv != nil {
		if of := TypeName(recv.Type()); of != "" {
			return of + "." + f.Name()
		}
	}
	return f.Name()
}

// TypeName returns the name of the declared type t, or of the declared type to which t points. For
// other types, TypeName returns "".
func TypeName(t types.Type) string {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}
