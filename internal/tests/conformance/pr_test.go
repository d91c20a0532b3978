//go:build linux

package conformance

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/internal/modules"
	"github.com/kgen-go/kgen/internal/tests/conformance/prints"
	"github.com/kgen-go/kgen/internal/tests/conformance/prints/printsgen"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/oracle"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// printed returns what the process writes to its standard streams while f runs.
func printed(t *testing.T, f func()) (stdout, stderr string) {
	t.Helper()
	var text [2]string
	end := [2]func(){}
	for i, fd := range []int{1, 2} {
		saved := must(syscall.Dup(fd))(t)
		r, w, err := os.Pipe()
		check(t, err)
		check(t, syscall.Dup3(int(w.Fd()), fd, 0))
		// Under go test -json package testing has made os.Stderr os.Stdout.
		file := []**os.File{&os.Stdout, &os.Stderr}[i]
		old := *file
		*file = w
		done := make(chan bool)
		go func() {
			all, _ := io.ReadAll(r)
			text[i] = string(all)
			done <- true
		}()
		end[i] = func() {
			check(t, syscall.Dup3(saved, fd, 0))
			check(t, syscall.Close(saved))
			*file = old
			check(t, w.Close())
			<-done
			check(t, r.Close())
		}
	}
	defer func() { stdout, stderr = text[0], text[1] }()
	defer end[0]()
	defer end[1]()
	f()
	return
}

// byGo returns what gc's own code of kernels prints.
func byGo(t *testing.T, f func(dev *runtime.Device)) (stdout, stderr string) {
	t.Helper()
	t.Setenv(string(env.HostForm), "off")
	dev := devtest.Host(t)
	return printed(t, func() { f(dev) })
}

// inBuffers runs f in all ways in which kernels print to buffers: on the host device those that
// have a form, or in checked mode.
func inBuffers(t *testing.T, form bool, f func(t *testing.T, dev *runtime.Device)) {
	inAllWays(t, func(t *testing.T, dev *runtime.Device) {
		if dev.Info().Backend == "host" && (!form || env.Get(env.HostForm) != "on") && !strings.HasSuffix(t.Name(), "checked") {
			t.Skip("gc's own code prints directly")
		}
		f(t, dev)
	})
}

// toBuffer returns what a launch prints, and what its wait returns.
func toBuffer(launch func(opts ...runtime.LaunchOption) error, opts ...runtime.LaunchOption) (string, error) {
	var b bytes.Buffer
	err := launch(append(opts, runtime.PrintTo(&b))...)
	return b.String(), err
}

// linesOf returns the lines of each work-item, whose global id they begin with.
func linesOf(text string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(text) {
		id := regexp.MustCompile(`^[0-9]+`).FindString(line)
		out[id] = append(out[id], line)
	}
	return out
}

// wantLines compares what each work-item has printed.
func wantLines(t *testing.T, got, want string) {
	t.Helper()
	g, w := linesOf(got), linesOf(want)
	if len(g) != len(w) {
		t.Errorf("%d work-items have printed, want %d", len(g), len(w))
	}
	for id, lines := range w {
		if !slices.Equal(g[id], lines) {
			t.Errorf("work-item %s has printed %q, want %q", id, g[id], lines)
		}
	}
}

// What package fmt's functions print in kernels is what gc's code prints, to the byte.
func TestPR1_Fmt(t *testing.T) {
	for _, k := range []prints.All{
		{N: 5, F: 1.25, U: 1 << 63, Text: []byte("héllo")},
		{N: -3, F: -1e30, B: true, Text: []byte("a\x00\xff%d")},
		{N: 1 << 40, F: 3, U: 7, Text: []byte("longer than four words of text")},
	} {
		want, _ := byGo(t, func(dev *runtime.Device) { check(t, printsgen.RunAll(ctx, dev, k)) })
		if n := strings.Count(want, "\n"); n < 20 {
			t.Fatalf("gc's code has printed %d lines", n)
		}
		inBuffers(t, false, func(t *testing.T, dev *runtime.Device) {
			got, err := toBuffer(func(opts ...runtime.LaunchOption) error { return printsgen.RunAll(ctx, dev, k, opts...) })
			check(t, err)
			wantText(t, got, want)
		})
	}
}

