package mistakes

import (
	"fmt"
	"strings"
)

const (
	funcs = "func inc(x int32) int32 { return x + 1 }\nfunc dec(x int32) int32 { return x - 1 }"
	sizes = "type sizer interface{ size() int32 }\ntype round struct{ r int32 }\nfunc (r round) size() int32 { return r.r }\ntype flat struct{ w int32 }\nfunc (f flat) size() int32 { return f.w }"
	rows  = "type row [3]int32\nfunc (r *row) size() int32 { return r[0] }\nfunc (r *row) at(i int32) int32 { return r[i&1] }"
)

// manyTypes returns values of more types than one variable may hold values of.
func manyTypes() string {
	var b strings.Builder
	for n := range 33 {
		fmt.Fprintf(&b, "of[[%d]int32]{}, ", n)
	}
	return b.String()
}

// All are the mistakes, by code.
var All = []Mistake{
	{Name: "ill-typed", Code: "KG001", Body: "var x int = «\"no\"\n_ = x", Hides: "a function that does not type-check has no code to look at"},
	{Name: "hidden type", Code: "KG003", Type: "«k"},
	{Name: "result", Code: "KG004", Result: "(res int32)"},
	{Name: "parameter", Code: "KG004", Params: ", n int"},
	{Name: "other Properties", Code: "KG004", Method: "«Properties() int { return 0 }"},
	{Name: "hidden field", Code: "KG003", Field: "«hidden int32"},
	{Name: "method's name", Code: "KG009", Field: "«Node []int32"},
	{Name: "name of Run", Code: "KG009", Field: "«Run []int32"},
	{Name: "map field", Code: "KG007", Field: "«M map[int]int"},
	{Name: "pointer field", Code: "KG007", Field: "«P *int32"},
	{Name: "func field", Code: "KG007", Field: "«Fn func(int) int"},
	{Name: "rows field", Code: "KG007", Field: "«Rows [][]float32"},
	{Name: "accessor of slices", Code: "KG007", Field: "«Acc dsl.LocalAccessor[[]int]", Form: Group},
	{Name: "no size", Code: "KG007", Field: "«Es []struct{}"},
	{Name: "constant field", Code: "KG007", Field: "«C *dsl.SpecConstant[int]"},
	{Name: "many slices", Code: "KG007", Slow: true, Field: "«Many [5000][]int32"},
	{Name: "large field", Code: "KG206", Field: "«Big [5000]int32"},

	{Name: "irreducible", Code: "KG101", Body: "x := k.X[i]\nif «x > 10 { goto mid@ }\nagain@: x++\nmid@: x *= 2\nif x < 100 { goto again@ }\nk.Out[i] = x"},
	{Name: "go", Code: "KG102", Body: "«go inc(1)", Decls: funcs},
	{Name: "go literal", Code: "KG102", Body: "«go func() { k.Out[0] = 1 }()"},
	{Name: "defer in loop", Code: "KG103", Body: "func() {\nfor j := range i {\n«defer func() { k.Out[j] = 1 }()\n}\n}()"},
	{Name: "defer with result", Code: "KG103", Body: "func() {\n«defer atomic.AddInt32(&k.Out[0], 1)\n}()"},
	{Name: "defer in range over func", Code: "KG103", Body: "func() {\ndefer inc(2)\nfor range upTo3 {\n«defer inc(1)\n}\n}()",
		Decls: "func upTo3(yield func(int32) bool) {\nfor j := range int32(3) {\nif !yield(j) { return }\n}\n}\n\n" + funcs},
	{Name: "make chan", Code: "KG104", Body: "c := make«(chan int, 1)\n_ = c"},
	{Name: "send", Code: "KG104", Body: "var c chan int\nc «<- 1"},
	{Name: "receive", Code: "KG104", Body: "var c chan int\nk.Out[i] = int32(«<-c)"},
	{Name: "select", Code: "KG104", Body: "var c chan int\n«select {\ncase c <- 1:\ndefault:\n}"},
	{Name: "close", Code: "KG104", Body: "var c chan int\nclose«(c)"},
	{Name: "range over chan", Code: "KG104", Body: "var c chan int32\n«for x := range c { k.Out[i] += x }"},
	{Name: "recover", Code: "KG105", Body: "recover«()"},

	{Name: "unknown element", Code: "KG201", Body: "k.Out[i] = many«[i%33](1)", Decls: "var many = []func(int32) int32{" + strings.Repeat("func(n int32) int32 { return n },\n", 33) + "}"},
	{Name: "unknown interface", Code: "KG201", Body: "k.Out[i] = sizers«[i%2].size()", Decls: sizes + "\n\ntype of[T any] struct{}\n\nfunc (of[T]) size() int32 { return 1 }\n\nvar sizers = []sizer{" + manyTypes() + "}"},
	{Name: "wrong bounds", Code: "KG201", Body: "fs := [2]func(int32) int32{inc, dec}\na, b := 1, 0\ngs := fs«[a:b]\nk.Out[i] = gs[0](1)", Decls: funcs},
	{Name: "too many slices", Code: "KG201", Body: "var «ss [40][]int32\nss[0] = k.X\nk.Out[i] = ss[0][0]"},
	{Name: "unknown part", Code: "KG201", Body: "fs := [2]func(int32) int32{inc, dec}\ngs := fs«[i%2:]\nk.Out[i] = gs[0](1)", Decls: funcs},
	{Name: "local of slices", Code: "KG201", Form: Group, Body: "t := dsl.Local[[2][]int32]«(it)\nk.Out[i] = t[0][0]"},
	{Name: "private of slices", Code: "KG201", Body: "p := dsl.PrivateAlloca[[]int32]«(it, Size)\nk.Out[i] = p[0][0]", Decls: "var Size = dsl.NewSpecConstant(9)"},
	{Name: "written variable", Code: "KG202", Once: true, Body: "k.Out[i] = «counter", Decls: "var counter int32\nfunc Bump() { counter++ }"},
	{Name: "computed variable", Code: "KG202", Once: true, Body: "k.Out[i] = int32(«root)", Decls: "var root = math.Exp(2)"},
	{Name: "error variable", Code: "KG202", Body: "if err := odd(i); err != nil { k.Out[i] = 1 }",
		Decls: "var errOdd = fmt.Errorf(\"odd\")\nfunc odd(n int) error {\nif n%2 != 0 {\nreturn «errOdd\n}\nreturn nil\n}"},
	{Name: "pointer variable", Code: "KG202", Once: true, Body: "k.Out[i] = «box.r", Decls: "var box = &boxed{int32(math.Log(2))}\ntype boxed struct{ r int32 }"},
	{Name: "list variable", Code: "KG202", Once: true, Body: "k.Out[i] = «tail[0]", Decls: "var whole = [3]int32{1, 2, 3}\nvar tail = whole[1:]"},
	{Name: "two variables", Code: "KG203", Body: "var x, y [4]int32\np := (*[2]int32)(x[i&1:])\nif i > 3 {\n«p = (*[2]int32)(y[:])\n}\np[0] = 5\nk.Out[i] = x[0] + y[0]"},
	{Name: "two kinds of memory", Code: "KG203", Body: "var a [4]int32\np := (*[2]int32)(k.X)\nif i > 3 {\n«p = (*[2]int32)(a[1:])\n}\nk.Out[0] = p[0]"},
	{Name: "earlier iteration", Code: "KG203", Body: "var p *int32\nfor j := int32(0); j < 3; j++ {\nif j == 1 { «p = &j }\n}\nk.Out[i] = *p"},
	{Name: "compared parts", Code: "KG203", Body: "var a [4]int32\np, q := (*[2]int32)(a[1:]), (*[2]int32)(a[i&1:])\nif p «== q {\nk.Out[0] = 1\n}"},
	{Name: "make of unknown length", Code: "KG204", Body: "s := make«([]int32, i)\nk.Out[i] = s[0]"},
	{Name: "append to nil", Code: "KG204", Body: "var s []int32\nfor j := range i {\ns = append«(s, int32(j))\n}\nk.Out[i] = s[0]"},
	{Name: "append to full", Code: "KG204", Body: "s := append«([]int32{1, 2}, 3)\nk.Out[i] = s[0]"},
	{Name: "append of functions", Code: "KG204", Body: "fs := []func(int32) int32{inc}\nfs = append«(fs, dec)\nk.Out[i] = fs[0](1)", Decls: funcs},
	{Name: "unsafe pointer", Code: "KG205", Body: "k.Out[i] = int32(uintptr(unsafe.Pointer«(&k.X[i])))"},
	{Name: "unsafe slice", Code: "KG205", Body: "k.Out[i] = unsafe.Slice«(&k.X[0], 4)[3]"},
	{Name: "large array", Code: "KG206", Body: "var «a [1 << 33]int8\na[i] = 1\nk.Out[i] = int32(a[0])"},
	{Name: "large text", Code: "KG206", Body: "b := []byte«(text)\nk.Out[i] = int32(b[0])",
		Decls: "const ten = \"0123456789\"\nconst hundred = ten+ten+ten+ten+ten+ten+ten+ten+ten+ten\nconst tenk = hundred+hundred+hundred+hundred+hundred+hundred+hundred+hundred+hundred+hundred\n" +
			"const big = tenk+tenk+tenk+tenk+tenk+tenk+tenk+tenk+tenk+tenk\nconst text = big+big+big+big+big+big+big+big+big+big+big+big+big+big+big+big+big+big+big+big+big+big+big+big+big+big+big"},
	{Name: "large local", Code: "KG206", Form: Group, Body: "t := dsl.Local[[1 << 33]int8]«(it)\nk.Out[i] = int32(t[0])"},
	{Name: "map literal", Code: "KG207", Body: "m := map[int32]int32«{1: 2}\n_ = m"},
	{Name: "make map", Code: "KG207", Body: "m := make«(map[int]int)\n_ = m"},
	{Name: "map update", Code: "KG207", Body: "var m map[int]int\nm«[i] = 1"},
	{Name: "map lookup", Code: "KG207", Body: "var m map[int]int32\nk.Out[i] = m«[i]"},
	{Name: "range over map", Code: "KG207", Body: "var m map[int]int32\n«for _, x := range m { k.Out[i] += x }"},
	{Name: "lookup in map variable", Code: "KG207", Body: "k.Out[i] = byName«[\"a\"]", Decls: "var byName = map[string]int32{\"a\": 1}"},
	{Name: "map variable", Code: "KG207", Body: "k.Out[i] = int32(len(«byName))", Decls: "var byName = map[string]int32{\"a\": 1}"},
	{Name: "channel variable", Code: "KG104", Body: "jobs «<- i", Decls: "var jobs = make(chan int, 1)"},
	{Name: "delete", Code: "KG207", Body: "var m map[int]int\ndelete«(m, i)"},
	{Name: "clear map", Code: "KG207", Body: "var m map[int]int\nclear«(m)"},
	{Name: "join strings", Code: "KG208", Body: "s := \"a\" «+ \"bcd\"[i%3:]\nk.Out[i] = int32(s[0])"},
	{Name: "bytes of string", Code: "KG208", Body: "b := []byte«(\"bcd\"[i%3:])\nb[0]++\nk.Out[i] = int32(b[0])"},
	{Name: "string of rune", Code: "KG208", Body: "s := string«(rune(i))\nk.Out[i] = int32(len(s))"},

	{Name: "recursion", Code: "KG301", Body: "k.Out[i] = fact(5)", Decls: "func fact(n int32) int32 {\nif n < 2 { return 1 }\nreturn n * fact«(n-1)\n}"},
	{Name: "recursive literal", Code: "KG301", Body: "var f func(int32) int32\nf = func(n int32) int32 {\nif n < 1 { return 0 }\nreturn f«(n-1)\n}\nk.Out[i] = f(3)"},
	{Name: "function by branch", Code: "KG302", Body: "var a [4]int32\nf := inc\nif i > 3 {\n«f = (*row)(a[i&1:]).at\n}\nk.Out[i] = f(1)", Decls: funcs + "\n\n" + rows},
	{Name: "interface by branch", Code: "KG302", Body: "var a [4]int32\nvar s sizer = round{3}\nif i > 3 {\n«s = (*row)(a[i&1:])\n}\nk.Out[i] = s.size()", Decls: sizes + "\n\n" + rows},
	{Name: "own combiner", Code: "KG302", Form: Group, Body: "k.Out[i] = dsl.ReduceOverGroup«(it.Group(), k.X[i], mix)", Decls: "func mix(x, y int32) int32 { return x + y/3 }"},
	{Name: "alloca by variable", Code: "KG302", Body: "f := dsl.PrivateAlloca[float32, *dsl.SpecConstant[int]]\np := f«(it, Size)\nk.F[i] = p[0]", Decls: "var Size = dsl.NewSpecConstant(9)"},
	{Name: "fence scope", Code: "KG302", Body: "dsl.AtomicFence«(dsl.MemoryScope(i))"},
	{Name: "no body", Code: "KG303", Body: "k.Out[i] = asm«(1)", Decls: "func asm(int32) int32"},
	{Name: "atomic value", Code: "KG303", Body: "var v atomic.Value\nv.Store«(i)"},
	{Name: "fmt", Code: "KG304", Body: "s := fmt.Sprint«(i)\nk.Out[i] = int32(len(s))"},
	{Name: "print a slice", Code: "KG305", Body: "fmt.Println«(k.X)"},
	{Name: "print an address", Code: "KG305", Body: "println«(&k.X[i])"},
	{Name: "print by a verb of others", Code: "KG305", Body: "fmt.Printf«(form, i)", Decls: "const form = \"%s\""},
	{Name: "result of a print", Code: "KG305", Body: "n, _ := fmt.Println«(i)\nk.Out[i] = int32(n)"},
	{Name: "mutex", Code: "KG304", Body: "var mu sync.Mutex\nmu.Lock«()"},
	{Name: "random", Code: "KG304", Body: "k.Out[i] = int32(rand.Int«())"},

	{Name: "barrier in branch", Code: "KG401", Form: Group, Body: "if k.X[i] > 3 {\nit.Barrier«()\n}"},
	{Name: "reduction in branch", Code: "KG401", Form: Group, Body: "if i > 3 {\nk.Out[i] = dsl.ReduceOverGroup«(it.Group(), k.X[i], dsl.Plus)\n}"},
	{Name: "local in branch", Code: "KG401", Form: Group, Body: "if i > 3 {\nt := dsl.Local[[4]int32]«(it)\nk.Out[i] = t[0]\n}"},
	{Name: "local size", Code: "KG402", Form: Group, Body: "s := dsl.LocalSlice[int32]«(it, i)\nk.Out[i] = s[0]"},
	{Name: "local in range", Code: "KG403", Form: Range, Body: "t := dsl.Local[[4]int32]«(dsl.NDItem1{})\nk.Out[i] = t[0]"},
	{Name: "accessor in range", Code: "KG403", Form: Range, Field: "«Acc dsl.LocalAccessor[int32]"},

	{Name: "work-group of 0", Code: "KG501", Property: "properties.WorkGroupSize«(0)"},
	{Name: "sub-group of 0", Code: "KG501", Property: "properties.SubGroupSize«(0)"},
	{Name: "computed size", Code: "KG502", Property: "properties.WorkGroupSizeHint«(thread())", Decls: "func thread() int { return len(os.Args) }"},
	{Name: "size of a variable that is written", Code: "KG502", Property: "properties.WorkGroupSize(«threads)", Decls: "var threads = 8\n\nfunc SetThreads(n int) { threads = n }"},
	{Name: "list of the host", Code: "KG502", Property: "«fromHost[0]", Decls: "var fromHost = properties.List{properties.WorkGroupSizeHint(len(os.Args))}"},
	{Name: "size of a field", Code: "KG502", Property: "properties.WorkGroupSize«(k.N)"},
	{Name: "two sizes", Code: "KG503", Property: "properties.WorkGroupSizeHint«(8, 8)"},
	{Name: "aspect", Code: "KG504", Once: true, Property: "properties.DeviceHas(properties.PrivateAlloca)", Body: "k.D«[i] *= 2"},
	{Name: "aspect of int64", Code: "KG504", Once: true, Property: "properties.DeviceHas(properties.PrivateAlloca)", Body: "k.Out[i] = int32(int64(k.X[i]) «* int64(k.X[0]))"},
	{Name: "aspect of a function", Code: "KG504", Body: "k.D[i] = half(k.D[i])", Decls: "//kgen:device_has\nfunc half(x float64) float64 { return x «/ 2 }"},
	{Name: "unknown directive", Code: "KG505", Body: "misdirected()", Decls: "«//kgen:device nothing\nfunc misdirected() {}"},
	{Name: "constant's id", Code: "KG505", Body: "k.Out[i] = int32(Numbered.Get(it))", Decls: "«//kgen:spec id=x\nvar Numbered = dsl.NewSpecConstant(8)"},
	{Name: "id taken", Code: "KG505", Body: "k.Out[i] = int32(One.Get(it) + Two.Get(it))", Decls: "//kgen:spec id=7\nvar One = dsl.NewSpecConstant(8)\n«//kgen:spec id=7\nvar Two = dsl.NewSpecConstant(8)"},
	{Name: "stray directive", Code: "KG505", Body: "«//kgen:device_has fp64\nk.Out[i] = 1"},
	{Name: "directive of kernels", Code: "KG505", Body: "misplaced()", Decls: "«//kgen:cancel\nfunc misplaced() {}"},
	{Name: "internal of another", Code: "KG506", Once: true, Field: "Tmp []int32 //kgen:internal", Body: "k.Tmp«[i^1] = 1"},
	{Name: "internal to the group", Code: "KG506", Once: true, Field: "//kgen:internal\nCounts []int32", Body: "atomic.AddInt32«(&k.Counts[i], 1)"},
	{Name: "internal number", Code: "KG506", Field: "Tmp@ int32 «//kgen:internal"},
	{Name: "directive of fields", Code: "KG505", Field: "Wrong@ []int32 «//kgen:private"},
	{Name: "directive", Code: "KG505", Body: "directed()", Decls: "«//kgen:device_has nothing\nfunc directed() {}"},

	{Name: "computed default", Code: "KG601", Body: "k.Out[i] = int32(Comp.Get(it))", Decls: "var «Comp = dsl.NewSpecConstant(eight())\nfunc eight() int { return 8 }"},
	{Name: "no constant", Code: "KG601", Body: "k.Out[i] = int32(Not.Get(it))", Decls: "var «Not *dsl.SpecConstant[int]"},
	{Name: "wide default", Code: "KG601", Body: "k.Out[i] = int32(Wide.Get(it))", Decls: "var «Wide = dsl.NewSpecConstant(1 << 40)"},
	{Name: "one of two constants", Code: "KG601", Body: "c := Size\nif i > 3 {\n«c = Size2\n}\nk.Out[i] = int32(c.Get(it))", Decls: "var Size = dsl.NewSpecConstant(9)\n\nvar Size2 = dsl.NewSpecConstant(9)"},
	{Name: "local constant", Code: "KG601", Body: "c := dsl.NewSpecConstant«(3)\nk.Out[i] = int32(c.Get(it))"},
	{Name: "written constant", Code: "KG601", Body: "k.Out[i] = int32(Set.Get(it))", Decls: "var «Set = dsl.NewSpecConstant(8)\nfunc init() { Set = nil }"},
	{Name: "constant of slices", Code: "KG602", Body: "k.F[i] = Weights.Get(it)[0]", Decls: "var «Weights = dsl.RequireSpecConstant[[]float32]()"},
	{Name: "hidden constant", Code: "KG003", Body: "k.Out[i] = int32(inner.Get(it))", Decls: "var «inner = dsl.NewSpecConstant(8)"},
	{Name: "private size", Code: "KG603", Body: "p := dsl.PrivateAlloca[float32]«(it, k.N)\nk.F[i] = p[0]"},
	{Name: "size of 0", Code: "KG604", Body: "p := dsl.PrivateAlloca[float32]«(it, None)\nk.F[i] = p[0]", Decls: "var None = dsl.NewSpecConstant(0)"},
	{Name: "small alignment", Code: "KG605", Body: "p := dsl.AlignedPrivateAlloca[float32]«(it, Size, 2)\nk.F[i] = p[0]", Decls: "var Size = dsl.NewSpecConstant(9)"},
	{Name: "large alignment", Code: "KG605", Body: "p := dsl.AlignedPrivateAlloca[float32]«(it, Size, 1<<30)\nk.F[i] = p[0]", Decls: "var Size = dsl.NewSpecConstant(9)"},
	{Name: "unknown alignment", Code: "KG605", Body: "p := dsl.AlignedPrivateAlloca[float32]«(it, Size, k.N)\nk.F[i] = p[0]", Decls: "var Size = dsl.NewSpecConstant(9)"},
	{Name: "local size of 0", Code: "KG604", Form: Group, Body: "p := dsl.LocalSlice[float32]«(it, None.Get(it))\nk.F[i] = p[0]", Decls: "var None = dsl.NewSpecConstant(0)"},
	{Name: "alignment", Code: "KG605", Body: "p := dsl.AlignedPrivateAlloca[float32]«(it, Size, 3)\nk.F[i] = p[0]", Decls: "var Size = dsl.NewSpecConstant(9)"},
	{Name: "outlives", Code: "KG606", Body: "p := scratch(it)\nk.F[i] = p[0]", Decls: "var Size = dsl.NewSpecConstant(9)\n\nfunc scratch(h dsl.KernelHandler) []float32 {\n«return dsl.PrivateAlloca[float32](h, Size)\n}"},
}
