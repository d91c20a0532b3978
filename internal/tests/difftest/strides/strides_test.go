package strides_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/tests/difftest/strides"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/strides/stridesgen"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/runtime"
)

// host opens the host device that runs host forms, or the kernels' own Go.
func host(t *testing.T, form string) *runtime.Device {
	t.Helper()
	t.Setenv("KGEN_HOST_FORM", form)
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dev.Close() })
	return dev
}

// A launch returns what a kernel has written, and its error.
type launch func(ctx context.Context, dev *runtime.Device) (any, error)

// source makes what kernels load.
type source struct{ *rand.Rand }

func (s source) ints(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = s.Int32N(400) - 200
	}
	return out
}

func (s source) floats(n int) []float32 {
	out := make([]float32, n)
	for i, x := range s.ints(n) {
		out[i] = float32(x) / 7
	}
	return out
}

// less is n most of the time, and else less than that.
func (s source) less(n int) int {
	if n > 0 && s.IntN(4) == 0 {
		return s.IntN(n)
	}
	return n
}

// dot reads beyond no slice, whatever lengths these have.
func dot(s source) launch {
	groups := 1 + s.IntN(5)
	n := s.IntN(3000)
	a, b := s.floats(n), s.floats(s.less(n))
	return func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := strides.Dot{A: a, B: b, Out: make([]float32, groups)}
		return k.Out, gen.RunDot(ctx, dev, k, runtime.NDRange1{Global: runtime.Range1(groups * strides.Size), Local: strides.Size})
	}
}

// ended has parts that overlap, are empty or begin where an index overflows.
func ended(s source) launch {
	groups := 1 + s.IntN(5)
	x, ends := s.ints(s.IntN(2000)), make([]int, s.IntN(groups+1))
	for i := range ends {
		ends[i] = []int{-1 << 63, -1, 0, s.IntN(2000), s.IntN(2000), 1<<63 - 1}[s.IntN(6)]
	}
	from := []int{-5, 0, 1, strides.Size, 500, 1 << 60, 1<<62 - 1}[s.IntN(7)]
	short := s.IntN(8) == 0
	return func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := strides.Ended{X: x, From: from, Ends: ends, Out: make([]int32, groups*strides.Size)}
		if short {
			k.Out = k.Out[1:] // the last work-item faults
		}
		return k.Out, gen.RunEnded(ctx, dev, k, runtime.NDRange1{Global: runtime.Range1(groups * strides.Size), Local: strides.Size})
	}
}

// steps has groups of several sizes, in which work-items leave, or do not come to the loop.
func steps(s source) launch {
	local := []int{1, 3, 32, 100, 256}[s.IntN(5)]
	n := local * (1 + s.IntN(4))
	x := s.ints(s.IntN(2000))
	to := []int{-1 << 63, -5, 0, 7, 1000, 5000, 1<<63 - 1}[s.IntN(7)]
	step := uint32([]int{1, 2, n, 300, 1<<32 - 1}[s.IntN(5)])
	leave, skip := int32(s.IntN(14)), int32(s.IntN(14))
	long := s.less(n)
	return func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := strides.Steps{X: x, To: to, Step: step, Leave: leave, Skip: skip, Out: make([]int32, n), Last: make([]int32, n)}
		if long < n {
			k.Last = k.Last[:n-1] // the last work-item faults
		}
		return []any{k.Out, k.Last}, gen.RunSteps(ctx, dev, k, runtime.NDRange1{Global: runtime.Range1(n), Local: runtime.Range1(local)})
	}
}

func dead(s source) launch {
	n := strides.Size * (1 + s.IntN(3))
	x, skip := s.ints(s.IntN(1500)), s.IntN(4)
	return func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := strides.Dead{X: x, Skip: skip, Mine: make([]int32, n), Out: make([]int32, n)}
		return []any{k.Mine, k.Out}, gen.RunDead(ctx, dev, k, runtime.NDRange1{Global: runtime.Range1(n), Local: strides.Size})
	}
}

// product has rows that are shorter and longer than blocks. Where a slice is too short, one
// work-item faults, or one of those of a row or a column.
func product(s source) launch {
	rows, n, m := 1+s.IntN(5), s.IntN(9), []int{1, 17, 255, 256, 257, 700}[s.IntN(6)]
	a, b, c := s.floats(rows*n), s.floats(n*m), rows*m
	switch s.IntN(6) {
	case 0:
		c-- // the last element
	case 1:
		if n > 0 && rows == 1 {
			b = b[:n*m-1] // the last column
		}
	case 2:
		n = -n
	}
	bias := s.floats([]int{0, 0, 3}[s.IntN(3)])
	return func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := strides.Product{N: n, M: m, A: a, B: b, C: make([]float32, c), Bias: bias}
		return k.C, gen.RunProduct(ctx, dev, k, runtime.Range2{rows, m})
	}
}