// wantText compares line by line.
func wantText(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Errorf("line %d is %q, want %q", i, g[i], w[i])
		}
	}
	if len(g) != len(w) {
		t.Errorf("%d lines, want %d:\n%s", len(g), len(w), got)
	}
}

// println and print print what gc's runtime does, and doubles are printed as Go does.
func TestPR2_Predeclared(t *testing.T) {
	k := prints.Predeclared{N: -7, F: 2.5e-7, B: true, T: []byte("bytes")}
	d := prints.Doubles{D: 1234567.875}
	_, want := byGo(t, func(dev *runtime.Device) { check(t, printsgen.RunPredeclared(ctx, dev, k)) })
	out, errs := byGo(t, func(dev *runtime.Device) { check(t, printsgen.RunDoubles(ctx, dev, d)) })
	if strings.Count(want, "\n") != 5 || out == "" || errs == "" {
		t.Fatalf("gc's code has printed %q, %q, %q", want, out, errs)
	}
	inBuffers(t, false, func(t *testing.T, dev *runtime.Device) {
		got, err := toBuffer(func(opts ...runtime.LaunchOption) error { return printsgen.RunPredeclared(ctx, dev, k, opts...) })
		check(t, err)
		wantText(t, got, want)
		run := func(opts ...runtime.LaunchOption) error { return printsgen.RunDoubles(ctx, dev, d, opts...) }
		if lacks(t, dev, func() error { return run() }) {
			return
		}
		got, err = toBuffer(run)
		check(t, err)
		wantText(t, got, out+errs)
	})
}

// Without PrintTo, fmt's functions print to os.Stdout and the predeclared ones to os.Stderr.
func TestPR3_Streams(t *testing.T) {
	inBuffers(t, false, func(t *testing.T, dev *runtime.Device) {
		out, errs := printed(t, func() {
			check(t, printsgen.RunItems(ctx, dev, prints.Items{Rounds: []int32{1}}, 1))
			check(t, printsgen.RunPredeclared(ctx, dev, prints.Predeclared{T: []byte("x")}))
		})
		if want := "0: begin\n0 round 0 of 1\n0: end\n0: deferred\n"; out != want {
			t.Errorf("os.Stdout got %q, want %q", out, want)
		}
		if !strings.HasPrefix(errs, "println 0 ") || !strings.HasSuffix(errs, "and true \n\n") && !strings.HasSuffix(errs, "andtrue\n\n") {
			t.Errorf("os.Stderr got %q", errs)
		}
	})
}

// Each work-item's text is in the order of its calls: in loops, functions, closures and deferred
// calls, between barriers, in two dimensions.
func TestPR4_Order(t *testing.T) {
	rounds := make([]int32, 700)
	for i := range rounds {
		rounds[i] = int32(i % 5)
	}
	run := []func(dev *runtime.Device, opts ...runtime.LaunchOption) error{
		func(dev *runtime.Device, opts ...runtime.LaunchOption) error {
			return printsgen.RunItems(ctx, dev, prints.Items{Rounds: rounds}, 700, opts...)
		},
		func(dev *runtime.Device, opts ...runtime.LaunchOption) error {
			return printsgen.RunGroups(ctx, dev, prints.Groups{Out: make([]int32, 96)}, runtime.NDRange1{Global: 96, Local: 32}, opts...)
		},
		func(dev *runtime.Device, opts ...runtime.LaunchOption) error {
			return printsgen.RunGrid(ctx, dev, prints.Grid{Out: make([]int32, 12*9)}, runtime.Range2{12, 9}, opts...)
		},
	}
	for i, f := range run {
		want, _ := byGo(t, func(dev *runtime.Device) { check(t, f(dev)) })
		if len(linesOf(want)) < 12 {
			t.Fatalf("gc's code %d has printed %q", i, want)
		}
		inBuffers(t, i > 0, func(t *testing.T, dev *runtime.Device) {
			got, err := toBuffer(func(opts ...runtime.LaunchOption) error { return f(dev, opts...) })
			check(t, err)
			if i < 2 {
				wantLines(t, got, want)
				return
			}
			g, w := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
			slices.Sort(g)
			slices.Sort(w)
			if !slices.Equal(g, w) {
				t.Errorf("got %q, want %q", g, w)
			}
		})
	}
}

