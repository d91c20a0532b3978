package smith

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/diag"
	"github.com/kgen-go/kgen/codegen/gohost"
	"github.com/kgen-go/kgen/codegen/gostub"
	"github.com/kgen-go/kgen/codegen/load"
	"github.com/kgen-go/kgen/internal/tests/difftest"
	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
	"github.com/kgen-go/kgen/internal/tests/testflag"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

var (
	programs  = testflag.Int("programs", 10, 1, math.MaxInt, "the number of random programs")
	onDevice  = flag.Bool("device", true, "run the programs on the Vulkan device, too")
	first     = flag.Uint64("first", 1, "the seed of the first program; 0 takes it from the clock")
	budget    = flag.Duration("budget", 2*time.Second, "make no more programs after so long")
	upTo      = testflag.Int("sizes", Sizes, 1, Sizes, "how many sizes of programs there are, the smallest first")
	keep      = testflag.Folder("keep", "where to write programs that fail, and what they shrink to")
	shrinkFor = flag.Duration("shrink", 20*time.Second, "how long to shrink a program that fails")
	points    = testflag.List("points", []string{"built", "expand"}, oracle.AllPoints(), "where in the list of passes to interpret the programs")
	keptOnes  = flag.String("programs-kept", "testdata/*.go", "the programs that once failed, for TestKept")
	disabled  = flag.String("disabled", "", "a row of kgen's table of quirks that programs are compiled without")
	modules   = testflag.List("modules", []string{"general"}, []string{"general", abi.VariantSmall, abi.VariantWords, abi.VariantAlone, abi.VariantAloneWords, abi.VariantCancel, abi.VariantCancel + "Words"}, "which modules of the programs, where they have them, run on the device")
)

// batch is how many programs gc compiles at once.
const batch = 50

// atLeast is how many programs run however long they take.
const atLeast = 12

// bench runs programs in every way.
type bench struct {
	compiler *oracle.Compiler
	dev      *runtime.Device // nil if there is none
	points   []string
	took     [2]time.Duration // in the interpreter and on the device
}

// theCompiler is the compiler of all tests: it loads the packages that programs import once.
var theCompiler = sync.OnceValue(func() *oracle.Compiler { return oracle.NewCompiler(Imports...) })

// count returns how many programs a test makes.
func count() int { return min(*programs, sample.Of(math.MaxInt, 1)) }

func newBench(t testing.TB) *bench {
	b := &bench{compiler: theCompiler(), points: slices.Clone(*points)}
	b.open(t)
	t.Cleanup(func() { b.close(t) })
	return b
}

// open opens the device, if there is to be one.
func (b *bench) open(t testing.TB) {
	if !*onDevice {
		return
	}
	dev, err := runtime.Open(runtime.Select("vulkan"))
	switch {
	case err == nil:
		b.dev = dev
	case need.Promised(need.Vulkan):
		t.Fatal(err)
	default:
		t.Logf("not on the device: %v", err)
	}
}

func (b *bench) close(t testing.TB) {
	if b.dev != nil {
		if err := b.dev.Close(); err != nil {
			t.Error(err)
		}
		b.dev = nil
	}
}

// errRefused is a program that kgen does not compile.
var errRefused = errors.New("refused")

// compile compiles programs of different prefixes; what is refused or fails has
// an error.
func (b *bench) compile(ps []*Program) ([]*oracle.Kernel, []error) {
	out, errs := make([]*oracle.Kernel, len(ps)), make([]error, len(ps))
	files := map[string]string{}
	index := map[string]int{}
	for i, p := range ps {
		files[p.File()] = p.Source
		index[p.Prefix+"K"] = i
		errs[i] = fmt.Errorf("%w: no kernel", errRefused)
	}
	prog, diags, err := b.compiler.Load("example.com/kernels", files)
	if err == nil && len(diags) > 0 {
		err = fmt.Errorf("%w: %v", errRefused, diags)
	}
	if err != nil {
		for i := range errs {
			errs[i] = err
		}
		return out, errs
	}
	if *disabled != "" {
		prog.Disabled = []string{*disabled}
	}
	for _, k := range prog.Packages[0].Kernels {
		var diags diag.List
		i := index[k.Name]
		out[i], diags, errs[i] = oracle.Compile(prog, k, b.points...)
		if errs[i] == nil && len(diags) > 0 {
			errs[i] = fmt.Errorf("%w: %v", errRefused, diags)
		}
		if errs[i] == nil {
			errs[i] = checkForm(prog, out[i].Host)
		}
	}
	return out, errs
}

