package library

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"go/types"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/tools/go/packages"

	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/testflag"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

var (
	perKernel = testflag.Int("per-kernel", 8, 1, math.MaxInt, "calls in a kernel")
	spacesOn  = testflag.Int("spaces", 1, 0, 4, "kinds of memory that calls with slices have on the device; with another one they run in the interpreter")
)

var everyCall = flag.Bool("every-call", false, "make all calls with slices in the interpreter that the device does not make, and not one in three")

var only = flag.String("only", "", "make the calls that match a regular expression; others are not tested")

var large = flag.Bool("large", false, "have sorts, Bessel functions and ChaCha8 run on the device, too, over which drivers take long; package difftest has some of them")

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// exported returns the signatures of what a package exports for kernels to call, by
// the name of the function, or of the type or variable and its method.
func exported(pkg *types.Package) map[string]*types.Signature {
	all := map[string]*types.Signature{}
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		if f, ok := o.(*types.Func); ok {
			all[name] = f.Signature()
			continue
		}
		if _, constant := o.(*types.Const); constant || types.IsInterface(o.Type()) {
			continue
		}
		for m := range types.NewMethodSet(types.NewPointer(o.Type())).Methods() {
			if f := m.Obj().(*types.Func); f.Exported() {
				all[name+"."+f.Name()] = f.Signature()
			}
		}
	}
	return all
}

// numeric makes a call of a function with numbers that uses all that it returns, if
// it is one of numbers.
func numeric(call string, sig *types.Signature, positive bool) (row, bool) {
	var args, results []string
	count := map[string]int{}
	take := func(kind string, names ...string) string {
		count[kind]++
		return names[(count[kind]-1)%len(names)]
	}
	for p := range sig.Params().Variables() {
		b, ok := p.Type().(*types.Basic)
		if !ok || b.Info()&types.IsNumeric == 0 {
			return row{}, false
		}
		switch {
		case b.Info()&types.IsComplex != 0:
			args = append(args, take("complex", "complex(x, y)", "complex(z, x)"))
		case b.Kind() == types.Float64:
			args = append(args, take("float64", "x", "y", "z"))
		case b.Kind() == types.Float32:
			args = append(args, take("float32", "a", "b", "c"))
		case p.Name() == "carry" || p.Name() == "borrow":
			args = append(args, b.Name()+"(w&1)")
		case positive:
			args = append(args, b.Name()+"(u>>40)>>(v%20)+1")
		case b.Kind() == types.Int:
			args = append(args, take("int", "n", "int(u)"))
		default:
			args = append(args, b.Name()+"("+take("word", "u", "v", "w")+")")
		}
	}
	body := ""
	for r := range sig.Results().Variables() {
		b, ok := r.Type().(*types.Basic)
		if !ok {
			return row{}, false
		}
		name := fmt.Sprint("r", len(results))
		results = append(results, name)
		switch {
		case b.Info()&types.IsBoolean != 0:
			body += "; r.b(" + name + ")"
		case b.Info()&types.IsComplex != 0:
			body += "; r.c(" + name + ")"
		case b.Kind() == types.Float32:
			body += "; r.f32(" + name + ")"
		case b.Kind() == types.Float64:
			body += "; r.f(" + name + ")"
		default:
			body += "; r.u(uint64(" + name + "))"
		}
	}
	if len(results) == 0 {
		return row{}, false
	}
	return yes(strings.Join(results, ", ") + " := " + call + "(" + strings.Join(args, ", ") + ")" + body), true
}

// generators begin calls of methods of random numbers.
var generators = map[string]string{"math/rand": "rand1.New(&words{u}).", "math/rand/v2": "rand.New(rand.NewPCG(u, v))."}