// PrintItems says which work-item has printed a line.
func TestPR5_Items(t *testing.T) {
	inBuffers(t, true, func(t *testing.T, dev *runtime.Device) {
		got, err := toBuffer(func(opts ...runtime.LaunchOption) error {
			return printsgen.RunGrid(ctx, dev, prints.Grid{Out: make([]int32, 60)}, runtime.Range2{12, 5}, opts...)
		}, runtime.PrintItems())
		check(t, err)
		seen := map[string]bool{}
		for line := range strings.Lines(got) {
			m := regexp.MustCompile(`^prints\.Grid\[(\d+ \d+)\]: (\d+ \d+)\n$`).FindStringSubmatch(line)
			if m == nil || m[1] != m[2] {
				t.Errorf("the line %q", line)
				continue
			}
			seen[m[1]] = true
		}
		if len(seen) != 60 {
			t.Errorf("%d work-items are named, want 60", len(seen))
		}
		if dev.Info().Backend == "host" {
			return // the next one has no host form
		}
		got, err = toBuffer(func(opts ...runtime.LaunchOption) error {
			return printsgen.RunPredeclared(ctx, dev, prints.Predeclared{T: []byte("x")}, opts...)
		}, runtime.PrintItems())
		check(t, err)
		if strings.Count(got, "prints.Predeclared: ") != strings.Count(got, "\n") {
			t.Errorf("got %q", got)
		}
	})
}

// A buffer that is full leaves calls out, counts them and says so; what is printed is whole, and
// the first of each work-item's calls come first.
func TestPR6_Full(t *testing.T) {
	const items, lines = 512, 40
	inBuffers(t, true, func(t *testing.T, dev *runtime.Device) {
		for _, size := range []int{32, 64, 1000, 100_000} {
			got, err := toBuffer(func(opts ...runtime.LaunchOption) error {
				return printsgen.RunMany(ctx, dev, prints.Many{Lines: lines}, items, opts...)
			}, runtime.PrintBuffer(size))
			check(t, err)
			m := regexp.MustCompile(`(?s)^(.*)kgen: (\d+) calls in prints\.Many printed nothing, since the print buffer of (\d+) bytes is full; runtime\.PrintBuffer sets its size\n$`).FindStringSubmatch(got)
			if m == nil {
				t.Fatalf("a buffer of %d bytes, whose text is %q", size, got)
			}
			lost := must(strconv.Atoi(m[2]))(t)
			next, n := map[int]int{}, 0
			for line := range strings.Lines(m[1]) {
				var item, at int
				if _, err := fmt.Sscanf(line, "item %d line %d\n", &item, &at); err != nil || at < next[item] {
					t.Fatalf("the line %q behind line %d of the item: %v", line, next[item]-1, err)
				}
				next[item] = at + 1
				n++
			}
			const record = 4 * (4 + 2 + 2)
			if fit := (size - 16) / record; n > fit || n < fit-fit/10-1 {
				t.Errorf("a buffer of %d bytes has room for %d lines, and %d were printed", size, fit, n)
			}
			if n+lost != items*lines {
				t.Errorf("%d lines were printed and %d counted, of %d", n, lost, items*lines)
			}
		}
	})
}

// What was printed before a fault is written, and the fault is returned.
func TestPR7_Fault(t *testing.T) {
	inBuffers(t, true, func(t *testing.T, dev *runtime.Device) {
		const n, bad = 64, 37
		got, err := toBuffer(func(opts ...runtime.LaunchOption) error {
			return printsgen.RunFaults(ctx, dev, prints.Faults{Out: make([]int32, n), Bad: bad}, runtime.NDRange1{Global: n, Local: 16}, opts...)
		})
		if f := (*runtime.Fault)(nil); !errors.As(err, &f) || f.GlobalID[0] != bad {
			t.Fatalf("the error %v", err)
		}
		if lines := linesOf(got)["37"]; !slices.Equal(lines, []string{"37 before\n"}) {
			t.Errorf("the work-item has printed %q", lines)
		}
		if lines := linesOf(got)["3"]; !slices.Equal(lines, []string{"3 before\n", "3 after\n", "3 end\n"}) {
			t.Errorf("work-item 3 has printed %q", lines)
		}
	})
}

