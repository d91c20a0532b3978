package library

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// row is how a function is called: by statements, with the variables
//
//	x, y, z   float64, with all kinds of edges
//	a, b, c   float32
//	u, v, w   uint64
//	n         int, from -3 to 9
//	r         *sum, which takes the results
//
// and, where elems has types, for each of them and each kind of memory
//
//	s         a slice of 20 of room 28
//	E, mk     their type, and a function that makes one of a uint64
//	order     a function that compares two
//	put       a function that gives r one
//	add       a function that gives r a slice, its length and its capacity
//
// Or it has the code of the diagnostic that such a call gives, and why.
type row struct {
	body  string
	elems []string
	code  string
	why   string
	// large is set if drivers take long over the code.
	large bool
	// slow is set if drivers take minutes over it: the interpreter runs it, and TestCrypto has
	// some of it on a device.
	slow bool
}

// with returns the row for slices of types, by names of elems.
func (w row) with(elems ...string) row {
	w.elems = elems
	return w
}

// ofMuchCode returns the row as one of much code.
func (w row) ofMuchCode() row {
	w.large = true
	return w
}

// ofVeryMuchCode returns the row as one of code for the interpreter alone.
func (w row) ofVeryMuchCode() row {
	w.slow = true
	return w
}

func yes(body string) row { return row{body: body} }

func no(code, why, body string) row { return row{body: body, code: code, why: why} }

// elem is a type of elements.
type elem struct {
	typ  string
	make string // of u
	hash string // of p, a pointer to one
	// order is whether a is less than b; "" where that is <.
	less string
	// set replaces an assignment to *p.
	set string
}

var elems = map[string]elem{
	"Int32":   {typ: "int32", make: "int32(u>>60) - 5", hash: "uint64(*p)"},
	"Int":     {typ: "int", make: "int(u>>60) - 5", hash: "uint64(*p)"},
	"Uint8":   {typ: "uint8", make: "uint8(u>>61) * 37", hash: "uint64(*p)"},
	"Uint16":  {typ: "uint16", make: "uint16(u>>61) * 9377", hash: "uint64(*p)"},
	"Uint32":  {typ: "uint32", make: "uint32(u >> 30)", hash: "uint64(*p)"},
	"Int64":   {typ: "int64", make: "int64(u>>60) << 33", hash: "uint64(*p)"},
	"Uint64":  {typ: "uint64", make: "u", hash: "*p"},
	"Float32": {typ: "float32", make: "float32(odd(u))", hash: "floatBits(float64(*p))"},
	"Float64": {typ: "float64", make: "odd(u)", hash: "floatBits(*p)"},
	"Pair":    {typ: "Pair", make: "Pair{int32(u >> 61), uint8(u>>58) & 3}", hash: "uint64(p.A)<<8 | uint64(p.B)", less: "a.A < b.A"},

	"AtomicInt32":  {typ: "atomic.Int32", set: "p.Store(int32(u >> 30))", hash: "uint64(p.Load())"},
	"AtomicUint32": {typ: "atomic.Uint32", set: "p.Store(uint32(u >> 30))", hash: "uint64(p.Load())"},
	"AtomicInt64":  {typ: "atomic.Int64", set: "p.Store(int64(u))", hash: "uint64(p.Load())"},
	"AtomicUint64": {typ: "atomic.Uint64", set: "p.Store(u)", hash: "p.Load()"},
	"AtomicBool":   {typ: "atomic.Bool", set: "p.Store(u>>63 == 1)", hash: "bit(p.Load())"},
}

const (
	length = 20 // of the slices
	room   = 28 // their capacity
	local  = 8  // work-items of a group
)