// calls returns what the table has kernels call, and what it has them refused.
func calls(t *testing.T) (run, refused []*call) {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports}, sortedKeys(table)...)
	if err != nil || len(pkgs) != len(table) {
		t.Fatal(len(pkgs), err)
	}
	for _, p := range pkgs {
		rows, names := table[p.PkgPath], exported(p.Types)
		for _, name := range sortedKeys(rows) {
			if names[name] == nil {
				t.Errorf("%s has no %s", p.PkgPath, name)
			}
		}
		for j, name := range sortedKeys(names) {
			w, ok := rows[name]
			if !ok {
				fn, positive := nameOf(p.PkgPath)+"."+name, false
				if method, isRand := strings.CutPrefix(name, "Rand."); isRand {
					fn, positive = generators[p.PkgPath]+method, true
				}
				if w, ok = numeric(fn, names[name], positive); !ok {
					t.Errorf("there is no row for %s.%s", p.PkgPath, name)
					continue
				}
			}
			c := call{pkg: p.PkgPath, name: name, row: w}
			switch {
			case w.body == "":
			case w.code != "":
				if w.elems != nil {
					c.elem = w.elems[0]
				}
				refused = append(refused, &c)
			case w.elems == nil:
				c.aside = w.slow || w.large && !*large
				run = append(run, &c)
			default:
				for s := range spaces {
					c := c
					c.space, c.elem = s, w.elems[(j+s)%len(w.elems)]
					turn := (j + s) % len(spaces)
					if turn > *spacesOn || turn == *spacesOn && (j+s)%3 > 0 && !*everyCall {
						continue
					}
					c.aside = turn == *spacesOn || w.slow || w.large && !*large
					run = append(run, &c)
				}
			}
		}
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		t.Fatal(err)
	}
	run = slices.DeleteFunc(run, func(c *call) bool { return !match.MatchString(c.String()) || !sample.Has(c.String(), 40) })
	refused = slices.DeleteFunc(refused, func(c *call) bool { return !sample.Has(c.String(), 30) })
	for i, c := range slices.Concat(run, refused) {
		c.id = i
	}
	return run, refused
}

// items is the number of work-items, itemsAside that in the interpreter.
const (
	items      = 128
	itemsAside = 16
)

// inputs returns the words of all work-items.
func inputs() []uint64 {
	floats := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, 5e-324, -1e-310,
		0x1p-1022, math.MaxFloat64, -math.MaxFloat64, 1e-300, 1e300, 0x1p52 + 0.5, 0x1p53, -0x1p31, 0x1p63, 0x1p64, math.Pi, math.Pi / 2,
		-3 * math.Pi / 4, 1e22, 0x1p30 * math.Pi, 170.5, -170.5, -3, -20.25, 709.8, -745.2, 0.9999999999999999, 1.0000000000000002, 25.5, 0x1.fffffep127}
	words := []uint64{0, 1, 2, 3, 127, 128, 255, 256, 0x7ff, 0x800, 0xd800, 0xdfff, 0xffff, 0x10000, 0x10ffff, 0x110000, 1<<31 - 1, 1 << 31, 1<<32 - 1,
		1 << 32, 1<<63 - 1, 1 << 63, math.MaxUint64, math.MaxUint64 - 127, 0x7fc00000, 0x7f800000, 0xff800000, 0x3f800000, 0xbf000000, 0x40200000, 0x80000000}
	g := rand.New(rand.NewPCG(5, 6))
	var in []uint64
	for i := range items {
		for j := range 3 {
			f := g.NormFloat64()
			switch {
			case j == 0 && i < len(floats):
				f = floats[i]
			case g.IntN(3) == 0:
				f = floats[g.IntN(len(floats))]
			case g.IntN(2) == 0:
				f = math.Ldexp(f, g.IntN(60)-30)
			}
			in = append(in, math.Float64bits(f))
		}
		for j := range 3 {
			u := g.Uint64() >> g.IntN(64)
			if j == 0 && i < len(words) || g.IntN(4) == 0 {
				u = words[(i+j)%len(words)]
			}
			if g.IntN(4) == 0 { // float32s that are neither very large nor very small
				u = u&^0xffffffff | uint64(math.Float32bits(float32(g.NormFloat64()*4)))
			}
			in = append(in, u)
		}
		in = append(in, uint64(i%13-3))
	}
	return in
}

// host returns what gc's code makes of the inputs: for each call a word for each
// work-item.
func host(ctx context.Context, calls []*call) ([][]uint64, error) {
	wrappers := ""
	for _, c := range calls {
		wrappers += c.wrapper()
	}
	main := fmt.Sprintf("func Run(in, out []uint64) {\n_ = math.Pi\n%s%s%s}\n", begin, beginFloats, all(calls, func(c *call) string {
		return fmt.Sprintf("make([]%s, %d)", elems[c.elem].typ, room)
	}))
	files := map[string]string{"common.go": common() + narrow, "wrappers.go": file(wrappers), "run.go": file(main)}
	out, err := oracle.RunPure(ctx, files, fmt.Sprintf(runner, inputs(), inputWords, len(calls)))
	if err != nil {
		return nil, err
	}
	all := make([]uint64, len(out)/8)
	if err := binary.Read(bytes.NewReader(out), binary.LittleEndian, all); err != nil || len(all) != len(calls)*items {
		return nil, fmt.Errorf("%d results: %w", len(all), err)
	}
	results := make([][]uint64, len(calls))
	for i, x := range all {
		results[i%len(calls)] = append(results[i%len(calls)], x)
	}
	return results, nil
}