// What was printed before the launch was cancelled is written.
func TestPR8_Cancelled(t *testing.T) {
	inBuffers(t, false, func(t *testing.T, dev *runtime.Device) {
		out := on(t, dev, make([]int32, 2))
		c, cancel := context.WithCancel(ctx)
		var b bytes.Buffer
		ev, err := printsgen.Spins{Out: out}.SingleTask(dev.DefaultQueue(), runtime.WithContext(c), runtime.PrintTo(&b))
		check(t, err)
		dev.DefaultQueue().Flush()
		cancel()
		err = ev.Wait(ctx)
		if err != nil && !errors.Is(err, runtime.ErrCanceled) && !errors.Is(err, runtime.ErrFeatureNotSupported) {
			t.Errorf("the error %v", err)
		}
		if got := b.String(); got != "begun\n" && got != "" { // it may not have begun
			t.Errorf("got %q", got)
		}
	})
}

// failing is a writer that fails.
type failing struct{ with func() (int, error) }

func (f failing) Write([]byte) (int, error) { return f.with() }

// A writer that fails, or panics, or waits for the device, is an error of the launch, which has
// run; the device goes on.
func TestPR9_Writer(t *testing.T) {
	inBuffers(t, true, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		disk := errors.New("disk full")
		for name, f := range map[string]func() (int, error){
			"fails":  func() (int, error) { return 0, disk },
			"panics": func() (int, error) { panic("disk full") },
			"short":  func() (int, error) { return 1, nil },
			"waits":  func() (int, error) { return 0, q.Wait(ctx) },
		} {
			out := on(t, dev, make([]int32, 4))
			ev, err := printsgen.Adds{Out: out, N: 3}.ParallelFor(q, 4, runtime.PrintTo(failing{f}))
			check(t, err)
			err = ev.Wait(ctx)
			wantErr(t, err, runtime.ErrPrint)
			if name == "fails" {
				wantErr(t, err, disk)
			} else if name == "waits" {
				wantErr(t, err, runtime.ErrInvalid)
			}
			if !ev.Done() {
				t.Errorf("%s: the event is not done", name)
			}
			wantAll(t, dev, out, []int32{3, 3, 3, 3})
			// The queue's own wait reports what nobody has waited for.
			_, err = printsgen.Adds{Out: out, N: 1}.ParallelFor(q, 4, runtime.PrintTo(failing{f}))
			check(t, err)
			wantErr(t, q.Wait(ctx), runtime.ErrPrint)
		}
		var b bytes.Buffer
		ev, err := printsgen.Adds{Out: on(t, dev, make([]int32, 4)), N: 5}.ParallelFor(q, 4, runtime.PrintTo(&b))
		check(t, finished(ev, err))
		if got := b.String(); got != "added 5 to 5\n" {
			t.Errorf("got %q", got)
		}
		_, err = printsgen.Adds{}.ParallelFor(q, 4, runtime.PrintTo(nil))
		wantErr(t, err, runtime.ErrInvalid)
		_, err = printsgen.Adds{}.ParallelFor(q, 4, runtime.PrintBuffer(8))
		wantErr(t, err, runtime.ErrInvalid)
	})
}

// A writer that does not return holds the device's later commands back, and nothing else: waits
// end with their contexts.
func TestPR13_Slow(t *testing.T) {
	inBuffers(t, true, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		begun, goOn := make(chan bool), make(chan bool)
		slow := failing{func() (int, error) {
			close(begun)
			<-goOn
			return 0, errors.New("late")
		}}
		out := on(t, dev, make([]int32, 4))
		ev, err := printsgen.Adds{Out: out, N: 3}.ParallelFor(q, 4, runtime.PrintTo(slow))
		check(t, err)
		q.Flush()
		<-begun
		short, cancel := context.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		wantErr(t, ev.Wait(short), runtime.ErrDeadline)
		if ev.Done() {
			t.Error("the event is done before the output is written")
		}
		later := on(t, dev, make([]int32, 4))
		_, err = q.Enqueue(runtime.Fill(later, 7))
		check(t, err)
		close(goOn)
		wantErr(t, ev.Wait(ctx), runtime.ErrPrint)
		check(t, q.Wait(ctx))
		wantAll(t, dev, later, []int32{7, 7, 7, 7})
	})
}