// checkForm type-checks a host form, as kgen does before it writes one; nil is none.
func checkForm(prog *load.Program, form *gohost.Form) error {
	if form == nil {
		return nil
	}
	code, err := gohost.File(gostub.Header, "forms", []*gohost.Form{form})
	if err != nil {
		return fmt.Errorf("type of the host form: %w", err)
	}
	for _, e := range prog.CheckTexts(prog.Packages[0], "example.com/kernels/forms", []load.Text{{Name: "forms.go", Data: code}}) {
		return fmt.Errorf("type of the host form: %w", e)
	}
	return nil
}

// compare compares what a launch left with what the host's left, with what faulted.
func compare(where string, got shape.Args, err error, want HostResult) error {
	f, err := faultOf(err, nil)
	if err == nil {
		err = compareFault(f, want.Faults)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	if d := difftest.Diff(got, want.Args, false); d != "" {
		return fmt.Errorf("%s: %s", where, d)
	}
	return nil
}

// faultOf returns the fault that an error is, if it is one, with the linear id of
// the work-item in a range.
func faultOf(err error, global []int) (*HostFault, error) {
	var f *runtime.Fault
	if err == nil || !errors.As(err, &f) {
		return nil, err
	}
	at := strings.Split(f.Pos, ":")
	if len(at) < 3 {
		return nil, err
	}
	line, _ := strconv.Atoi(at[len(at)-2])
	id := 0
	for d, i := range f.GlobalID {
		if d > 0 {
			id *= global[d]
		}
		id += i
	}
	return &HostFault{ID: id, Line: line, Text: f.Kind.Describe(f.A, f.B, f.Unsigned, f.Message)}, nil
}

// compareFault compares the fault that is reported, if there is one, with those of
// the work-items.
func compareFault(f *HostFault, want []HostFault) error {
	switch {
	case f == nil && len(want) > 0:
		return fmt.Errorf("no fault, want %+v", want[0])
	case f == nil:
		return nil
	}
	for _, w := range want {
		if w.ID == f.ID {
			if f.Text != w.Text || f.Line != w.Line {
				return fmt.Errorf("fault %+v, want line %d: %s", *f, w.Line, w.Text)
			}
			return nil
		}
	}
	return fmt.Errorf("fault %+v, want %+v", *f, want)
}

// inputs returns arguments that share nothing with the inputs of the program.
func (p *Program) inputs() *shape.Args {
	a := shape.Inputs(p.Seed)
	return &a
}

// check runs a compiled program in the interpreter and on the device.
func (b *bench) check(ctx context.Context, p *Program, k *oracle.Kernel, want HostResult) error {
	now := time.Now()
	for _, point := range b.points {
		if k.Lacks(point) {
			continue
		}
		a := p.inputs()
		l := oracle.Launch{Global: []int{shape.Items}, Local: []int{4}, Arg: a, MaxSteps: 1 << 40}
		if err := compare("interpreter at "+point, *a, l.Run(k, point), want); err != nil {
			return err
		}
	}
	b.took[0] += time.Since(now)
	if b.dev == nil {
		return nil
	}
	now = time.Now()
	defer func() { b.took[1] += time.Since(now) }()
	for _, m := range kernelModules(k) {
		a, err := b.launch(ctx, p, k, m)
		if err := compare(b.dev.Name()+m.name, *a, err, want); err != nil {
			return err
		}
	}
	return nil
}

// module is one of a kernel's modules. The name of any but the general one begins
// with a space.
type module struct{ name, spirv string }

// kernelModules returns those that are to run.
func kernelModules(k *oracle.Kernel) []module {
	var out []module
	for _, name := range *modules {
		if name == "general" {
			out = append(out, module{"", k.SPIRV()})
		}
		for i := range k.ABI.Variants {
			if k.ABI.Variants[i].Name == name {
				out = append(out, module{" " + name, oracle.SPIRV(k.Variants[i])})
			}
		}
	}
	return out
}

// redzone is what stands around the memory of slices on the device.
const redzone = 64

// zoned is a slice in a buffer with a redzone on both sides.
type zoned[T any] struct {
	buf  *runtime.Buffer[T]
	all  []T
	zone int
}

func zone[T any](dev *runtime.Device, s []T, fill T) (*zoned[T], error) {
	z := &zoned[T]{zone: redzone, all: make([]T, len(s)+2*redzone)}
	for i := range z.all {
		z.all[i] = fill
	}
	copy(z.all[redzone:], s)
	var err error
	z.buf, err = runtime.BufferOf(dev, z.all)
	return z, err
}

func (z *zoned[T]) view() runtime.View[T] { return z.buf.Slice(redzone, len(z.all)-redzone) }

// back copies the slice back and looks at its surroundings.
func (z *zoned[T]) back(ctx context.Context, q *runtime.Queue, s []T, name string) error {
	got := make([]T, len(z.all))
	err := z.buf.CopyTo(ctx, q, got)
	if e := z.buf.Close(); err == nil {
		err = e
	}
	copy(s, got[redzone:])
	n := len(got) - redzone
	if d := difftest.Diff(got[:redzone], z.all[:redzone], false) + difftest.Diff(got[n:], z.all[n:], false); d != "" && err == nil {
		err = fmt.Errorf("%s: written out of bounds: %s", name, d)
	}
	return err
}

// bind gives a kernel's parameters what args has for their names, which may be those of
// an embedded struct's fields.
func bind(params []abi.Param, args map[string]func(i int)) error {
	for i, p := range params {
		give := args[p.Name[strings.LastIndexByte(p.Name, '.')+1:]]
		if give == nil {
			return fmt.Errorf("unknown parameter %s", p.Name)
		}
		give(i)
	}
	return nil
}

// launch runs a program on the device, between redzones.
func (b *bench) launch(ctx context.Context, p *Program, k *oracle.Kernel, m module) (*shape.Args, error) {
	a := p.inputs()
	desc := *k.ABI
	desc.SPIRV, desc.Variants = m.spirv, nil
	kernel := kernelimpl.Register(&desc, nil)
	in, err1 := zone(b.dev, a.In, 0xabadcafe)
	out, err2 := zone(b.dev, a.Out, 0xabadcafe)
	bytes, err3 := zone(b.dev, a.Bytes, 0x5a)
	reals, err4 := zone(b.dev, a.Reals, 777)
	recs, err5 := zone(b.dev, a.Recs, shape.Rec{C: 777})
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return a, err
	}
	l := kernelimpl.NewLaunch(kernel)
	err := bind(desc.Params, map[string]func(i int){
		"N":     func(i int) { kernelimpl.Value(l, i, a.N) },
		"Small": func(i int) { kernelimpl.Value(l, i, a.Small) },
		"In":    func(i int) { kernelimpl.View(l, i, in.view()) },
		"Out":   func(i int) { kernelimpl.View(l, i, out.view()) },
		"Bytes": func(i int) { kernelimpl.View(l, i, bytes.view()) },
		"Reals": func(i int) { kernelimpl.View(l, i, reals.view()) },
		"Recs":  func(i int) { kernelimpl.View(l, i, recs.view()) },
	})
	if err != nil {
		return a, err
	}

	q := b.dev.DefaultQueue()
	ev, err := l.ParallelFor1(q, shape.Items, nil)
	if err == nil {
		err = ev.Wait(ctx)
	}
	// The device is usable whatever happened.
	back := errors.Join(in.back(ctx, q, a.In, "In"), out.back(ctx, q, a.Out, "Out"), bytes.back(ctx, q, a.Bytes, "Bytes"),
		reals.back(ctx, q, a.Reals, "Reals"), recs.back(ctx, q, a.Recs, "Recs"))
	if back != nil {
		return a, back
	}
	return a, err
}