func columns(s source) launch {
	rows, width := s.IntN(8), []int{1, 16, 256, 300, 1000}[s.IntN(5)]
	m, factors, other := s.ints(rows*width), s.ints(width), width
	switch s.IntN(5) {
	case 0:
		other--
	case 1:
		m = m[:max(len(m)-1, 0)]
	}
	return func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := strides.Columns{Rows: rows, Width: width, M: m, Factors: factors, Sums: make([]int32, width), Other: make([]int32, other)}
		return []any{k.Sums, k.Other}, gen.RunColumns(ctx, dev, k, runtime.Range1(width))
	}
}

func before(s source) launch {
	rows, width := s.IntN(8), []int{1, 16, 256, 300}[s.IntN(4)]
	m := s.ints(rows * width)
	return func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := strides.Before{Rows: rows, Width: width, M: m, Out: make([]int32, width)}
		return k.Out, gen.RunBefore(ctx, dev, k, runtime.Range1(width))
	}
}

func lagging(s source) launch {
	x, n := s.ints(s.IntN(2000)), []int{1, 16, 256, 300}[s.IntN(4)]
	bound := s.IntN(2500) - 1
	return func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := strides.Lagging{X: x, N: bound, Out: make([]int32, 2*n)}
		return k.Out, gen.RunLagging(ctx, dev, k, runtime.Range1(n))
	}
}

func traces(s source) launch {
	rows, width := s.IntN(8), []int{1, 16, 256, 300}[s.IntN(4)]
	m := s.ints(rows * width)
	return func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := strides.Traces{Rows: rows, Width: width, M: m, Trace: make([]int32, rows*width), Out: make([]int32, width)}
		return []any{k.Trace, k.Out}, gen.RunTraces(ctx, dev, k, runtime.Range1(width))
	}
}

func found(s source) launch {
	n := 1 + s.IntN(600)
	a, b := s.ints(s.IntN(3000)), s.ints(s.IntN(3000))
	return func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := strides.Found{A: a, B: b, Out: make([]int32, 2*n)}
		return k.Out, gen.RunFound(ctx, dev, k, runtime.Range1(n))
	}
}

// ways has rows of work-items that not all come to the loop.
func ways(s source) launch {
	depth, rows, n := 1+s.IntN(4), 1+s.IntN(3), []int{1, 40, 64, 65}[s.IntN(4)]
	m := make([][64]float64, s.IntN(12))
	for i := range m {
		for j, x := range s.ints(64) {
			m[i][j] = float64(x)/100 + 0.5
		}
	}
	if depth*rows > 1 && n > 64 {
		n = 64 // only one work-item is to fault
	}
	stop, up := s.IntN(14), depth*rows*n
	return func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := strides.Ways{N: n, M: m, Up: make([]float64, up), Down: make([]float64, up), Stop: stop, All: rows}
		return []any{k.Up, k.Down}, gen.RunWays(ctx, dev, k, runtime.Range3{depth, rows, n})
	}
}

// versioned goes beyond its slice in one work-item at most.
func versioned(s source) launch {
	n := s.IntN(500)
	global := []int{8, 24, 32, 64}[s.IntN(4)]
	x := make([]strides.Pair, n)
	for i, v := range s.ints(n) {
		x[i] = strides.Pair{A: v, B: int64(v)<<33 - 7}
	}
	to := n - s.IntN(20)
	if s.IntN(4) == 0 && global == 32 {
		to = n + 1
	}
	return func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := strides.Versioned{N: to, X: x, Sums: make([]int64, global)}
		return k.Sums, gen.RunVersioned(ctx, dev, k, runtime.NDRange1{Global: runtime.Range1(global), Local: 8})
	}
}

func twice(s source) launch {
	x, n, w := s.ints(1+s.IntN(900)), s.IntN(4), s.IntN(4)
	local := []int{4, 33, 128}[s.IntN(3)]
	groups := 1 + s.IntN(3)
	return func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := strides.Twice{X: x, N: n, W: w, Out: make([]int32, groups*local)}
		return k.Out, gen.RunTwice(ctx, dev, k, runtime.NDRange1{Global: runtime.Range1(groups * local), Local: runtime.Range1(local)})
	}
}

