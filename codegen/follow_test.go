package codegen

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/codegen/internal/mistakes"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

// wrongValue is an expression that is wrong and has a value.
type wrongValue struct{ code, before, expr, decls string }

const (
	oneFuncs = "func inc(x int32) int32 { return x + 1 }\nfunc dec(x int32) int32 { return x - 1 }"
	oneSize  = "var Size = dsl.NewSpecConstant(9)"
)

// wrongValues are such by their type, and followUses is what may be done with them as
// v, each of which is right with one of rightValues.
var (
	rightValues = map[string][]string{
		"int32":             {"int32(1)", "int32(Size.Get(it))"},
		"[]int32":           {"k.X", "[]int32{1, 2, 3}", "make([]int32, 3, 9)"},
		"func(int32) int32": {"incr"},
		"string":            {"\"abc\"", "\"abcdef\"[i%2:]"},
		"sizer":             {"sizer(round{3})"},
		"*int32":            {"&k.X[0]"},
		"pair":              {"pair{1, k.X}"},
		"float64":           {"k.D[i]", "1.5"},
	}
	wrongValues = map[string][]wrongValue{
		"int32": {
			{"KG202", "", "«counter", "var counter int32\nfunc Bump() { counter++ }"},
			{"KG104", "var c chan int32", "«<-c", ""},
			{"KG207", "var m map[int]int32", "m«[i]", ""},
			{"KG303", "", "asm«(1)", "func asm(int32) int32"},
			{"KG304", "", "rand.Int31«()", ""},
			{"KG205", "", "unsafe.Slice«(&k.X[0], 4)[3]", ""},
			{"KG201", "both := [2]func(int32) int32{incr, decr}\nsome := both«[i%2:]", "some[0](1)", ""},
			{"KG301", "", "fact(5)", "func fact(n int32) int32 {\nif n < 2 { return 1 }\nreturn n * fact«(n-1)\n}"},
			{"KG208", "", "int32(len(string«(rune(i))))", ""},
			{"KG601", "", "int32(Not.Get(it))", "var «Not *dsl.SpecConstant[int]"},
			{"KG206", "var «big [1 << 33]int8\nbig[i] = 1", "int32(big[i])", ""},
		},
		"[]int32": {
			{"KG204", "", "make«([]int32, i)", ""},
			{"KG204", "", "append«([]int32{1, 2}, 3)", ""},
			{"KG205", "", "unsafe.Slice«(&k.X[0], 4)", ""},
			{"KG602", "", "Weights.Get(it)", "var «Weights = dsl.RequireSpecConstant[[]int32]()"},
			{"KG603", "", "dsl.PrivateAlloca[int32]«(it, k.N)", ""},
			{"KG402", "", "dsl.LocalSlice[int32]«(it, i)", ""},
			{"KG606", "", "scratch(it)", oneSize + "\n\nfunc scratch(h dsl.KernelHandler) []int32 {\n«return dsl.PrivateAlloca[int32](h, Size)\n}"},
			{"KG207", "var m map[int][]int32", "m«[i]", ""},
		},
		"func(int32) int32": {
			{"KG201", "own := [4]int32{1, 2, 3}\nfs := [2]func(int32) int32{inc, (*row)(own[i&1:]).at}", "fs«[i%2]", oneFuncs + "\n\ntype row [2]int32\nfunc (r *row) at(i int32) int32 { return r[i&1] }"},
			{"KG207", "var m map[int]func(int32) int32", "m«[i]", ""},
		},
		"string": {
			{"KG208", "", "\"a\" «+ \"bcd\"[i%3:]", ""},
			{"KG208", "", "string«(rune(i))", ""},
			{"KG304", "", "fmt.Sprint«(i)", ""},
			{"KG202", "", "«name", "var name = \"a\"\nfunc Rename() { name = \"b\" }"},
		},
		"sizer": {
			{"KG201", "own := [4]int32{1, 2, 3}\nsizers := [2]sizer{round{3}, (*row)(own[i&1:])}", "sizers«[i%2]", "type row [2]int32\nfunc (r *row) size() int32 { return r[0] }"},
			{"KG202", "", "«chosen", "var chosen sizer = round{3}\nfunc Choose(s sizer) { chosen = s }"},
			{"KG207", "var m map[int]sizer", "m«[i]", ""},
		},
		"*int32": {
			{"KG205", "", "(*int32)(unsafe.Pointer«(&k.X[0]))", ""},
			{"KG207", "var m map[int]*int32", "m«[i]", ""},
			{"KG202", "", "«box", "var box = new(int32)"},
		},
		"pair": {
			{"KG207", "var m map[int]pair", "m«[i]", ""},
			{"KG303", "", "asmPair«()", "func asmPair() pair"},
		},
		"float64": {
			{"KG202", "", "«root", "var root = math.Exp(2)"},
			{"KG304", "", "rand.Float64«()", ""},
		},
	}
	followUses = map[string][]string{
		"int32": {
			"s := dsl.LocalSlice[int32](it, int(v))\ns[0] = 1\nk.Out[i] = s[0]",
			"p := dsl.PrivateAlloca[float32](it, int(v))\nk.F[i] = p[0]",
			"if v > 3 {\nit.Barrier()\n}",
			"for j := int32(0); j < v; j++ {\nit.Barrier()\n}",
			"for range v {\nit.Barrier()\n}",
			"switch v {\ncase 1, 2: it.Barrier()\ncase 3: return\n}\nit.Barrier()",
			"a := [2][]int32{k.X, k.Out}\na[0][0] = 1\nk.Out[i] = a[v][0]",
			"fs := []func(int32) int32{incr, decr}\nk.Out[i] = fs[v](1)",
			"fs := []func(int32) int32{incr, decr}\nfor j := range v {\nk.Out[i] = fs[j](1)\n}",
			"t := struct{ a int32; s []int32 }{v, k.X}\nk.Out[i] = t.s[t.a]\nu := &t\nif u.a == 3 { it.Barrier() }",
			"f := func() int32 { return v }\nif f() > 3 { it.Barrier() }\nfor range f() { it.Barrier() }",
			"if same(v) > 3 { it.Barrier() }\nk.Out[same(v)] = 1",
			"var e any = v\nif _, ok := e.(string); ok { it.Barrier() }\nk.Out[i] = e.(int32)",
			"atomic.AddInt32(&k.Out[v], v)\ncopy(k.Out[v:], k.X)\nk.Out[v] = min(v, 3)",
			"k.Out[i] = dsl.ReduceOverGroup(it.Group(), v, dsl.Plus) + dsl.GroupBroadcast(it.Group(), k.X[i], int(v))",
			"z := complex(float32(v), 1)\nk.F[i] = real(z * z)\nif z == 1 { it.Barrier() }",
			"defer func() { k.Out[i] = v }()\nif v == 7 { panic(v) }",
			"s := k.X\nif v > 3 { s = nil }\nk.Out[i] = s[v]\ns = s[v:v:v]\nk.Out[i] = append(s, v)[0]",
			"a := [4]int32{v, 2}\nb := a\nb[v] = 1\nk.Out[i] = b[1]\nif a == b { k.Out[i] = 1 }\nfor _, x := range a { k.Out[i] += x }",
			"for x := range count(int(v)) { k.Out[x]++ }",
			"g := \"abc\"[v:]\nk.Out[i] = int32(g[0])\nfor _, r := range g { k.Out[i] += r }",
			"var x, y int32\np := &x\nif v > 3 { p = &y }\n*p = v",
			"dsl.AtomicFence(dsl.MemoryScope(v))",
			"goto there\nthere:\nk.Out[i] = v << v >> v / v % v &^ v",
			"k.Out[i] = pick(v)",
		},
		"[]int32": {
			"for j, x := range v { k.Out[j] = x }\nk.Out[i] = int32(len(v) + cap(v))",
			"w := append(v[:1], 1)\nw = append(w[:1], v[1:]...)\nk.Out[i] = w[0]",
			"copy(v, k.X)\nclear(v)\nv[1] = 3\np := &v[2]\n*p = 3",
			"if len(v) > 3 { it.Barrier() }\nif v == nil { it.Barrier() }",
			"w := v\nif i > 3 { w = k.X }\nk.Out[i] = w[0]",
			"t := struct{ s []int32 }{v}\nt.s[0] = 1\nu := &t\nu.s = u.s[1:]\nk.Out[i] = u.s[0]",
			"k.Out[i] = first(v)\nk.Out[i] = max1(v)",
			"s := dsl.LocalSlice[int32](it, len(v))\nk.Out[i] = s[0]",
			"a := [2]int32(v)\nq := (*[2]int32)(v)\nq[0] = a[1]",
			"f := func() []int32 { return v }\nk.Out[i] = f()[0]\natomic.AddInt32(&v[0], 1)",
			"ss := [][]int32{v, k.X}\nk.Out[i] = ss[0][0]\nfor _, s := range ss { k.Out[i] += s[0] }",
		},
		"func(int32) int32": {
			"k.Out[i] = v(1)\nk.Out[i] = apply(v, 2)",
			"t := struct{ f func(int32) int32 }{v}\nk.Out[i] = t.f(1)",
			"g := v\nif i > 3 { g = incr }\nk.Out[i] = g(1)",
			"s := dsl.LocalSlice[int32](it, int(v(3)))\nk.Out[i] = s[0]\nif v(2) > 3 { it.Barrier() }",
			"defer v(1)\nfunc() { k.Out[i] = v(2) }()",
			"gs := []func(int32) int32{v, incr}\nfor _, g := range gs { k.Out[i] += g(1) }",
			"if v == nil { it.Barrier() }",
		},
		"string": {
			"k.Out[i] = int32(len(v)) + int32(v[i])\nfor _, r := range v { k.Out[i] += r }",
			"if v == \"a\" || v < \"b\" { k.Out[i] = 1 }\nswitch v { case \"x\": k.Out[i] = 2; case \"y\": k.Out[i] = 3 }",
			"w := \"x\"\nif i > 3 { w = v }\nk.Out[i] = int32(len(w))",
			"t := struct{ s string }{v}\nk.Out[i] = int32(len(t.s[1:]))\nvar b [4]byte\ncopy(b[:], v)\nk.Out[i] = int32(b[i&3])",
			"names := [2]string{v, \"b\"}\nk.Out[i] = int32(len(names[i%2]))",
		},
		"sizer": {
			"k.Out[i] = v.size() + area(v)",
			"if r, ok := v.(round); ok { k.Out[i] = r.r }\nif v == nil { it.Barrier() }",
			"switch r := v.(type) { case round: k.Out[i] = r.r; it.Barrier(); default: k.Out[i] = 1 }",
			"w := v\nif i > 3 { w = round{4} }\nk.Out[i] = w.size()",
			"for _, s := range []sizer{v, round{2}} { k.Out[i] += s.size() }\nf := v.size\nk.Out[i] = f()",
		},
		"*int32": {
			"*v = 3\nk.Out[i] = *v\natomic.AddInt32(v, 1)",
			"p := v\nif i > 3 { p = &k.Out[i] }\n*p = 1",
			"if v == nil { it.Barrier() }\nif v == &k.X[0] { k.Out[i] = 1 }",
			"t := struct{ p *int32 }{v}\n*t.p = 2\nq := &t.p\n**q = 2\nfunc() { *v++ }()",
		},
		"pair": {
			"k.Out[i] = v.a + v.s[0]\nw := v\nw.a = 3\nif w.a > 2 { it.Barrier() }",
			"k.Out[i] = v.sum()\nt := struct{ pair; n int32 }{v, 1}\nk.Out[i] = t.sum() + t.a",
			"p := &v\np.a++\np.s = p.s[1:]\nk.Out[i] = p.sum()",
			"w := pair{s: k.Out}\nif i > 3 { w = v }\nk.Out[i] = w.s[0] + w.a",
		},
		"float64": {
			"k.D[i] = v * 2 + math.Floor(v) + math.Sin(v)\nif v > 2 { it.Barrier() }",
			"k.Out[i] = int32(v)\nz := complex(v, v)\nk.D[i] = real(z) / v",
		},
	}
)