const runner = `package main

import (
	"os"

	kernels "github.com/kgen-go/kgen/internal/tests/oracle/run/kernels"
)

func main() {
	var text []byte
	for in := %#v; len(in) > 0; in = in[%[2]d:] {
		var out [%[3]d]uint64
		kernels.Run(in[:%[2]d], out[:])
		for _, x := range out {
			for range 8 {
				text = append(text, byte(x))
				x >>= 8
			}
		}
	}
	if _, err := os.Stdout.Write(text); err != nil {
		panic(err)
	}
}
`

// bench compiles and runs.
type bench struct {
	t   *testing.T
	c   *oracle.Compiler
	dev *runtime.Device

	compile, launched, interpreted time.Duration
}

// refusal is what a kernel was refused for.
type refusal struct{ diag.List }

// has reports whether the code is among the reasons, with what to write instead.
func (r refusal) has(code string) bool {
	return slices.ContainsFunc(r.List, func(d *diag.Diagnostic) bool { return d.Code.String() == code && d.Hint != "" })
}

// kernel compiles one kernel that makes the calls.
func (b *bench) kernel(calls []*call) (*oracle.Kernel, error) {
	start := time.Now()
	defer func() { b.compile += time.Since(start) }()
	prog, diags, err := b.c.Load("example.com/kernels", kernel(calls))
	if err != nil {
		return nil, err
	}
	var k *oracle.Kernel
	if len(diags) == 0 {
		if calls[0].aside {
			k, diags, err = oracle.Lower(prog, prog.Packages[0].Kernels[0])
		} else {
			k, diags, err = oracle.CompileGeneral(prog, prog.Packages[0].Kernels[0], lastForm)
		}
	}
	if err == nil && len(diags) > 0 {
		err = refusal{diags}
	}
	return k, err
}

// check compares what calls give on the device. If they do not compile it looks for
// the one that does not.
func (b *bench) check(calls []*call, want map[*call][]uint64) {
	b.t.Helper()
	k, err := b.kernel(calls)
	if err == nil {
		if err = b.run(k, calls, want); err == nil {
			return
		}
	}
	if len(calls) == 1 {
		b.t.Errorf("%v: %v\n%s", calls[0], err, calls[0].row.body)
		return
	}
	half := len(calls) / 2
	b.check(calls[:half], want)
	b.check(calls[half:], want)
}

// lastForm is what becomes SPIR-V.
const lastForm = "expand"

// deviceWords is up to how many words of SPIR-V a kernel runs on the device without -large. Of
// larger ones, over which drivers take long, the interpreter runs the last form.
const deviceWords = 5_000

// run runs a kernel on the device, or in the interpreter.
func (b *bench) run(k *oracle.Kernel, calls []*call, want map[*call][]uint64) error {
	start := time.Now()
	memory := slices.ContainsFunc(calls, func(c *call) bool { return c.elem != "" })
	n, out, err := items, make([]uint64, items*len(calls)), error(nil)
	switch {
	case calls[0].aside:
		n = itemsAside
		err = interpret(k, "built", n, memory, out)
		b.interpreted += time.Since(start)
	case len(k.Words) > deviceWords && !*large:
		n = itemsAside
		err = interpret(k, lastForm, n, memory, out)
		b.interpreted += time.Since(start)
	default:
		err = b.onDevice(k, memory, out)
		b.launched += time.Since(start)
	}
	if err != nil {
		return err
	}
	for i, c := range calls {
		for id, w := range want[c][:n] {
			if got := out[id*len(calls)+i]; got != w {
				b.t.Errorf("%v of %#x: %#x, want %#x\n%s", c, inputs()[id*inputWords:][:inputWords], got, w, c.row.body)
				break
			}
		}
	}
	return nil
}