// shifted faults in one work-item at most: the first, the last, or that at the end of a row.
func shifted(s source) launch {
	rows, width := 1+s.IntN(4), []int{1, 2, 17, 400}[s.IntN(4)]
	in, by, out := s.ints(2*rows*width), 0, rows*width
	switch s.IntN(6) {
	case 0:
		in, by = s.ints(rows*width), -1
		for i := range in { // which do not need the other element
			in[i] = max(in[i], -in[i])
		}
	case 1:
		out--
	case 2:
		by = rows*width + 1
	}
	for i := range in {
		if 2*(i%width) >= len(in) && in[i] < 0 {
			in[i] = 1
		}
	}
	return func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := strides.Shifted{Width: width, By: by, In: in, Out: make([]int32, out)}
		return k.Out, gen.RunShifted(ctx, dev, k, runtime.Range2{rows, width})
	}
}

func line(s source) launch {
	n := 1 + s.IntN(40000)
	in, out, by := s.ints(n), n-s.IntN(2), 0
	if out == n {
		by = s.IntN(3) - 1 // the first or the last faults
	}
	return func(ctx context.Context, dev *runtime.Device) (any, error) {
		k := strides.Line{By: by, In: in, Out: make([]int32, out)}
		return k.Out, gen.RunLine(ctx, dev, k, runtime.Range1(n))
	}
}

var kernels = map[string]func(source) launch{
	"Dot": dot, "Ended": ended, "Steps": steps, "Dead": dead, "Product": product, "Columns": columns, "Before": before, "Lagging": lagging, "Found": found, "Ways": ways,
	"Versioned": versioned, "Twice": twice, "Traces": traces,
	"Shifted": shifted, "Line": line,
}

// TestStrides compares host forms with what gc makes of the kernels.
func TestStrides(t *testing.T) {
	ctx := context.Background()
	form, own := host(t, "on"), host(t, "off")
	for name, kernel := range kernels {
		t.Run(name, func(t *testing.T) {
			faults, passes := 0, 0
			for seed := range uint64(sample.Of(300, 60)) {
				run := kernel(source{rand.New(rand.NewPCG(seed, 1))})
				got, gotErr := run(ctx, form)
				want, wantErr := run(ctx, own)
				if f := new(runtime.Fault); errors.As(wantErr, &f) {
					faults++
				} else {
					passes++
				}
				if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
					t.Fatalf("seed %d: the host form has error %v, the kernel %v", seed, gotErr, wantErr)
				}
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("seed %d: the host form made %v, the kernel %v", seed, got, want)
				}
			}
			t.Logf("%d passed, %d faulted", passes, faults)
		})
	}
}

// TestInterchanged: the forms that are to have loops that work-items go through together do.
func TestInterchanged(t *testing.T) {
	text, err := os.ReadFile("stridesgen/strides_host_kgen.go")
	if err != nil {
		t.Fatal(err)
	}
	for name := range kernels {
		_, form, _ := strings.Cut(string(text), "kernel ["+name+"].")
		form, _, _ = strings.Cut(form, "kernel [")
		want := true
		switch name {
		case "Before", "Found": // what work-items leave the loop with differs
			want = false
		case "Traces": // it stores in the loop
			want = false
		case "Shifted", "Line":
			if want = false; !strings.Contains(form, "last := end - 1") {
				t.Errorf("%s: checks are not made for rows", name)
			}
		}
		if is := strings.Contains(form, "go through the loop together"); is != want {
			t.Errorf("%s: work-items go through the loop together: %s, want %s", name, strconv.FormatBool(is), strconv.FormatBool(want))
		}
	}
}

// TestCancel cancels launches whose work-items go round together for ever, or for longer than go
// test lets tests run. The device takes other launches afterwards.
func TestCancel(t *testing.T) {
	dev := host(t, "on")
	long := map[string]launch{
		"range": func(ctx context.Context, dev *runtime.Device) (any, error) {
			const n = 1000
			k := strides.Columns{Rows: 1<<31 - 1, M: make([]int32, n), Factors: make([]int32, n), Sums: make([]int32, n), Other: make([]int32, n)}
			return nil, gen.RunColumns(ctx, dev, k, n)
		},
		"group": func(ctx context.Context, dev *runtime.Device) (any, error) {
			const n = 256
			k := strides.Steps{X: make([]int32, n), To: n, Leave: 7, Skip: 7, Out: make([]int32, n), Last: make([]int32, n)}
			return nil, gen.RunSteps(ctx, dev, k, runtime.NDRange1{Global: n, Local: n / 2})
		},
	}
	for name, run := range long {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			if _, err := run(ctx, dev); err == nil {
				t.Error("it is not cancelled")
			}
			if _, err := dot(source{rand.New(rand.NewPCG(1, 1))})(context.Background(), dev); err != nil {
				t.Error(err)
			}
		})
	}
}
