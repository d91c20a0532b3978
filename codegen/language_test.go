package codegen

import (
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/sample"
)

// snippet is a kernel's body and the declarations that it needs. It has the ids
// i and, for a body with work-group features, l.
type snippet struct {
	code  string // the diagnostic that it gives, or ""
	body  string
	decls string
}

func yes(body string, decls ...string) snippet { return snippet{"", body, strings.Join(decls, "\n")} }

func no(code, body string, decls ...string) snippet {
	return snippet{code, body, strings.Join(decls, "\n")}
}

const (
	sizer       = "type sizer interface{ size() int32 }"
	square      = "type square struct{ w int32 }\nfunc (q square) size() int32 { return q.w * q.w }\nfunc (q square) plus(d int32) int32 { return q.w + d }"
	line        = "type line struct{ w int32 }\nfunc (q line) size() int32 { return 0 }"
	orderedHeap = "type ordered struct{ s []int32 }\nfunc (h *ordered) Len() int { return len(h.s) }\nfunc (h *ordered) Less(i, j int) bool { return h.s[i] < h.s[j] }\nfunc (h *ordered) Swap(i, j int) { h.s[i], h.s[j] = h.s[j], h.s[i] }\nfunc (h *ordered) Push(x any) { h.s = append(h.s, x.(int32)) }\nfunc (h *ordered) Pop() any { n := len(h.s) - 1; x := h.s[n]; h.s = h.s[:n]; return x }"
	funcs       = "func inc(x int32) int32 { return x + 1 }\nfunc dec(x int32) int32 { return x - 1 }"
)

// cases returns a switch that takes one of 33 statements, by data.
func cases(statement string) string {
	var b strings.Builder
	for n := range 33 {
		fmt.Fprintf(&b, "case %d: "+statement+"\n", n, n)
	}
	return "switch i {\n" + b.String() + "}"
}