const followDecls = `type sizer interface{ size() int32 }
type round struct{ r int32 }
func (r round) size() int32 { return r.r }
func area(s sizer) int32 { return s.size() * 2 }
type pair struct { a int32; s []int32 }
func (p pair) sum() int32 { return p.a + p.s[0] }
func incr(x int32) int32 { return x + 1 }
func decr(x int32) int32 { return x - 1 }
func same(x int32) int32 { if x > 3 { return x }; return 4 }
func pick(x int32) int32 { switch x { case 1: return 2; case 2: return 5 }; return 0 }
func first(s []int32) int32 { return s[0] }
func max1(s []int32) int32 { m := s[0]; for _, x := range s[1:] { m = max(m, x) }; return m }
func apply(f func(int32) int32, x int32) int32 { return f(f(x)) }
func count(n int) func(func(int) bool) { return func(yield func(int) bool) { for j := range n { if !yield(j) { return } } } }`

// TestNothingFollows: of what is done with a value that is wrong nothing is said, as it
// may be right once the value is.
func TestNothingFollows(t *testing.T) {
	for typ, uses := range followUses {
		if !sample.Has(typ, 4) {
			continue
		}
		for _, use := range uses {
			right := slices.ContainsFunc(rightValues[typ], func(v string) bool {
				var f mistakes.File
				f.Kernel("K", mistakes.Use{Mistake: &mistakes.Mistake{Form: mistakes.Group, Decls: followDecls + "\n\n" + oneSize, Body: "v := " + v + "\n" + use}})
				src, _ := f.Source("kernels")
				diags := compileSnippet(t, src)
				return len(diags) == 0
			})
			if !right {
				t.Errorf("wrong with any %s:\n%s", typ, use)
			}
		}
	}
	for typ, values := range wrongValues {
		if !sample.Has(typ, 4) {
			continue
		}
		for _, w := range values {
			var f mistakes.File
			for n, use := range followUses[typ] {
				decls := followDecls + "\n\n" + w.decls + "\n\n" + oneSize
				f.Kernel(fmt.Sprintf("K%d", n), mistakes.Use{Mistake: &mistakes.Mistake{Code: w.code, Form: mistakes.Group, Decls: decls,
					Body: w.before + "\nv := " + w.expr + "\n" + use}})
				// And beyond a call.
				f.Kernel(fmt.Sprintf("K%dCalls", n), mistakes.Use{Mistake: &mistakes.Mistake{Code: w.code, Form: mistakes.Group,
					Method: fmt.Sprintf("uses(it dsl.NDItem1, i int, v %s) {\n%s\n}", typ, use), Body: w.before + "\nk.uses(it, i, " + w.expr + ")"}})
			}
			src, want := f.Source("kernels")
			diags := compileSnippet(t, src)
			diags.Sort()
			slices.Sort(want)
			compareMistakes(t, w.code+" "+w.expr, src, positions(diags), want)
			if t.Failed() && len(diags) < 6 {
				t.Log(diags)
			}
		}
	}
}
