package smith

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/internal/tests/difftest"
	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/smith/shape"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

var keptGroups = flag.String("kept", "testdata/groups/*.go", "the programs with work-groups that once failed")

// checkedPoint is the pass after which programs are interpreted by turns, with data races and
// divergent barriers found: the one that the checked mode of launches takes, too.
const checkedPoint = "params"

// hostGroups runs programs on the host; those whose code gc refuses have an error.
func hostGroups(ctx context.Context, ps []*Program, ks []*oracle.Kernel) ([][]GroupRun, []error) {
	errs := make([]error, len(ps))
	limited, cancel := context.WithTimeout(ctx, 2*time.Minute) // what is shrunk need not end
	defer cancel()
	all, err := GroupHost(limited, ps, ks)
	if err == nil {
		return all, errs
	}
	if len(ps) == 1 {
		return make([][]GroupRun, 1), []error{fmt.Errorf("host: %w", err)}
	}
	all = make([][]GroupRun, len(ps))
	for i := range ps {
		one, e := hostGroups(ctx, ps[i:i+1], ks[i:i+1])
		all[i], errs[i] = one[0], e[0]
	}
	return all, errs
}

// checkHost compares what the program did on the host, and returns that.
func checkHost(p *Program, runs []GroupRun) (want GroupRun, err error) {
	want = runs[0]
	args, err := want.Args(p)
	if err != nil {
		return want, err
	}
	for _, r := range runs[1:] {
		where := fmt.Sprintf("coroutines with sub-groups of %d", r.Size)
		if r.Form {
			where = fmt.Sprintf("host form with sub-groups of %d", r.Size)
		}
		switch {
		case r.Err != "":
			err = errors.New(r.Err)
		case r.Form && len(r.Faults) > 0:
			err = p.compareFault(&r.Faults[0], want.Faults)
		case r.Form:
			err = p.compareFault(nil, want.Faults)
		case !slices.Equal(r.Faults, want.Faults):
			err = fmt.Errorf("other faults")
		}
		if err != nil {
			return want, fmt.Errorf("%s: %w", where, err)
		}
		got, err := r.Args(p)
		if err != nil {
			return want, err
		}
		if d := difftest.Diff(got, args, false); d != "" {
			return want, fmt.Errorf("%s: %s", where, d)
		}
	}
	return want, nil
}

// compareFault is compareFault, and sees to it that no fault of a work-group is
// reported before which another one had come, on the near side of a barrier that
// stands in no branch or loop.
func (p *Program) compareFault(f *HostFault, want []HostFault) error {
	if err := compareFault(f, want); err != nil || f == nil {
		return err
	}
	outer := 0
	for _, w := range want {
		if w.ID == f.ID {
			outer = w.Outer
		}
	}
	for _, b := range p.barriers() {
		for _, w := range want {
			if w.Outer < b && b < outer && p.groupOf(w.ID) == p.groupOf(f.ID) {
				return fmt.Errorf("fault %+v, but before it came %+v", *f, w)
			}
		}
	}
	return nil
}

var atTop = regexp.MustCompile(`^\t(it\.Barrier\(\)|it\.Group\(\)\.Barrier\(\)|var u\d+ \w+ = dsl\.ReduceOverGroup\(it\.Group\(\))`)

// barriers returns the lines of barriers that all work-items reach.
func (p *Program) barriers() []int {
	var out []int
	in := false
	for i, line := range strings.Split(p.Source, "\n") {
		in = in && line != "}" || strings.HasPrefix(line, "func (k "+p.Prefix+"K) Kernel(")
		if in && atTop.MatchString(line) {
			out = append(out, i+1)
		}
	}
	return out
}

// groupOf returns the linear id of a work-item's group.
func (p *Program) groupOf(id int) int {
	at := make([]int, len(p.Global))
	for d := len(p.Global) - 1; d >= 0; d-- {
		at[d] = id % p.Global[d]
		id /= p.Global[d]
	}
	g := 0
	for d, n := range p.Global {
		g = g*(n/p.Local[d]) + at[d]/p.Local[d]
	}
	return g
}