// The nodes of a graph print in its order, each time that it runs, and are not fused.
func TestPR10_Graph(t *testing.T) {
	inBuffers(t, true, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		out := on(t, dev, make([]int32, 4))
		var b bytes.Buffer
		g := runtime.NewGraph(dev)
		for i := range 3 {
			must(g.Add(printsgen.Adds{Out: out, N: int32(i + 1)}.Node(4, runtime.PrintTo(&b))))(t)
		}
		ex := must(g.Finalize(enable))(t)
		if text := ex.Report().String(); dev.Has(properties.GraphFusion) && !strings.Contains(text, "it prints") {
			t.Errorf("the report is %s", text)
		}
		want := "added 1 to 1\nadded 2 to 3\nadded 3 to 6\n"
		for round := range 3 {
			opts := []runtime.LaunchOption{}
			if round == 2 {
				c, cancel := context.WithCancel(ctx)
				defer cancel()
				opts = append(opts, runtime.WithContext(c))
				want += "added 1 to 13\nadded 2 to 15\nadded 3 to 18\n"
			} else if round == 1 {
				want += "added 1 to 7\nadded 2 to 9\nadded 3 to 12\n"
			}
			check(t, finished(q.Submit(ex, opts...)))
		}
		wantText(t, b.String(), want)
		wantAll(t, dev, out, []int32{18, 18, 18, 18})
		_, err := q.Submit(ex, runtime.PrintTo(&b))
		wantErr(t, err, runtime.ErrInvalid)
	})
}

// A queue may be many printing launches ahead of the device: their texts come in its order.
func TestPR15_Many(t *testing.T) {
	inBuffers(t, true, func(t *testing.T, dev *runtime.Device) {
		q, out := dev.DefaultQueue(), on(t, dev, make([]int32, 1))
		var b bytes.Buffer
		want := ""
		for i := range 150 {
			must(printsgen.Adds{Out: out, N: 1}.ParallelFor(q, 1, runtime.PrintTo(&b)))(t)
			want += fmt.Sprintf("added 1 to %d\n", i+1)
		}
		check(t, q.Wait(ctx))
		wantText(t, b.String(), want)
	})
}

// Kernels print that have arguments behind an address, some that they do not read, and constant
// data.
func TestPR16_Arguments(t *testing.T) {
	const n = 40
	s := func(f int32) (out []int32) {
		for i := range int32(n) {
			out = append(out, f*i)
		}
		return
	}
	k := prints.Wide{A: s(1), B: s(2), C: s(3), D: s(4), Unused: s(5), E: s(6), F: s(7), G: s(8), N: -3}
	if a := kernel(t, printsgen.Kernels(), "Wide").ABI(); !a.Spilled || a.Data == "" || a.Params[4].Offset >= 0 || a.PrintParam() != 10 {
		t.Errorf("the kernel has parameters %+v", a.Params)
	}
	run := func(dev *runtime.Device, opts ...runtime.LaunchOption) error {
		k.Out = make([]int32, n)
		return printsgen.RunWide(ctx, dev, k, n, opts...)
	}
	want, _ := byGo(t, func(dev *runtime.Device) { check(t, run(dev)) })
	inBuffers(t, false, func(t *testing.T, dev *runtime.Device) {
		got, err := toBuffer(func(opts ...runtime.LaunchOption) error { return run(dev, opts...) })
		check(t, err)
		wantLines(t, got, want)
	})
}