// onDevice runs a kernel on the device.
func (b *bench) onDevice(k *oracle.Kernel, memory bool, out []uint64) error {
	desc := *k.ABI
	desc.SPIRV = k.SPIRV()
	desc.Variables = nil // only stubs know where they are
	desc.Variants = slices.Clone(desc.Variants)
	for i := range desc.Variants {
		desc.Variants[i].SPIRV = oracle.SPIRV(k.Variants[i])
	}
	desc.Variables = nil // no stub is there that would know them
	launch := kernelimpl.NewLaunch(kernelimpl.Register(&desc, nil))
	for i, p := range desc.Params {
		switch p.Name {
		case "In":
			kernelimpl.Slice(launch, i, inputs())
		case "Out":
			kernelimpl.Slice(launch, i, out)
		default:
			buffer(launch, i, p.ElemSize)
		}
	}
	if memory {
		return launch.RunND1(b.t.Context(), b.dev, runtime.NDRange1{Global: items, Local: local}, nil)
	}
	return launch.Run1(b.t.Context(), b.dev, items, nil)
}

// interpret runs a form of a kernel in the interpreter, with n work-items.
func interpret(k *oracle.Kernel, form string, n int, memory bool, out []uint64) error {
	var fields []reflect.StructField
	for _, p := range k.ABI.Params {
		fields = append(fields, reflect.StructField{Name: p.Name, Type: reflect.TypeFor[[]uint64]()})
	}
	arg := reflect.New(reflect.StructOf(fields))
	for i, p := range k.ABI.Params {
		words := make([]uint64, items*room*p.ElemSize/8)
		switch p.Name {
		case "In":
			words = inputs()
		case "Out":
			words = out
		default:
			// Its length is that of what elements it has.
			bytes := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), items*room)
			arg.Elem().Field(i).Set(reflect.NewAt(reflect.TypeFor[[]uint64](), unsafe.Pointer(&bytes)).Elem())
			continue
		}
		arg.Elem().Field(i).Set(reflect.ValueOf(words))
	}
	l := oracle.Launch{Global: []int{n}, Local: []int{local}, Arg: arg.Interface(), MaxSteps: 1 << 40}
	return l.Run(k, form)
}

// buffer gives a launch a slice of elements of a size.
func buffer(l *kernelimpl.Launch, i, size int) {
	n := items * room
	switch size {
	case 1:
		kernelimpl.Slice(l, i, make([]uint8, n))
	case 2:
		kernelimpl.Slice(l, i, make([]uint16, n))
	case 4:
		kernelimpl.Slice(l, i, make([]uint32, n))
	default:
		kernelimpl.Slice(l, i, make([]uint64, n*size/8))
	}
}

// compiler returns the compiler of all tests: it loads the packages that kernels import once.
var compiler = sync.OnceValue(func() *oracle.Compiler { return oracle.NewCompiler(importable...) })

func newBench(t *testing.T) *bench {
	return &bench{t: t, c: compiler()}
}

// TestLibrary has kernels call what the standard library's packages for kernels
// export, with the host's results.
func TestLibrary(t *testing.T) {
	b := newBench(t)
	b.dev = devtest.Vulkan(t)
	run, _ := calls(t)
	start := time.Now()
	results, err := host(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d calls; host: %v", len(run), time.Since(start))
	want := map[*call][]uint64{}
	var plain, memory, aside []*call
	for i, c := range run {
		want[c] = results[i]
		switch {
		case c.aside:
			aside = append(aside, c)
		case c.elem == "":
			plain = append(plain, c)
		default:
			memory = append(memory, c)
		}
	}
	for _, list := range [][]*call{memory, aside} {
		slices.SortStableFunc(list, func(a, b *call) int {
			return cmp.Or(cmp.Compare(a.elem, b.elem), cmp.Compare(a.space, b.space))
		})
	}
	for _, list := range [][]*call{plain, aside, memory} {
		for group := range slices.Chunk(list, *perKernel) {
			at := time.Now()
			c := b.compile
			b.check(group, want)
			t.Logf("%v … %v: compile %v, all %v", group[0], group[len(group)-1], b.compile-c, time.Since(at))
		}
	}
	t.Logf("compile %v, device %v, interpreter %v", b.compile, b.launched, b.interpreted)
}

// TestRefused has kernels call the rest.
func TestRefused(t *testing.T) {
	b := newBench(t)
	_, refused := calls(t)
	for _, c := range refused {
		_, err := b.kernel([]*call{c})
		var r refusal
		if err == nil {
			t.Errorf("%v compiles, want %s since %s\n%s", c, c.row.code, c.row.why, c.row.body)
		} else if !errors.As(err, &r) {
			t.Errorf("%v: %v", c, err)
		} else if !r.has(c.row.code) {
			t.Errorf("%v: got %v, want %s", c, err, c.row.code)
		}
	}
}