// language has a few kernels for each row of the tables in dsl's documentation.
var language = map[string][]snippet{
	"bool": {yes("b := k.B[i] || i > 3 && !k.B[0]; k.B[i] = b")},
	"int8…int64, uint8…uint64": {
		yes("a, b, c, d := int8(i), int16(i), int32(i), int64(i); k.Out[i] = int32(a) + int32(b) + c + int32(d)"),
		yes("a, b, c, d := uint8(i), uint16(i), uint32(i), uint64(i); k.Out[i] = int32(a) + int32(b) + int32(c) + int32(d)"),
	},
	"int, uint":        {yes("var n int = i; u := uint(n) * 3; k.Out[i] = int32(u >> 40)")},
	"float32, float64": {yes("k.D[i] = float64(k.F[i]) * 2")},
	"complex64, complex128": {
		yes("c, d := complex(k.F[i], 1), complex(k.D[i], 2); k.Out[i] = int32(real(c/2)) + int32(imag(d*d))"),
		yes("", "type C struct{ C complex64; D []complex128 }\nfunc (k C) Kernel(it dsl.Item1) { k.D[0] += complex128(k.C) }"),
	},
	"string": {
		yes("k.Out[i] = digit(\"abc\", i)", "func digit(s string, i int) int32 { if s == \"x\" { return 0 }; return int32(s[i%len(s)]) }"),
		yes("s := \"a\"; if i > 3 { s = \"bcd\"[i%3:] }; if s < \"c\" { k.Out[i] = int32(len(s)) }; for _, r := range s { k.Out[i] += r }"),
		no("KG208", "s := \"a\" + \"bcd\"[i%3:]; k.Out[i] = int32(s[0])"),
		no("KG208", "b := []byte(\"bcd\"[i%3:]); b[0]++; k.Out[i] = int32(b[0])"),
	},
	"half.Float16, …": {
		yes("x := half.FromFloat32[half.Float16](k.F[i]); k.F[i] = x.FMA(x, half.Epsilon[half.Float16]()).Div(x).Sqrt().Float32()"),
		yes("x := half.FromBits[half.Float8E4M3](uint16(i)); k.B[i] = x.Less(x.Neg()) || x == 0; k.Out[i] = int32(x.Compare(x.Abs())) + int32(x.Bits())"),
		yes("x, y := half.FromFloat32[half.BFloat16](k.F[i]), half.Inf[half.BFloat16](-1); k.F[i] = sum(x, y).Float32(); k.B[i] = x == y", "func sum[T half.Float[T]](x, y T) T { return x.Add(y).Sub(x.Mul(y)).Min(x).Max(y) }"),
		yes("x := [2]half.Float16{0, half.FromFloat32[half.Float16](k.F[i])}; dsl.AtomicAdd(&x[0], dsl.Plus(x[1], half.Exp(x[1]))); fmt.Println(x); k.F[i] = half.Dot(x[:], x[:])"),
		no("KG209", "x := half.FromFloat32[half.Float8E5M2](k.F[i]); k.F[i] = (x + x).Float32()"),
		no("KG209", "x := half.FromFloat32[half.Float8E5M2](k.F[i]); k.F[i] = dsl.BitOr(x, x).Float32()"),
		no("KG209", "k.F[i] = half.Float16(1).Float32()"),
		no("KG209", "k.F[i] = sum(half.Float16(0), 0).Float32()", "func sum[T half.Float[T]](x, y T) T { return x + y }"),
	},
	"arrays": {
		yes("var a [8]int32; a[i%8] = 3; b := a; k.Out[i] = b[i%7]"),
		yes("var m [3][4]struct{ X, Y float32 }; m[i%3][i%4].X = 1; k.F[i] = m[1][2].X"),
	},
	"arrays of slices, …": {
		yes("ss := [2][]int32{k.X, k.Out}; fs := [2]func(int32) int32{inc, dec}; k.Out[i] = fs[1](ss[0][i])", funcs),
		yes("x := int32(1); ps := [2]*int32{&x}; *ps[0] = 3; k.Out[i] = x"),
		yes("for _, f := range []func(int32) int32{inc, dec} { k.Out[i] = f(k.Out[i]) }; k.Out[i] += all(1, inc, steps[1])", funcs,
			"var steps = [...]func(int32) int32{dec, inc}\nfunc all(x int32, fs ...func(int32) int32) int32 { for j := range fs { x = fs[j](x) }; return x }"),
		yes("k.Out[i] = shapes[i%2].size()", "var shapes = []sizer{square{3}, line{2}}", sizer, square, line),
		yes("ss := [2][]int32{k.X, k.Out}; k.Out[i] = ss[i%2][0]; for j := range i { k.Out[i] = ss[j%2][0] }"),
		yes("fs := []func(int32) int32{inc, dec}; fs[i%2] = inc; k.Out[i] = fs[k.X[i]](1)", funcs),
		no("KG201", "fs := []func(int32) int32{inc, dec}; gs := fs[i%2:]; k.Out[i] = gs[0](1)", funcs),
		no("KG201", "var ss [40][]int32; ss[0] = k.X; k.Out[i] = ss[0][0]"),
	},
	"structs": {
		yes("t := both{pair{1, 2}, k.X[1:]}; t.a++; t.S[i] += t.a; k.Out[i] = t.sum()", "type pair struct{ a, b int32 }\nfunc (p pair) sum() int32 { return p.a + p.b }\ntype both struct { pair; S []int32 }"),
	},
	"slices": {
		yes("s := k.X; if i > 3 { s = k.Out[2:] }; k.Out[i] = s[0]"),
		yes("t := []int32{1, 2, 3}; var a [4]int32; u := a[1:]; u[0] = t[i%3]; k.Out[i] = a[1]"),
		yes("ss := [][]int32{k.X, k.Out}; k.Out[i] = ss[0][i]; for _, s := range ss[1:] { s[i]++ }"),
		yes("ss := []string{\"a\", \"b\"}; k.Out[i] = int32(len(ss[i%2]))"),
		no("KG007", "", "type K struct{ S [][]int32 }"),
	},
	"pointers": {
		yes("p := &k.X[i]; if i > 3 { p = &k.Out[i] }; *p = 1; x := 2; q := &x; r := &q; **r = 3; k.Out[i] = int32(x)"),
		yes("var p *int32; if i > 3 { p = &k.Out[i] }; if p != nil { *p = 5 }"),
		yes("x, y := int32(1), int32(2); p := &x; if i > 3 { p = &y }; *p = 5; k.Out[i] = x + y"),
		yes("var t struct{ l, r [4]int32 }; p := &t.l[i&3]; if i > 3 { p = &t.r[i&3] }; *p = 5; q := &k.Out[i]; if i > 5 { q = p }; *q += t.l[0]"),
		yes("src, dst := dsl.Local[[64]int32](it), dsl.Local[[64]int32](it); p := &src[l]; for range 3 { dst[l] = src[l] + *p; it.Barrier(); src, dst = dst, src; p = &dst[l] }; k.Out[i] = src[l]"),
		no("KG203", "var p *int32; for j := int32(0); j < 3; j++ { x := j; if j == 1 { p = &x } }; k.Out[i] = *p"),
		no("KG007", "", "type K struct{ P *int32 }"),
	},
	"functions": {
		yes("f := inc; k.Out[i] = apply(f, 2) + apply(dec, 3)", funcs, "func apply(f func(int32) int32, x int32) int32 { return f(f(x)) }"),
		yes("o := opts{step: inc}; for j := range i { o.n += int32(j) }; k.Out[i] = o.step(o.n); o.step = dec; k.Out[i] += o.step(o.n)", funcs, "type opts struct { n int32; step func(int32) int32 }"),
		yes("var fs [3]func() int; for j := 0; j < 3; j++ { fs[j] = func() int { return j * i } }; for _, f := range fs { k.Out[i] += int32(f()) }"),
		yes("var f func(); if i > 3 { f() }"),
		yes("f := inc; if i > 3 { f = dec }; k.Out[i] = f(1)", funcs),
		yes("o := opts{step: inc}; if i > 3 { o.step = dec }; k.Out[i] = o.step(1)", funcs, "type opts struct { step func(int32) int32 }"),
		no("KG302", "f := inc; "+cases("f = func(x int32) int32 { return x * %d }")+"; k.Out[i] = f(1)", funcs),
		yes("f := inc; for j := range 20 { if i == j { f = far{int32(j)}.off } }; h := g([20]int32{}); if i > 4 { h = row{5: 3}.sum }; k.Out[i] = f(1) + h()", funcs,
			"type far struct{ d int32 }\nfunc (f far) off(x int32) int32 { return x + f.d }\nfunc g(a [20]int32) (f func() int32) { if a[0] > 3 { return nil }; return row(a).sum }\ntype row [20]int32\nfunc (r row) sum() int32 { return r[0] + r[19] }"),
	},
	"interfaces": {
		yes("k.Out[i] = area(square{3}) + area(line{2})", sizer, square, line, "func area(s sizer) int32 { return s.size() }"),
		yes("var s sizer = square{3}; if i > 3 { s = line{2} }; k.Out[i] = s.size(); if s == nil { k.Out[i]++ }", sizer, square, line),
		yes("n, err := half(k.X[i]); if err != nil { n = int32(err.(odd)) }; k.Out[i] = n", "type odd int32\nfunc (odd) Error() string { return \"odd\" }\nfunc half(x int32) (int32, error) { if x%2 != 0 { return 0, odd(x) }; return x / 2, nil }"),
		no("KG302", "var v any; "+cases("v = [%d]bool{}")+"; if v == nil { k.Out[i]++ }"),
		yes("var s sizer; if i > 3 { s = line{2} } else if i > 2 { s = grid{1} }; if s != nil { k.Out[i] = s.size() }", sizer, line, "type grid [3]int32\nfunc (g grid) size() int32 { return g[0] }"),
	},
	"generic types": {
		yes("b := box[int32]{3}; k.Out[i] = b.get()", "type box[T any] struct{ v T }\nfunc (b box[T]) get() T { return b.v }"),
		yes("", "type G[T any] struct{ X []T }\nfunc (g G[T]) Kernel(it dsl.Item1) { g.X[0] = g.X[1] }\ntype GInt = G[int]"),
		no("KG005", "", "type G[T any] struct{ X []T }\nfunc (g G[T]) Kernel(it dsl.Item1) { g.X[0] = g.X[1] }"),
	},
	"maps":     {no("KG207", "m := map[int32]int32{1: 2}; k.Out[i] = m[1]")},
	"channels": {no("KG104", "c := make(chan int32, 1); _ = c")},
	"uintptr":  {yes("k.Out[i] = int32(uintptr(i) >> 3)")},
	"unsafe.Pointer": {
		yes("p := unsafe.Pointer(&k.X[i]); *(*uint32)(p) = 1; k.Out[i] = *(*int32)(unsafe.Pointer(&k.F[i]))"),
		no("KG205", "k.Out[i] = int32(*(*int64)(unsafe.Pointer(&k.X[i])))"),
		no("KG205", "p := (*uint32)(unsafe.Pointer(&k.X[i])); atomic.AddUint32(p, 1)"),
		no("KG205", "k.Out[i] = int32(uintptr(unsafe.Pointer(&k.X[i])))"),
	},

	"constants": {yes("k.Out[i] = int32(b) + big>>95", "const ( a = iota + 1; b )\nconst big = 1 << 100")},
	"package-level variables": {
		yes("k.Out[i] = table[i%3] + list[i%2].x + one", "var table = [3]int32{1, 2, 3}\nvar list = []struct{ x int32 }{{1}, {2}}\nvar one int32 = 1"),
		yes("t := &a; if i > 3 { t = &b }; s := k.X; if i > 9 { s = c }; k.Out[i] = t[i%2] + s[0] + d[i]", "var a, b = [2]int32{1, 2}, [2]int32{3, 4}\nvar c = []int32{1, 2, 3}\nvar d = [1000]int32{5: 3}"),
		yes("e := list[i%2]; k.Out[i] = int32(len(e.name)) + e.x; for _, s := range shapes { k.Out[i] += s.size() }",
			"var list = []struct{ name string; x int32 }{{\"a\", 1}, {x: 2}}\nvar shapes = []sizer{square{3}, line{2}}", sizer, square, line),
		yes("err := errors.New(\"c\"); if i > 3 { err = errA }; if i > 5 { err = b }; if err == b { k.Out[i] = int32(len(err.Error())) + b.n }", "var errA = errors.New(\"a\")\nvar b = &mine{3}\ntype mine struct{ n int32 }\nfunc (m *mine) Error() string { return \"bcd\"[m.n:] }"),
		yes("k.D[i] = roots[i%2] / root; k.F[i] = min(k.F[i], most.x)", "var root = math.Sqrt(2)\nvar roots = []float64{math.Sqrt(3), -math.Inf(1), math.Float64frombits(1 << 63)}\nvar most = struct{ x float32 }{float32(math.Inf(1))}"),
		yes("k.Out[i] = filled[i%4]", "var filled [4]int32\nfunc init() { for i := range filled { filled[i] = int32(i * i) } }"),
		no("KG202", "k.Out[i] = v", "var v int32\nfunc Set() { v++ }"),
		no("KG202", "k.Out[i] = v[0]", "var v = []int32{1, 2}\nfunc Set() { v[0]++ }"),
		no("KG202", "k.Out[i] = int32(v)", "var v = math.Exp(2)"),
		no("KG202", "k.Out[i] = int32(v)", "var v = func() int { m := map[int]int{}; return len(m) }()"),
		yes("k.D[i] = waves[i%8] * scale", "var waves = func() (t [8]float64) { for i := range t { t[i] = math.Sin(float64(i)) }; return t }()\nvar scale = waves[1] * math.Cbrt(3)"),
	},
	"functions, methods": {
		yes("q, r := div(k.X[i], 3); k.Out[i] = q + r + sum(1, 2, 3) + sum(k.X...) + largest(q, r) + square{2}.size()",
			"func div(a, b int32) (q, r int32) { q = a / b; r = a % b; return }", "func sum(xs ...int32) (s int32) { for _, x := range xs { s += x }; return s }",
			"func largest[T cmp.Ordered](a, b T) T { return max(a, b) }", square),
	},
	"recursion": {
		yes("k.Out[i] = sum{sum{lit(1), lit(2)}, lit(i)}.eval()", "type expr interface{ eval() int32 }\ntype lit int32\nfunc (l lit) eval() int32 { return int32(l) }\ntype sum struct{ a, b expr }\nfunc (s sum) eval() int32 { return s.a.eval() + s.b.eval() }"),
		no("KG301", "k.Out[i] = fact(5)", "func fact(n int32) int32 { if n < 2 { return 1 }; return n * fact(n-1) }"),
		no("KG301", "var f func(int32) int32; f = func(n int32) int32 { if n < 1 { return 0 }; return f(n-1) }; k.Out[i] = f(3)"),
	},
	"functions without a body": {no("KG303", "k.Out[i] = asm(1)", "func asm(int32) int32")},
	"local types":              {yes("type t struct{ a, b int32 }; k.Out[i] = t{1, 2}.a")},

	"assignments, op=, ++, --": {yes("x, y := 1, 2; x, y = y, x; x <<= 2; y--; var z int; z &^= x; _ = z; k.Out[i] = int32(x + y)")},
	"if, for":                  {yes("for j := 0; j < 3; j++ { if x := k.X[j]; x > 3 { k.Out[i]++ } else if x < 0 { break } }; for i < 3 { i++ }; for { break }")},
	"range": {
		yes("for j := range i { k.Out[j]++ }; for range 3 { }; for j, x := range k.X { k.Out[j] = x }; for j := range [3]int{} { k.Out[j]++ }; for _, x := range &[2]int32{1} { k.Out[i] = x }"),
		yes("for j := range count(i) { if j == 1 { continue }; if j > 3 { break }; k.Out[j]++ }", "func count(n int) func(func(int) bool) { return func(yield func(int) bool) { for j := range n { if !yield(j) { return } } } }"),
	},
	"range over a string": {yes("for j, c := range \"abc\"[i%2:] { k.Out[i] += c * int32(j) }"), yes("for j, c := range \"abc\" { k.Out[i] += c * int32(j) }")},
	"switch, fallthrough": {yes("switch x := k.X[i]; { case x > 3: k.Out[i] = 1; fallthrough; case x == 2: k.Out[i]++; default: k.Out[i] = 3 }; switch i { case 1, 2: k.Out[i]-- }")},
	"type switches":       {yes("k.Out[i] = kind(int32(2)) + kind(k.F[i])", "func kind[T any](x T) int32 { switch any(x).(type) { case int32: return 1; case float32: return 2 }; return 0 }")},
	"break, continue, labels": {
		yes("outer: for a := range 5 { for b := range 5 { if b > a { continue outer }; if a*b > 6 { break outer }; k.Out[i]++ } }"),
	},
	"goto": {
		yes("n := 0\nagain: n++; if n < i { goto again }; if n > 9 { goto done }; k.Out[i]++\ndone: k.Out[i]++"),
		no("KG101", "x := k.X[i]; if x > 10 { goto mid }\nagain: x++\nmid: x *= 2; if x < 100 { goto again }; k.Out[i] = x"),
	},
	"return": {yes("t := dsl.Local[[64]int32](it); if i > 3 { return }; for j := range 9 { if j == i { return } }; t[l] = 1; it.Barrier(); k.Out[i] = t[0]")},
	"go":     {no("KG102", "go k.f()", "func (K) f() {}")},
	"select, send, receive": {
		no("KG104", "select { default: }; var c chan int; c <- 1"),
		no("KG104", "select { case <-k.c(): default: }", "func (K) c() chan int { return nil }"),
		no("KG104", "var c chan int; k.Out[i] = int32(<-c)"),
	},
	"defer": {
		yes("defer k.f(i); if i > 3 { defer func() { k.Out[i]++ }() }", "func (k K) f(i int) { k.Out[i] *= 2 }"),
		no("KG103", "for j := range i { defer k.f(j) }", "func (k K) f(i int) { k.Out[i] *= 2 }"),
	},

	"arithmetic, comparisons": {
		yes("a, b := k.X[i], k.Out[i]; k.Out[i] = a + b - a*b/3%5 ^ a&b | a&^b; k.B[i] = a < b || a == b; k.F[i] = -k.F[i] / 3"),
		yes("a, b := [2]int32{1}, [2]int32{k.X[i]}; c, d := struct{ x, y int32 }{1, 2}, struct{ x, y int32 }{k.X[i], 2}; k.B[i] = a == b || c != d"),
	},
	"shifts":            {yes("k.Out[i] = k.X[i]<<k.X[0] + k.X[i]>>40 + 1<<uint8(i)")},
	"indices":           {yes("a := [4]int32{1, 2}; k.Out[i] = k.X[uint8(i)] + a[i%4] + int32(\"ab\"[i%2])")},
	"slice expressions": {yes("s := k.X[1:]; s = s[:i]; s = s[1:2:3]; a := [4]int32{}; k.Out[i] = s[0] + a[1:i][0]")},
	"conversions of numbers": {
		yes("k.Out[i] = int32(k.F[i]) + int32(uint8(k.X[i])); k.F[i] = float32(k.D[i]); k.D[i] = float64(uint64(i)); k.Out[i] += int32(meters(2))", "type meters float32"),
	},
	"conversions of strings": {
		no("KG208", "s := string(rune(i)); k.Out[i] = int32(len(s))"),
		yes("b := []byte(\"abc\"); if s := string(b[i%3:]); s == \"bc\" || s > \"c\" { k.Out[i] = int32(s[0]) }; b[0]++"),
		no("KG208", "b := []byte(\"abc\"); s := string(b); b[0]++; k.B[i] = s == \"bbc\""),
		yes("var b [8]byte; for j := range int32(3) { s := string(b[j:]); for len(s) > 1 && s[0] != 'x' { s = s[2:] }; k.Out[i] += int32(len(s)); for _, c := range []byte(s) { k.Out[j] += int32(c) }; b[j]++ }"),
		yes("var a, c [4]byte; b := a[:]; if i > 3 { b = c[1:] }; for _, r := range string(b) { k.Out[i] += r }; k.B[i] = string(b)[1:] == \"abc\""),
		yes("s, r := []byte(\"abc\"), []rune(\"abc\"); s[0]++; k.Out[i] = int32(s[i%3]) + r[1]"),
	},
	"slices to arrays": {
		yes("a := [4]int32(k.X[i:]); p := (*[2]int32)(k.Out); p[1] = a[2]"),
		yes("var b [8]int32; a := [4]int32(b[2:]); p := (*[2]int32)(b[i%4:]); p[1] = 3; k.Out[i] = a[1] + b[i%8]"),
	},
	"composite literals": {yes("a := [...]int32{5: 1, 2}; b := []struct{ x, y int32 }{{1, 2}, {y: i32(i)}}; p := &square{3}; k.Out[i] = a[i%7] + b[i%2].y + p.w", square, "func i32(x int) int32 { return int32(x) }")},
	"function literals": {yes("n := int32(0); add := func(x int32) { n += x }; add(1); add(k.X[i]); func() { n++ }(); k.Out[i] = n"),
		yes("for j := range int32(3) { f := func() int32 { return j * 2 }; k.Out[i] += f() }"),
		yes("var fs [3]func() int32; for j := range int32(3) { fs[j] = func() int32 { j++; return j } }; for _, f := range fs { k.Out[i] += f() + f() }"),
		yes("for j := int32(0); j < 3; j++ { f := func() int32 { j++; return j * 2 }; k.Out[i] += f() }"),
		no("KG203", "var p *int32; for j := int32(0); j < 3; j++ { if j == 1 { p = &j } }; k.Out[i] = *p"),
	},
	"method values":   {yes("f, g := square{2}.plus, square.plus; k.Out[i] = f(1) + g(square{1}, 2)", square)},
	"type assertions": {yes("var x any = k.X[i]; y := x.(int32); if _, ok := x.(string); !ok { y++ }; k.Out[i] = y")},

	"len, cap, min, max":  {yes("k.Out[i] = int32(len(k.X)+cap(k.X[1:])+len([3]int{})) + min(k.X[i], 3); k.F[i] = max(k.F[i], 1, 2)")},
	"copy, clear":         {yes("var a [4]int32; copy(a[:], k.X); copy(k.Out[1:], k.Out); clear(a[1:3]); k.Out[i] = a[i%4]"), no("KG207", "var m map[int]int; clear(m)")},
	"complex, real, imag": {yes("c := complex(k.F[i], 2); k.F[i] = real(c) + imag(c*c)")},
	"new":                 {yes("p := new(int32); *p = 3; k.Out[i] = *p")},
	"make": {
		yes("s := make([]int32, 2, 4); s = s[:4]; s[i%4] = 3; k.Out[i] = s[0]"),
		yes("s := twice(4); k.Out[i] = s[i%8] + int32(cap(twice(3)))", "func twice(n int) []int32 { return make([]int32, 2*n) }"),
		yes("p := rand.New(rand.NewPCG(1, uint64(i))).Perm(8); k.Out[i] = int32(p[i%8])"),
		no("KG204", "s := make([]int32, i); k.Out[i] = s[0]"),
		no("KG204", "s := twice(i); k.Out[i] = s[0]", "func twice(n int) []int32 { return make([]int32, 2*n) }"),
	},
	"append": {
		yes("s := make([]int32, 0, 8); for j := range i { s = append(s, int32(j)) }; s = append(k.Out[:1], s...); k.Out[i] = s[0]"),
		no("KG204", "var s []int32; for j := range i { s = append(s, int32(j)) }; k.Out[i] = s[0]"),
		no("KG204", "s := append([]int32{}, k.X...); k.Out[i] = s[0]"),
	},
	"panic":          {yes("if i > 3 { panic(errors.New(\"bad\")) }"), yes("if k.X[i] < 0 { panic(\"negative\") }; if k.X[i] > 9 { panic(9) }"), yes("panic(k.X[i])")},
	"recover":        {no("KG105", "recover()")},
	"print, println": {yes("println(i, k.F[i], true); print(\"a\")"), no("KG305", "print(k.X)"), no("KG305", "println(&k.X[i])")},
	"delete":         {no("KG207", "var m map[int]int; delete(m, 1)")},
	"close":          {no("KG104", "var c chan int; close(c)")},

	"package dsl/math32": {yes("k.F[i] = math32.Sin(k.F[i]) + math32.FastExp(k.F[0])")},
	"package math": {
		yes("x := k.D[i]; k.D[i] = math.Sin(x) + math.Gamma(x) + math.Pow(x, 2) + math.Log1p(x) + math.FMA(x, x, x) + math.Mod(x, 3) + math.Erf(x)"),
		yes("k.D[i] = math.J0(k.D[i]) + math.Yn(2, k.D[0])"),
	},
	"package math/bits, math/cmplx": {yes("hi, lo := bits.Mul64(uint64(i), 1<<60); k.Out[i] = int32(bits.OnesCount64(hi) + bits.Len64(lo)); k.D[i] = cmplx.Abs(cmplx.Exp(complex(k.D[i], 1)))")},
	"package unicode/utf8": {
		yes("b := []byte(\"abc\"); n := utf8.EncodeRune(b, 'x'); r, _ := utf8.DecodeRune(b[n:]); k.Out[i] = r; k.B[i] = utf8.Valid(b)"),
		yes("k.Out[i] = int32(utf8.RuneCount([]byte(\"abc\"))); k.B[i] = utf8.ValidString(\"abc\")"),
	},
	"package unicode/utf16": {
		yes("b := utf16.AppendRune(make([]uint16, 0, 2), k.X[i]); k.Out[i] = int32(b[0]) + utf16.DecodeRune(k.X[0], k.X[1])"),
		no("KG204", "k.Out[i] = int32(utf16.Encode(k.X)[0])"),
	},
	"package hash/adler32, hash/crc32": {yes("k.Out[i] = int32(crc32.ChecksumIEEE([]byte(\"abc\")) + crc32.Update(3, castagnoli, []byte(\"abc\")))", "var castagnoli = crc32.MakeTable(crc32.Castagnoli)"), yes("h := adler32.New(); h.Write([]byte(\"abc\")); k.Out[i] = int32(h.Sum32() ^ adler32.Checksum([]byte(\"abc\")))")},
	"package iter": {
		yes("var s iter.Seq[int32] = slices.Values(k.X); for x := range s { k.Out[i] += x }"),
		no("KG304", "next, stop := iter.Pull(slices.Values(k.X)); k.Out[i], k.B[i] = next(); stop()"),
	},
	"package container/heap": {
		yes("h := &ordered{make([]int32, 0, 8)}; heap.Push(h, k.X[i]); heap.Init(h); k.Out[i] = heap.Pop(h).(int32)", orderedHeap),
	},
	"package encoding/binary": {no("KG304", "_ = binary.Write(nil, binary.LittleEndian, k.X)"), yes("b := make([]byte, 8); binary.LittleEndian.PutUint32(b, 77); k.Out[i] = int32(binary.BigEndian.Uint16(b[1:]))")},
	"package unicode":         {yes("if r := rune(k.X[i]); unicode.IsLetter(r) || unicode.Is(unicode.Greek, r) { k.Out[i] = unicode.ToLower(r) }")},
	"package bytes": {
		yes("b := []byte(\"abc\")[i%3:]; k.B[i] = bytes.Equal(b, []byte(\"bc\")) || bytes.HasPrefix(b, b[1:]); k.Out[i] = int32(bytes.Index(b, []byte(\"c\")) + bytes.Compare(b, b[1:]))"),
		yes("k.Out[i] = int32(len(bytes.TrimSpace([]byte(\" a\"))))"),
		no("KG204", "k.Out[i] = int32(len(bytes.Clone([]byte(\"abc\")[i%3:])))"),
		no("KG208", "k.Out[i] = int32(bytes.IndexAny([]byte(\"abc\"), \"cd\"))"),
	},
	"package cmp": {yes("k.Out[i] = int32(cmp.Compare(k.F[i], 1)) + cmp.Or(k.X[i], 3)")},
	"package slices": {
		yes("var w [8]int32; copy(w[:], k.X); slices.Reverse(w[:]); k.Out[i] = slices.Max(k.X) + w[i%8] + int32(slices.Index(k.X, 3))"),
		yes("for j, x := range slices.All(k.X) { k.Out[j] = x }; k.B[i] = slices.Equal(k.X, k.Out) || slices.ContainsFunc(k.X, func(x int32) bool { return x > 3 })"),
		yes("slices.Sort(k.X); slices.SortStableFunc(k.F, cmp.Compare[float32])"),
		yes("s := slices.Insert(k.X[:3], 1, 2); s = slices.Replace(s, 0, 1, 3, 4); k.Out[i] = s[0]"),
		yes("slices.Sort(k.F); slices.SortFunc(k.X, cmp.Compare[int32])"),
		yes("s := slices.Clone(k.X[:8]); s = slices.Concat(s, slices.Repeat(s[:2], 3)); k.Out[i] = slices.Grow(s, 1)[i%14]"),
		no("KG204", "s := slices.Clone(k.X); k.Out[i] = s[0]"),
	},
	"package sort": {
		yes("sort.Float64s(k.D); sort.Sort(by(k.X)); k.Out[i] = int32(sort.SearchFloat64s(k.D, 2))",
			"type by []int32\nfunc (b by) Len() int { return len(b) }\nfunc (b by) Less(i, j int) bool { return b[i] < b[j] }\nfunc (b by) Swap(i, j int) { b[i], b[j] = b[j], b[i] }"),
		no("KG304", "sort.Slice(k.X, func(a, b int) bool { return k.X[a] < k.X[b] })"),
	},
	"package sync/atomic": {
		yes("atomic.AddInt32(&k.Out[0], 1); t := dsl.Local[[2]uint32](it); atomic.AddUint32(&t[0], 1)"),
		yes("k.L[i] = atomic.AddInt64(&k.L[0], 1); k.U[i] = atomic.AddUint64(&k.U[0], 2)"),
		yes("k.A[i].Add(2); k.T[i].Store(k.T[0].Load()); n := dsl.Local[atomic.Int64](it); n.Or(4)", "type K struct { A []atomic.Int32; T []atomic.Bool }"),
		yes("if atomic.CompareAndSwapUint64(&k.U[0], 1, 2) { k.L[i] = atomic.SwapInt64(&k.L[i], atomic.LoadInt64(&k.L[1])) }"),
		no("KG303", "var u uintptr; atomic.AddUintptr(&u, 1)"), no("KG303", "var v atomic.Value; v.Store(i)"),
		no("KG303", "var p atomic.Pointer[int]; k.B[i] = p.Load() == nil"),
	},
	"package strings": {
		yes("s := \"a b\\u00e9\"[i%4:]; k.B[i] = strings.HasPrefix(s, \"a\") || strings.EqualFold(s, \"B\") || strings.ContainsRune(s, k.X[i]); for w := range strings.FieldsSeq(s) { k.Out[i] += int32(len(w)) }"),
		no("KG304", "k.B[i] = strings.ToUpper(\"a\") == \"A\""), no("KG304", "var b strings.Builder; b.WriteByte(1)"),
	},
	"package strconv": {
		yes("b := strconv.AppendInt(make([]byte, 0, 20), int64(k.X[i]), 10); b = strconv.AppendBool(b, k.B[i]); k.Out[i] = int32(len(b))"),
		yes("n, err := strconv.Atoi(\"12\"); k.Out[i] = int32(n); b := []byte(\"0x1f\"); x, err2 := strconv.ParseInt(string(b[:i%5]), 0, 64); k.B[i] = err == nil && err2 != nil; k.L[i] = x"),
		yes("b := []byte(\"1.5e3\"); x, err := strconv.ParseFloat(string(b[:i%6]), 64); if err == nil { k.D[i] = x }; u, err := strconv.ParseUint(string(b[:1]), 10, 8); k.U[i] = u; k.B[i] = err == nil"),
		no("KG304", "k.B[i] = strconv.Itoa(i) == \"1\""),
	},
	"package encoding/hex":            {yes("b := make([]byte, 8); k.Out[i] = int32(hex.Encode(b, []byte(\"abc\"))) + int32(b[i%8])"), yes("k.B[i] = hex.EncodeToString([]byte(\"ab\")) == \"6162\""), no("KG204", "k.B[i] = hex.EncodeToString([]byte(\"abc\")[i:]) == \"6162\"")},
	"package encoding/base32, base64": {yes("e := base64.NewEncoding(\"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/\"); b := make([]byte, 8); e.Encode(b, []byte(\"abc\")); k.Out[i] = int32(b[i%8])"), yes("b := make([]byte, 8); base64.StdEncoding.Encode(b, []byte(\"abc\"))"), yes("b := make([]byte, 8); base32.NewEncoding(\"0123456789abcdefghijklmnopqrstuv\").Decode(b, b)"), no("KG204", "b := make([]byte, 8); base32.NewEncoding(\"0123456789abcdefghijklmnopqrstuv\").Decode(b, b[i:])")},
	"package hash/fnv":                {yes("h := fnv.New64a(); h.Write([]byte(\"abc\")); k.U[i] = h.Sum64()")},
	"package image, image/color":      {yes("c := color.RGBA{1, 2, uint8(i), 255}; y, _, _ := color.RGBToYCbCr(c.R, c.G, c.B); r := image.Rect(0, 0, i, 5).Intersect(image.Rect(1, 1, 9, 9)); k.Out[i] = int32(y) + int32(r.Dx()); k.B[i] = image.Pt(i, 2).In(r)"), no("KG204", "k.Out[i] = int32(image.NewGray(image.Rect(0, 0, i, i)).Stride)")},
	"package container/list":          {yes("l := list.New(); l.PushBack(k.X[i]); l.PushFront(int32(3)); for e := l.Front(); e != nil; e = e.Next() { k.Out[i] += e.Value.(int32) }")},
	"package container/ring": {yes("var a, b ring.Ring; a.Value, b.Value = k.X[i], int32(2); a.Link(&b); n := int32(0); a.Do(func(v any) { n += v.(int32) }); k.Out[i] = n"),
		no("KG203", "k.Out[i] = int32(ring.New(3).Len())")},
	"package crypto/sha256, sha512": {yes("s := sha256.Sum256([]byte(\"abc\")); k.Out[i] = int32(s[i%32])")},
	"package crypto/sha3":           {yes("s := sha3.Sum256([]byte(\"abc\")); k.Out[i] = int32(s[i%32])"), no("KG304", "h := sha3.New256(); h.Write(nil)")},
	"package crypto/subtle":         {yes("b := []byte(\"abc\"); k.Out[i] = int32(subtle.ConstantTimeCompare(b, b[:i%4]))"), no("KG304", "subtle.WithDataIndependentTiming(func() {})")},
	"package crypto/aes":            {yes("var b [16]byte; c, err := aes.NewCipher(b[:]); if err == nil { c.Encrypt(b[:], b[:]) }; k.Out[i] = int32(b[i%16])")},
	"package crypto/md5, sha1":      {yes("s := md5.Sum([]byte(\"abc\")); k.Out[i] = int32(s[i%16]); h := sha1.New(); h.Write(s[:]); t := h.Sum(make([]byte, 0, 20)); k.Out[i] += int32(t[3])")},
	"package hash/crc64":            {yes("k.Out[i] = int32(crc64.Update(3, ecma, []byte(\"abc\")))", "var ecma = crc64.MakeTable(crc64.ECMA)")},
	"package math/rand":             {yes("r := rand1.New(rand1.NewSource(int64(i))); k.Out[i] = r.Int31n(6)"), no("KG304", "k.Out[i] = rand1.Int31n(6)")},
	"package math/rand/v2":          {yes("r := rand.New(rand.NewPCG(1, uint64(i))); k.Out[i] = r.Int32N(6)"), no("KG304", "k.Out[i] = rand.Int32N(6)")},
	"package errors": {yes("err := errors.New(\"a\"); b := err; if i > 3 { b = nil }; k.B[i] = errors.Is(b, err)"), yes("if err := errors.New(\"a\"); err != nil { k.Out[i] = int32(len(err.Error())) }"), yes("err := errors.Join(nil, errors.New(\"a\")); k.B[i] = errors.Is(err, errors.Join(nil, nil))"), yes("_, ok := errors.AsType[failed](errors.Join(failed(i))); k.B[i] = ok", "type failed int\nfunc (failed) Error() string { return \"failed\" }"),
		no("KG304", "err := errors.Join(errors.New(\"a\")); k.B[i] = len(err.(interface{ Unwrap() []error }).Unwrap()) > 0")},
	"package unsafe":            {no("KG205", "k.Out[i] = unsafe.Slice(&k.X[0], 4)[3]"), yes("k.Out[i] = int32(unsafe.Sizeof(k.X[0]))")},
	"package fmt":               {yes("fmt.Println(i, \"is\", k.F[i]); fmt.Printf(\"%5.2f\\n\", k.F[i]); fmt.Print(k.B[i])"), no("KG305", "fmt.Println(k.X)"), no("KG304", "s := fmt.Sprint(i); k.Out[i] = int32(len(s))")},
	"package os, sync, time, …": {no("KG304", "os.Exit(1)"), no("KG304", "var mu sync.Mutex; mu.Lock()")},
}