// The interpreter has the same records at several points of the passes.
func TestPR17_Interpreter(t *testing.T) {
	if swiftshader.On() {
		return
	}
	kernels := must(oracle.Corpus(t.Context(), []string{"./prints"}, oracle.Points))(t)
	for name, l := range map[string]oracle.Launch{
		"All":         {Arg: &prints.All{N: 5, F: 1.25, Text: []byte("bytes of a text")}},
		"Predeclared": {Arg: &prints.Predeclared{N: 5, F: 1.25, T: []byte("bytes of a text")}},
		"Many":        {Global: []int{3}, Arg: &prints.Many{Lines: 4}},
		"Faults":      {Global: []int{8}, Local: []int{4}, Arg: &prints.Faults{Out: make([]int32, 8), Bad: 2}},
	} {
		var want []uint32
		for _, point := range oracle.Points {
			l.SubGroupSize, l.MaxSteps = 4, 1<<20
			err := l.Run(kernels[modules.Module+"/internal/tests/conformance/prints."+name], point)
			if f := (*runtime.Fault)(nil); errors.As(err, &f) != (name == "Faults") {
				t.Errorf("%s after %s: %v", name, point, err)
			}
			var got []uint32
			for b := range slices.Chunk(l.Prints, 4) {
				got = append(got, binary.LittleEndian.Uint32(b))
			}
			slices.Sort(got) // work-items take turns as the code has it
			if want == nil {
				want = got
			}
			if l.Prints[0] == 0 && l.Prints[1] == 0 || !slices.Equal(got, want) {
				t.Errorf("%s after %s has other records than after %s", name, point, oracle.Points[0])
			}
		}
	}
}

// Where a node of a graph faults, what it and the others have printed is written all the same.
func TestPR14_GraphFault(t *testing.T) {
	inBuffers(t, true, func(t *testing.T, dev *runtime.Device) {
		var b bytes.Buffer
		x, y := on(t, dev, make([]int32, 16)), on(t, dev, make([]int32, 16))
		g := runtime.NewGraph(dev)
		faults := printsgen.Faults{Out: x, Bad: 5}.Node(runtime.NDRange1{Global: 16, Local: 16}, runtime.PrintTo(&b))
		first := must(g.Add(faults))(t)
		must(g.Add(printsgen.Adds{Out: y, N: 2}.Node(16, runtime.PrintTo(&b)), runtime.After(first)))(t)
		ex := must(g.Finalize())(t)
		err := finished(dev.DefaultQueue().Submit(ex))
		if f := (*runtime.Fault)(nil); !errors.As(err, &f) || f.GlobalID[0] != 5 {
			t.Errorf("the error %v", err)
		}
		before, after, _ := strings.Cut(b.String(), "added 2 to 2\n")
		if after != "" || !slices.Equal(linesOf(before)["5"], []string{"5 before\n"}) {
			t.Errorf("printed %q", b.String())
		}
	})
}

// A kernel whose prints are never reached has no print buffer, and one that prints has one more
// parameter, which nobody gives.
func TestPR11_Unused(t *testing.T) {
	for name, want := range map[string]bool{"Never": false, "Grid": true} {
		k := kernel(t, printsgen.Kernels(), name)
		used := false
		for _, p := range k.ABI().Params {
			used = used || p.IsPrint() && p.Offset >= 0
		}
		if used != want || used != (k.ABI().PrintParam() >= 0) {
			t.Errorf("%s has parameters %+v", name, k.ABI().Params)
		}
	}
	inAllWays(t, func(t *testing.T, dev *runtime.Device) {
		k := kernel(t, printsgen.Kernels(), "Grid")
		out := on(t, dev, make([]int32, 6))
		var b bytes.Buffer
		ev, err := runtime.LaunchKernel(dev.DefaultQueue(), k, runtime.Range2{2, 3}, []any{out}, runtime.PrintTo(&b))
		printed(t, func() { check(t, finished(ev, err)) })
		wantAll(t, dev, out, []int32{0, 0, 0, 0, 1, 2})
	})
}

// Options of Open hold for all launches, and a launch's own go before.
func TestPR12_Open(t *testing.T) {
	t.Setenv(string(env.HostForm), "on")
	var all, own bytes.Buffer
	for _, name := range []string{"host", "vulkan"} {
		all.Reset()
		own.Reset()
		dev := open(t, name, runtime.PrintTo(&all), runtime.PrintItems())
		run := func(opts ...runtime.LaunchOption) {
			t.Helper()
			check(t, printsgen.RunMany(ctx, dev, prints.Many{Lines: 1}, 1, opts...))
		}
		run()
		run(runtime.PrintTo(&own))
		for _, b := range []*bytes.Buffer{&all, &own} {
			if got := b.String(); got != "prints.Many[0]: item 0 line 0\n" {
				t.Errorf("got %q", got)
			}
		}
	}
	if _, err := runtime.Open(runtime.PrintBuffer(1)); !errors.Is(err, runtime.ErrInvalid) {
		t.Errorf("a buffer of 1 byte: %v", err)
	}
}