// TestSmith runs random programs as gc compiles them, in the interpreter and on
// the Vulkan device. With -short some are those of TestArith, TestLoops and TestSearches, since the
// go command that compiles the programs of a test takes as long for many as for one.
func TestSmith(t *testing.T) {
	mixed := func(seed uint64, prefix string) *Program { return New(seed, prefix, *upTo) }
	if !testing.Short() {
		testPrograms(t, count(), mixed)
		return
	}
	kinds := []func(uint64, string) *Program{mixed, NewArith, NewLoops, NewSearches}
	n := 0
	testPrograms(t, min(*programs, len(kinds)), func(seed uint64, prefix string) *Program {
		n++
		return kinds[(n-1)%len(kinds)](seed, prefix)
	})
}

// TestArith is TestSmith of programs that are nothing but arithmetic.
func TestArith(t *testing.T) { testKind(t, NewArith) }

// TestLoops is TestSmith of programs that are nothing but loops over slices and arrays.
func TestLoops(t *testing.T) { testKind(t, NewLoops) }

// TestSearches is TestSmith of programs that are nothing but loops which work-items leave
// in different rounds.
func TestSearches(t *testing.T) { testKind(t, NewSearches) }

// testKind tests programs of one kind.
func testKind(t *testing.T, random func(seed uint64, prefix string) *Program) {
	t.Helper()
	if testing.Short() {
		t.Skip("TestSmith has programs of this kind, too, and -short is set")
	}
	testPrograms(t, count(), random)
}