// source makes a package of a snippet.
func (s snippet) source() string {
	var b strings.Builder
	b.WriteString("package kernels\n")
	for _, p := range importable {
		name := path.Base(strings.TrimSuffix(p, "/v2"))
		if p == "math/rand" {
			name = "rand1"
		}
		uses := regexp.MustCompile(`(^|[^\w.])` + name + `\.`).MatchString(s.decls + "\n" + s.body)
		if uses || name == "dsl" {
			fmt.Fprintf(&b, "import %s %q\n", name, p)
		}
	}
	if !strings.Contains(s.decls, "type K ") {
		b.WriteString("type K struct { X, Out []int32; F []float32; D []float64; B []bool; L []int64; U []uint64 }\n")
	}
	item, ids := "Item1", "i := it.GlobalID(); _ = i"
	if strings.Contains(s.body, "dsl.Local") {
		item, ids = "NDItem1", ids+"; l := it.LocalID(); _ = l"
	}
	fmt.Fprintf(&b, "%s\nfunc (k K) Kernel(it dsl.%s) {\n%s\n%s\n}\n", s.decls, item, ids, s.body)
	return b.String()
}

var (
	languageRow  = regexp.MustCompile(`^//\t(.+?)  +(.+)$`)
	languageCode = regexp.MustCompile(`KG\d{3}`)
)