// checkGroup runs a compiled program in the interpreter and on the device.
func (b *bench) checkGroup(ctx context.Context, p *Program, k *oracle.Kernel, want GroupRun) error {
	now := time.Now()
	args, err := want.Args(p)
	if err != nil {
		return err
	}
	compare := func(where string, got shape.GroupArgs, err error) error {
		f, err := faultOf(err, p.Global)
		if err == nil {
			err = p.compareFault(f, want.Faults)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		if d := difftest.Diff(got, args, false); d != "" {
			return fmt.Errorf("%s: %s", where, d)
		}
		return nil
	}
	local := p.Local
	if local == nil {
		local = []int{1, 1, 4}[3-len(p.Global):]
	}
	for i, point := range b.points {
		if k.Lacks(point) {
			continue
		}
		a := shape.GroupInputs(p.Seed, p.Items())
		l := oracle.Launch{Global: p.Global, Local: local, Arg: &a, MaxSteps: 1 << 40, SubGroupSize: []int{4, 8, 16, 32}[(p.Seed+uint64(i))%4]}
		where := "interpreter at " + point
		var finding error
		if point == checkedPoint {
			where = "checks"
			l.Checks = &interp.Checks{Seed: p.Seed, Found: func(f interp.Finding) {
				if f.Kind != interp.Unwritten { // it is zero
					finding = errors.New(f.Message)
				}
			}}
		}
		err := l.Run(k, point)
		if finding != nil {
			return fmt.Errorf("%s: finding: %w", where, finding)
		}
		if err := compare(where, a, err); err != nil {
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
		a, err := b.launchGroup(ctx, p, k, m)
		if err := compare(b.dev.Name()+m.name, *a, err); err != nil {
			return err
		}
	}
	return nil
}

// launchGroup runs a program on the device, between redzones.
func (b *bench) launchGroup(ctx context.Context, p *Program, k *oracle.Kernel, m module) (*shape.GroupArgs, error) {
	args := shape.GroupInputs(p.Seed, p.Items())
	a := &args
	desc := *k.ABI
	desc.SPIRV, desc.Variants = m.spirv, nil
	in, err1 := zone(b.dev, a.In, 0xabadcafe)
	out, err2 := zone(b.dev, a.Out, 0xabadcafe)
	bytes, err3 := zone(b.dev, a.Bytes, 0x5a)
	reals, err4 := zone(b.dev, a.Reals, 777)
	recs, err5 := zone(b.dev, a.Recs, shape.Rec{C: 777})
	share, err6 := zone(b.dev, a.Share, 0xabadcafe)
	counts, err7 := zone(b.dev, a.Counts, 0xcafe)
	longs, err8 := zone(b.dev, a.Longs, 0xcafe)
	if err := errors.Join(err1, err2, err3, err4, err5, err6, err7, err8); err != nil {
		return a, err
	}
	l := kernelimpl.NewLaunch(kernelimpl.Register(&desc, nil))
	err := bind(desc.Params, map[string]func(i int){
		"N":      func(i int) { kernelimpl.Value(l, i, a.N) },
		"Small":  func(i int) { kernelimpl.Value(l, i, a.Small) },
		"In":     func(i int) { kernelimpl.View(l, i, in.view()) },
		"Out":    func(i int) { kernelimpl.View(l, i, out.view()) },
		"Bytes":  func(i int) { kernelimpl.View(l, i, bytes.view()) },
		"Reals":  func(i int) { kernelimpl.View(l, i, reals.view()) },
		"Recs":   func(i int) { kernelimpl.View(l, i, recs.view()) },
		"Share":  func(i int) { kernelimpl.View(l, i, share.view()) },
		"Counts": func(i int) { kernelimpl.View(l, i, counts.view()) },
		"Longs":  func(i int) { kernelimpl.View(l, i, longs.view()) },
	})
	if err != nil {
		return a, err
	}

	q := b.dev.DefaultQueue()
	var ev runtime.Event
	rank := len(p.Global)
	if p.Local == nil {
		rank += 3
	}
	switch g, n := p.Global, p.Local; rank {
	case 4:
		ev, err = l.ParallelFor1(q, runtime.Range1(g[0]), nil)
	case 5:
		ev, err = l.ParallelFor2(q, runtime.Range2(g), nil)
	case 6:
		ev, err = l.ParallelFor3(q, runtime.Range3(g), nil)
	case 1:
		ev, err = l.ParallelForND1(q, runtime.NDRange1{Global: runtime.Range1(g[0]), Local: runtime.Range1(n[0])}, nil)
	case 2:
		ev, err = l.ParallelForND2(q, runtime.NDRange2{Global: runtime.Range2(g), Local: runtime.Range2(n)}, nil)
	case 3:
		ev, err = l.ParallelForND3(q, runtime.NDRange3{Global: runtime.Range3(g), Local: runtime.Range3(n)}, nil)
	}
	if err == nil {
		err = ev.Wait(ctx)
	}
	// The device is usable whatever happened.
	back := errors.Join(in.back(ctx, q, a.In, "In"), out.back(ctx, q, a.Out, "Out"), bytes.back(ctx, q, a.Bytes, "Bytes"),
		reals.back(ctx, q, a.Reals, "Reals"), recs.back(ctx, q, a.Recs, "Recs"), share.back(ctx, q, a.Share, "Share"),
		counts.back(ctx, q, a.Counts, "Counts"), longs.back(ctx, q, a.Longs, "Longs"))
	if back != nil {
		return a, back
	}
	return a, err
}

func newGroupBench(t testing.TB) *bench {
	b := newBench(t)
	b.points = append(b.points, checkedPoint)
	return b
}

// TestGroups runs random programs with work-groups as gc compiles them, in their
// host forms, in the interpreter and on the Vulkan device. Of these, drivers take
// longest over large ones.
func TestGroups(t *testing.T) { testGroups(t, NewGroup) }

// TestWalks is TestGroups of programs that walk over slices. Of their host forms a third has
// work-items go through loops together: what these compute is compared with gc's code, as all is.
// Devices run the programs of TestGroups, some of which walk, too.
func TestWalks(t *testing.T) {
	sample.Deep(t, "TestRows has loops that work-items go through together")
	defer func(old bool) { *onDevice = old }(*onDevice)
	*onDevice = false
	if done, together := testGroups(t, NewWalks); 8*together < done {
		t.Errorf("%d of %d programs have loops that work-items go through together", together, done)
	}
}

// TestRows is TestGroups of programs over ranges, whose loops go along the rows and columns of
// matrices. Of their host forms, a third or so has work-items of a row go through loops together.
func TestRows(t *testing.T) {
	if done, together := testGroups(t, NewRows); 8*together < done {
		t.Errorf("%d of %d programs have loops that work-items go through together", together, done)
	}
}

func testGroups(t *testing.T, random func(seed uint64, prefix string, n int) *Program) (done, together int) {
	t.Helper()
	b := newGroupBench(t)
	ctx := context.Background()
	seed := *first
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	begin, faulted, refused, failed, noForm := time.Now(), 0, 0, 0, map[string]int{}
	var took [2]time.Duration
	for done < count() && time.Since(begin) < *budget && failed < 20 {
		var ps []*Program
		for range min(batch, count()-done, max(atLeast, int(2**budget/time.Second))) {
			ps = append(ps, random(seed, fmt.Sprintf("P%d", len(ps)), max(1, *upTo-3)))
			seed++
		}
		done += len(ps)
		if done > len(ps) { // drivers keep the code of every pipeline that was made
			b.close(t)
			b.open(t)
		}
		now := time.Now()
		kernels, errs := b.compile(ps)
		took[0] += time.Since(now)
		now = time.Now()
		host, hostErrs := hostGroups(ctx, ps, kernels)
		took[1] += time.Since(now)
		for i, p := range ps {
			if time.Since(begin) > *budget && done-len(ps)+i >= atLeast {
				done -= len(ps) - i
				seed -= uint64(len(ps) - i)
				break
			}
			if errors.Is(errs[i], errRefused) {
				refused++
				t.Logf("seed %d: %v", p.Seed, errs[i])
				if *keep != "" {
					_ = os.WriteFile(filepath.Join(*keep, fmt.Sprintf("refused%d.go", p.Seed)), []byte(p.Source), 0o666)
				}
				continue
			}
			if k := kernels[i]; k != nil && k.Host == nil {
				noForm[fmt.Sprint(k.NoHost)]++
			} else if k != nil && bytes.Contains(k.Host.Code(), []byte("go through the loop together")) {
				together++
			}
			err := errors.Join(errs[i], hostErrs[i])
			if err == nil {
				var want GroupRun
				if want, err = checkHost(p, host[i]); err == nil {
					err = b.checkGroup(ctx, p, kernels[i], want)
				}
				if len(want.Faults) > 0 {
					faulted++
				}
			}
			if err == nil {
				continue
			}
			failed++
			if *keep != "" {
				_ = os.WriteFile(filepath.Join(*keep, fmt.Sprintf("group%d.go", p.Seed)), p.kept(p.Source), 0o666)
			}
			small := b.shrinkGroup(ctx, p, err)
			t.Errorf("seed %d: %v\n%s", p.Seed, err, small)
			if *keep != "" {
				_ = os.WriteFile(filepath.Join(*keep, fmt.Sprintf("group%d_small.go", p.Seed)), p.kept(small), 0o666)
			}
		}
	}
	t.Logf("%d programs (%d with faults) in %v, up to seed %d; refused: %d; without host forms: %v; with loops that work-items go through together: %d",
		done, faulted, time.Since(begin).Round(time.Second), seed-1, refused, noForm, together)
	t.Logf("kgen %v, gc %v, interpreter %v, device %v", took[0], took[1], b.took[0], b.took[1])
	return done, together
}

// shrinkGroup returns the smallest program it finds that fails as p does, and has no
// data races.
func (b *bench) shrinkGroup(ctx context.Context, p *Program, cause error) string {
	where := failure(cause)
	return Shrink(p.Source, func(src string) bool {
		if !strings.Contains(src, "Kernel(it dsl.") {
			return false
		}
		ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		q := *p
		q.Source = src
		ks, errs := b.compile([]*Program{&q})
		if errs[0] != nil {
			return !errors.Is(errs[0], errRefused) && failure(errs[0]) == where
		}
		// What the interpreter makes of the program as it was lowered stands for gc,
		// where that is not what fails.
		var want GroupRun
		if strings.HasPrefix(where, "host") || strings.HasPrefix(where, "coroutines") || strings.HasPrefix(where, "checks") ||
			strings.HasPrefix(where, "interpreter at built") {
			if !strings.HasPrefix(where, "checks") {
				races := b.runChecked(&q, ks[0])
				if races != nil {
					return false
				}
			}
			runs, errs := hostGroups(ctx, []*Program{&q}, ks)
			if errs[0] != nil {
				return failure(errs[0]) == where && !strings.Contains(errs[0].Error(), "kernels/p")
			}
			var err error
			if want, err = checkHost(&q, runs[0]); err != nil {
				return failure(err) == where
			}
		} else {
			a := shape.GroupInputs(q.Seed, q.Items())
			l := oracle.Launch{Global: q.Global, Local: q.Local, Arg: &a, MaxSteps: 1 << 30}
			f, err := faultOf(l.Run(ks[0], "built"), q.Global)
			if err != nil || b.runChecked(&q, ks[0]) != nil {
				return false
			}
			if f != nil {
				want.Faults = append(want.Faults, *f)
			}
			want.Memory = a.Pack()
		}
		err := b.checkGroup(ctx, &q, ks[0], want)
		return err != nil && failure(err) == where
	}, *shrinkFor)
}

// runChecked returns what the interpreter finds wrong with a program.
func (b *bench) runChecked(p *Program, k *oracle.Kernel) error {
	a := shape.GroupInputs(p.Seed, p.Items())
	var finding error
	l := oracle.Launch{Global: p.Global, Local: p.Local, Arg: &a, MaxSteps: 1 << 30}
	l.Checks = &interp.Checks{Seed: p.Seed, Found: func(f interp.Finding) {
		if f.Kind != interp.Unwritten {
			finding = f
		}
	}}
	var f *runtime.Fault
	if err := l.Run(k, checkedPoint); err != nil && !errors.As(err, &f) {
		return err
	}
	return finding
}

// kept returns a source with what else there is to know of the program.
func (p *Program) kept(source string) []byte {
	return fmt.Appendf(nil, "// seed %d, global %v, local %v\n\n%s", p.Seed, p.Global, p.Local, source)
}

// keptGroup is the first line of a kept program: its seed and ranges.
var keptGroup = regexp.MustCompile(`^// seed (\d+), global (\[.*\]), local (\[.*\])\n`)

// TestKeptGroups runs the programs that once failed, or what they shrank to.
func TestKeptGroups(t *testing.T) {
	b := newGroupBench(t)
	b.points = []string{"all"}
	names, err := filepath.Glob(*keptGroups)
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !sample.Has(name, 9) })
	var ps []*Program
	for i, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m := keptGroup.FindStringSubmatch(string(src))
		if m == nil {
			t.Fatalf("%s does not say its seed and ranges", name)
		}
		prefix := fmt.Sprintf("Q%d", i)
		p := &Program{Prefix: prefix, Source: regexp.MustCompile(`\bP\d+([KSTf])`).ReplaceAllString(string(src), prefix+"$1"), Global: ranges(m[2]), Local: ranges(m[3])}
		fmt.Sscan(m[1], &p.Seed)
		ps = append(ps, p)
	}
	kernels, errs := b.compile(ps)
	host, hostErrs := hostGroups(context.Background(), ps, kernels)
	for i, name := range names {
		err := errors.Join(errs[i], hostErrs[i])
		if err == nil {
			b.points = keptPoints(kernels[i])
			var want GroupRun
			if want, err = checkHost(ps[i], host[i]); err == nil {
				err = b.checkGroup(context.Background(), ps[i], kernels[i], want)
			}
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func ranges(text string) []int {
	var out []int
	for _, f := range strings.Fields(strings.Trim(text, "[]")) {
		n := 0
		fmt.Sscan(f, &n)
		out = append(out, n)
	}
	return out
}