func testPrograms(t *testing.T, count int, random func(seed uint64, prefix string) *Program) {
	b := newBench(t)
	ctx := context.Background()
	seed := *first
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	begin, done, faulted, refused, failed := time.Now(), 0, 0, map[string]int{}, 0
	var took [4]time.Duration
	lap := func(i int, since time.Time) { took[i] += time.Since(since) }
	for done < count && time.Since(begin) < *budget && failed < 20 {
		var ps []*Program
		for range min(batch, count-done, max(atLeast, int(2**budget/time.Second))) {
			ps = append(ps, random(seed, fmt.Sprintf("P%d", len(ps))))
			seed++
		}
		done += len(ps)
		if done > len(ps) { // drivers keep the code of every pipeline that was made
			b.close(t)
			b.open(t)
		}
		now := time.Now()
		kernels, errs := b.compile(ps)
		lap(0, now)
		now = time.Now()
		host, err := Host(ctx, ps)
		lap(1, now)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range ps {
			if time.Since(begin) > *budget && done-len(ps)+i >= atLeast {
				done -= len(ps) - i
				seed -= uint64(len(ps) - i)
				break
			}
			if errors.Is(errs[i], errRefused) {
				refused[strings.Join(strings.Fields(errs[i].Error())[1:3], " ")]++
				t.Logf("seed %d: %v", p.Seed, errs[i])
				continue
			}
			err := errs[i]
			if err == nil {
				err = b.check(ctx, p, kernels[i], host[i])
			}
			if len(host[i].Faults) > 0 {
				faulted++
			}
			if err == nil {
				continue
			}
			failed++
			small := b.shrink(ctx, p, err)
			t.Errorf("seed %d: %v\n%s", p.Seed, err, small)
			if *keep != "" {
				_ = os.WriteFile(filepath.Join(*keep, fmt.Sprintf("seed%d.go", p.Seed)), []byte(p.Source), 0o666)
				_ = os.WriteFile(filepath.Join(*keep, fmt.Sprintf("seed%d_small.go", p.Seed)), []byte(small), 0o666)
			}
		}
	}
	t.Logf("%d programs (%d with faults) in %v, up to seed %d; refused: %v", done, faulted, time.Since(begin).Round(time.Second), seed-1, refused)
	t.Logf("kgen %v, gc %v, interpreter %v, device %v", took[0], took[1], b.took[0], b.took[1])
}