// languageTable returns the verdicts in dsl's documentation by row.
func languageTable(t *testing.T) map[string]string {
	doc, err := os.ReadFile("../dsl/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(doc), "// # Which Go\n")
	if !ok {
		t.Fatal("dsl/doc.go says nothing on which Go")
	}
	text, _, _ = strings.Cut(text, "// # ")
	table, section := map[string]string{}, ""
	for row := range strings.Lines(text) {
		row = strings.TrimRight(row, "\n")
		if m := languageRow.FindStringSubmatch(row); m != nil {
			table[section+m[1]] = m[2]
		} else if strings.HasPrefix(row, "//\t") {
			t.Errorf("no row: %s", row)
		} else if row == "// Packages:" {
			section = "package "
		}
	}
	return table
}

// TestLanguage holds the tables in dsl's documentation against kernels: a row
// that says yes has some that compile, and it names just the codes that its
// kernels give.
func TestLanguage(t *testing.T) {
	table := languageTable(t)
	for row := range language {
		if table[row] == "" {
			t.Errorf("dsl/doc.go has no row %q", row)
		}
	}
	for _, row := range slices.Sorted(maps.Keys(table)) {
		if !sample.Has(row, 12) {
			continue
		}
		t.Run(row, func(t *testing.T) {
			var given []string
			compiled := 0
			for _, s := range language[row] {
				src := s.source()
				diags := compileSnippet(t, src)
				switch {
				case s.code == "":
					compiled++
					for _, d := range diags {
						t.Errorf("not wanted: %v\nin\n%s", d, src)
					}
				case len(diags) == 0 || diags[0].Code.String() != s.code:
					t.Errorf("got %v, want %v\nin\n%s", diags, s.code, src)
				default:
					given = append(given, s.code)
				}
			}
			slices.Sort(given)
			named := languageCode.FindAllString(table[row], -1)
			slices.Sort(named)
			if given, named := slices.Compact(given), slices.Compact(named); !slices.Equal(given, named) {
				t.Errorf("the row names %v; its kernels give %v", named, given)
			}
			if says := !strings.HasPrefix(table[row], "no:"); says && compiled == 0 || !says && len(given) == 0 {
				t.Errorf("no kernel shows it: %q", table[row])
			}
		})
	}
}