// common is what the kernels share.
func common() string {
	var b strings.Builder
	b.WriteString(`package kernels

import ("math"; "sync/atomic")

type sum uint64

func (r *sum) u(x uint64) { *r = (*r ^ sum(x)) * 0x9e3779b97f4a7c15; *r ^= *r >> 29 }
func (r *sum) i(x int) { r.u(uint64(x)) }
func (r *sum) b(x bool) { r.u(bit(x)) }
func (r *sum) s(t string) { r.i(len(t)); for i := range len(t) { r.u(uint64(t[i])) } }
func (r *sum) f(x float64) { r.u(floatBits(x)) }
func (r *sum) f32(x float32) { r.u(uint64(narrowBits(x))) }
func (r *sum) c(x complex128) { r.f(real(x)); r.f(imag(x)) }

func bit(x bool) uint64 { if x { return 1 }; return 0 }
func floatBits(x float64) uint64 { if x != x { return 1 << 63 | 1 }; return math.Float64bits(x) }
// narrowBits knows no subnormals, which a device may lack.
func narrowBits(x float32) uint32 { if x != x { return 1 << 31 | 1 }; n := math.Float32bits(x); if n << 1 < 1 << 24 { n &= 1 << 31 }; return n }
func odd(u uint64) float64 {
	switch u >> 60 {
	case 0: return math.NaN()
	case 1: return math.Inf(1)
	case 2: return math.Copysign(0, -1)
	case 3: return 0
	}
	return float64(int64(u >> 59) - 18) / 2
}

type Pair struct { A int32; B uint8 }

// words is a source of random numbers for math/rand.
type words struct { u uint64 }
func (w *words) Seed(seed int64) { w.u = uint64(seed) }
func (w *words) Int63() int64 { w.u = w.u*6364136223846793005 + 1442695040888963407; return int64(w.u >> 1) }

type by []int32
func (b by) Len() int { return len(b) }
func (b by) Less(i, j int) bool { return b[i] < b[j] }
func (b by) Swap(i, j int) { b[i], b[j] = b[j], b[i] }

var _ atomic.Bool
`)
	for _, name := range sortedKeys(elems) {
		e := elems[name]
		if e.set == "" {
			less := e.less
			if less == "" {
				less = "a < b"
			}
			fmt.Fprintf(&b, "func mk%s(u uint64) %s { return %s }\n", name, e.typ, e.make)
			fmt.Fprintf(&b, "func order%s(a, b %s) int { switch { case %s: return -1; case %s: return 1 }; return 0 }\n", name, e.typ, less,
				strings.NewReplacer("a", "b", "b", "a").Replace(less))
			e.set = "*p = mk" + name + "(u)"
		}
		fmt.Fprintf(&b, "func set%s(p *%s, u uint64) { %s }\n", name, e.typ, e.set)
		fmt.Fprintf(&b, "func hash%s(p *%s) uint64 { return %s }\n", name, e.typ, e.hash)
		fmt.Fprintf(&b, "func fill%s(s []%s, u uint64) { for i := range s { u = u*6364136223846793005 + 1442695040888963407; set%s(&s[i], u) } }\n", name, e.typ, name)
		fmt.Fprintf(&b, "func add%s(r *sum, s []%s) { for i := range s { r.u(hash%s(&s[i])) } }\n", name, e.typ, name)
		fmt.Fprintf(&b, "type list%s []%s\n", name, e.typ)
	}
	return b.String()
}

// spaces are the kinds of memory, with what makes a slice of each of 28 elements: the
// elements are T, and their name is N.
var spaces = []struct{ name, full, typ string }{
	{"buffer", "k.N[id*28 : id*28+28]", "[]T"},
	{"private", "ownN[:28]", "[]T"},
	{"group", "tileN[l*28:l*28+28]", "[]T"},
	{"part", "ownN[1:][1:29]", "listN"},
}

// call is one function as the test calls it.
type call struct {
	pkg, name string
	row       row
	elem      string // the name of the slice's elements, or ""
	space     int    // index of spaces, if elem is set
	aside     bool   // runs in the interpreter
	id        int    // number of the wrapper
}

func (c *call) String() string {
	s := c.pkg + "." + c.name
	if c.elem != "" {
		s += " of " + elems[c.elem].typ + "s, " + spaces[c.space].name
	}
	return s
}

// replace puts in what a text has T and N for.
func (c *call) replace(text string) string {
	return regexp.MustCompile(`\bT\b|N`).ReplaceAllStringFunc(text, func(s string) string {
		if s == "T" {
			return elems[c.elem].typ
		}
		return c.elem
	})
}

var floats = regexp.MustCompile(`\b([xyz]|float64|complex128)\b`)

// floats reports whether a kernel with the call has float64s.
func (c *call) floats() bool { return floats.MatchString(c.row.body) || c.elem == "Float64" }

// wrapper returns the call as a function.
func (c *call) wrapper() string {
	params, begin := "", ""
	if c.elem != "" {
		params = "s " + c.replace(spaces[c.space].typ) + ", "
		begin = c.replace("type E = T\nadd := func(s []T) { r.i(len(s)); r.i(cap(s)); addN(r, s) }\n_ = add\n")
		if elems[c.elem].set == "" {
			begin += c.replace("mk, order := mkN, orderN\nput := func(e E) { r.u(hashN(&e)) }\n_, _, _ = mk, order, put\n")
		}
	}
	if c.floats() {
		params += "x, y, z float64, "
	}
	return fmt.Sprintf("func f%d(%sa, b, c float32, u, v, w uint64, n int, r *sum) {\n%s%s\n}\n", c.id, params, begin, c.row.body)
}

// statements returns what makes the call, in a kernel with those variables.
func (c *call) statements() string {
	args := ""
	if c.elem != "" {
		args = fmt.Sprintf("s[:%d:%d], ", length, room)
	}
	if c.floats() {
		args += "x, y, z, "
	}
	return fmt.Sprintf("f%d(%sa, b, c, u, v, w, n, &r)\n", c.id, args)
}