// keptSeed is the first line of a kept program whose inputs matter.
var keptSeed = regexp.MustCompile(`^// seed (\d+)\n`)

// TestKept runs the programs that once failed, or what they shrank to.
func TestKept(t *testing.T) {
	b := newBench(t)
	b.points = []string{"all"}
	names, err := filepath.Glob(*keptOnes)
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	var ps []*Program
	names = slices.DeleteFunc(names, func(name string) bool { return !sample.Has(name, 12) })
	for i, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		prefix, seed := fmt.Sprintf("Q%d", i), uint64(143)
		if m := keptSeed.FindStringSubmatch(string(src)); m != nil {
			fmt.Sscan(m[1], &seed)
		}
		ps = append(ps, &Program{Seed: seed, Prefix: prefix, Source: regexp.MustCompile(`\bP\d+([KSTf])`).ReplaceAllString(string(src), prefix+"$1")})
	}
	kernels, errs := b.compile(ps)
	host, err := Host(context.Background(), ps)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		if errs[i] == nil {
			b.points = keptPoints(kernels[i])
			errs[i] = b.check(context.Background(), ps[i], kernels[i], host[i])
		}
		if errs[i] != nil {
			t.Errorf("%s: %v", name, errs[i])
		}
	}
}

// keptPoints returns the points at which to interpret a kept program: all, but where it runs
// to find out about the device.
func keptPoints(k *oracle.Kernel) []string {
	if *disabled != "" {
		return nil
	}
	return slices.Sorted(maps.Keys(k.Forms))
}

// shrink returns the smallest program it finds that fails as p does. Where the
// interpreter agrees with gc on the program as it was lowered, that stands for gc.
func (b *bench) shrink(ctx context.Context, p *Program, cause error) string {
	where := failure(cause)
	return Shrink(p.Source, func(src string) bool {
		if !strings.Contains(src, "k.Run(it.GlobalID())") {
			return false
		}
		q := *p
		q.Source = src
		ks, errs := b.compile([]*Program{&q})
		if errs[0] != nil {
			return !errors.Is(errs[0], errRefused) && failure(errs[0]) == where
		}
		var want HostResult
		if strings.HasPrefix(where, "interpreter at built") {
			all, err := Host(ctx, []*Program{&q})
			if err != nil {
				return false
			}
			want = all[0]
		} else {
			a := q.inputs()
			l := oracle.Launch{Global: []int{shape.Items}, Local: []int{4}, Arg: a}
			err := l.Run(ks[0], "built")
			var f *runtime.Fault
			if errors.As(err, &f) {
				at := strings.Split(f.Pos, ":")
				line, _ := strconv.Atoi(at[len(at)-2])
				want.Faults = append(want.Faults, HostFault{ID: f.GlobalID[0], Line: line, Text: f.Kind.Describe(f.A, f.B, f.Unsigned, f.Message)})
			} else if err != nil {
				return false
			}
			want.Args = *a
		}
		err := b.check(ctx, &q, ks[0], want)
		return err != nil && failure(err) == where
	}, *shrinkFor)
}

// failure tells kinds of failures apart.
func failure(err error) string {
	text, rest, _ := strings.Cut(err.Error(), ": ")
	for _, word := range []string{"fault", "no fault", "written out of bounds"} {
		if strings.HasPrefix(rest, word) {
			return text + word
		}
	}
	return text
}