// choose returns what makes all the calls, each in a round of a loop, so that there
// is only one piece of code for what goes before and after. The calls have the same
// kind of memory; the first has a number.
func choose(calls []*call, full, out string, first int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "for j := range %d {\nvar r sum\n", len(calls))
	if e := calls[0].elem; e != "" {
		fmt.Fprintf(&b, "s := %s\nfill%s(s, u)\n", full, e)
	}
	b.WriteString("switch j {\n")
	for i, c := range calls {
		fmt.Fprintf(&b, "case %d:\n%s", i, c.statements())
	}
	b.WriteString("}\n")
	if e := calls[0].elem; e != "" {
		fmt.Fprintf(&b, "add%s(&r, s)\n", e)
	}
	fmt.Fprintf(&b, "%s[%d+j] = uint64(r)\n}\n", out, first)
	return b.String()
}

// inputWords is how many words of input a work-item has.
const inputWords = 7

const begin = "\tu, v, w, n := in[3], in[4], in[5], int(int64(in[6]))\n\ta, b, c := narrow(u), narrow(v), narrow(w)\n_, _, _, _, _, _, _ = u, v, w, n, a, b, c\n"

const beginFloats = "\tx, y, z := math.Float64frombits(in[0]), math.Float64frombits(in[1]), math.Float64frombits(in[2])\n_, _, _ = x, y, z\n"

// kernel returns a kernel that makes the calls.
func kernel(calls []*call) map[string]string {
	item, fields, memory := "Item1", "In, Out []uint64\n", ""
	wrappers, floats := "", ""
	var names []string
	for _, c := range calls {
		if c.floats() {
			floats = beginFloats
		}
		wrappers += c.wrapper()
		if c.elem != "" && !slices.Contains(names, c.elem) {
			names = append(names, c.elem)
			item = "NDItem1"
			fields += c.replace("N []T\n")
			memory += c.replace(fmt.Sprintf("var ownN [%d]T\ntileN := dsl.Local[[%d]T](it)\n_, _ = ownN, tileN\n", room+3, room*local))
		}
	}
	if item == "NDItem1" {
		memory += "l := it.LocalID()\n_ = l\n"
	}
	src := fmt.Sprintf(`
type K struct {
%s}

func (K) Properties() properties.List { return properties.List{properties.Float(properties.FloatExact)} }

func (k K) Kernel(it dsl.%s) {
	id := it.GlobalID()
	in, out := k.In[id*%d:][:%d], k.Out[id*%d:][:%d]
%s%s%s%s}
`, fields, item, inputWords, inputWords, len(calls), len(calls), begin, floats, memory, all(calls, func(c *call) string { return c.replace(spaces[c.space].full) }))
	return map[string]string{"common.go": common() + narrow, "wrappers.go": file(wrappers), "kernel.go": file(src)}
}

// all returns what makes all calls, with a loop for each kind of memory that follows
// another one.
func all(calls []*call, full func(c *call) string) (text string) {
	for i := 0; i < len(calls); {
		j := i + 1
		for j < len(calls) && calls[j].elem == calls[i].elem && calls[j].space == calls[i].space {
			j++
		}
		memory := ""
		if calls[i].elem != "" {
			memory = full(calls[i])
		}
		text += choose(calls[i:j], memory, "out", i)
		i = j
	}
	return text
}

// narrow makes a float32 of a word, that may be any but subnormal.
const narrow = "\nfunc narrow(u uint64) float32 { n := uint32(u); if n<<1 < 1<<24 { n &= 1 << 31 }; return math.Float32frombits(n) }\n"

// file makes a file of declarations: it adds what they need to import.
func file(text string) string {
	var b strings.Builder
	b.WriteString("package kernels\n\n")
	for _, p := range importable {
		name := nameOf(p)
		if regexp.MustCompile(`(^|[^\w.])` + name + `\.`).MatchString(text) {
			fmt.Fprintf(&b, "import %s %q\n", name, p)
		}
	}
	return b.String() + text
}

// nameOf returns what rows call a package: math/rand is rand1.
func nameOf(pkg string) string {
	if pkg == "math/rand" {
		return "rand1"
	}
	return path.Base(strings.TrimSuffix(pkg, "/v2"))
}

// importable lists what rows may import.
var importable = []string{"bytes", "cmp", "encoding/binary", "hash/adler32", "hash/crc32", "iter", "math", "math/bits", "math/cmplx", "math/rand/v2",
	"slices", "sort", "strings", "sync/atomic", "unicode/utf16", "unicode/utf8", "unsafe", "io", "unicode",
	"strconv", "encoding/hex", "encoding/base32", "encoding/base64", "crypto/sha512", "crypto/sha3", "crypto/aes", "crypto/subtle", "hash/fnv", "container/list", "crypto/md5", "crypto/sha1", "crypto/sha256", "hash/crc64", "math/rand", "container/ring", "image/color",
	"github.com/kgen-go/kgen/dsl", "github.com/kgen-go/kgen/dsl/math32", "github.com/kgen-go/kgen/properties"}
