package rounds_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/rounds"
	gen "github.com/kgen-go/kgen/internal/tests/difftest/rounds/roundsgen"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

const items = 16

// ends is what the names of devices contain that end loops.
const ends = "llvmpipe"

// A row launches a kernel whose loops make about so many rounds.
type row struct {
	name string
	run  func(ctx context.Context, dev *runtime.Device, rounds int) (out any, err error)
	loop string // what line of the source the loop that is ended is at, or one of several
	per  int    // how many rounds of all loops one of the kernel is; 0 is 1
}

var rows = []row{
	{name: "Count", run: count(all), loop: "for n < k.N[i] {"},
	{name: "Count, one", run: count(one), loop: "for n < k.N[i] {"},
	{name: "Until", run: until, loop: "for range n {"},
	{name: "Product", run: product(250), loop: "for r := range k.Rows {|for c := 0; c < k.Columns; c++ {"},
	{name: "Product, long rows", run: product(1), loop: "for r := range k.Rows {|for c := 0; c < k.Columns; c++ {"},
	{name: "Distance", run: distance, loop: "for y := 1; y <= k.N; y++ {|for x := 1; x <= k.N; x++ {"},
	{name: "Meet", run: meet, loop: "for n := range k.N {"},
	{name: "Astray", run: astray, loop: "for n < k.N {"},
}

// all has all work-items make n rounds, and one but one of them.
func all(n, i int) int { return n - i*7 }

func one(n, i int) int {
	if i == 5 {
		return n
	}
	return i
}

func count(rounds_ func(n, i int) int) func(context.Context, *runtime.Device, int) (any, error) {
	return func(ctx context.Context, dev *runtime.Device, n int) (any, error) {
		k := rounds.Count{N: make([]int, items), Out: make([]int, items)}
		for i := range k.N {
			k.N[i] = rounds_(n, i)
		}
		return k.Out, gen.RunCount(ctx, dev, k, items)
	}
}

func until(ctx context.Context, dev *runtime.Device, n int) (any, error) {
	k := rounds.Until{N: make([]int, items), Out: make([]uint32, items)}
	for i := range k.N {
		k.N[i] = n - i*3
	}
	return k.Out, gen.RunUntil(ctx, dev, k, items)
}

func product(rows int) func(context.Context, *runtime.Device, int) (any, error) {
	return func(ctx context.Context, dev *runtime.Device, n int) (any, error) {
		k := rounds.Product{Rows: rows, Columns: n/rows - 1, Out: make([]int, items)}
		return k.Out, gen.RunProduct(ctx, dev, k, items)
	}
}

func distance(ctx context.Context, dev *runtime.Device, n int) (any, error) {
	k := rounds.Distance{Words: make([][256]byte, 2*items), Rows: make([][257]int32, items), Out: make([]int32, items)}
	for k.N = 1; (k.N+1)*(k.N+2) < n && k.N < 256; k.N++ { // and those of the row ahead
	}
	for i := range k.Words {
		for j := range k.Words[i] {
			k.Words[i][j] = byte('a' + (i*31+j*j*(i%5+1)>>2)%7)
		}
	}
	return k.Out, gen.RunDistance(ctx, dev, k, items)
}

func meet(ctx context.Context, dev *runtime.Device, n int) (any, error) {
	k := rounds.Meet{N: n, Out: make([]int, items)}
	return k.Out, gen.RunMeet(ctx, dev, k, runtime.NDRange1{Global: items, Local: items})
}

func astray(ctx context.Context, dev *runtime.Device, n int) (any, error) {
	k := rounds.Astray{N: n, Out: make([]int, items)}
	return k.Out, gen.RunAstray(ctx, dev, k, items)
}

// TestRounds has loops make more rounds than some devices let them, and just no more. A
// device either does what the kernels say, or reports the loop.
func TestRounds(t *testing.T) { testRounds(t) }

// TestGeneral does so with the modules for launches of any size.
func TestGeneral(t *testing.T) {
	t.Setenv("KGEN_SMALL", "never")
	testRounds(t)
}

// TestWords does so with those in words.
func TestWords(t *testing.T) {
	testRounds(t, runtime.MaskAspects(properties.Int8, properties.Int16, properties.Int64))
}

// TestSwiftShader does so on a device that ends no loops.
func TestSwiftShader(t *testing.T) { swiftshader.Whole(t, "^TestRounds$") }

func testRounds(t *testing.T, opts ...runtime.OpenOption) {
	ctx := context.Background()
	host, dev := devtest.Host(t), devtest.Vulkan(t, opts...)
	t.Logf("comparing %s with %s", dev.Name(), host.Name())
	source, err := os.ReadFile("kernel.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(source), "\n")
	for _, r := range rows {
		for _, n := range []int{65_000, 70_000, 200_000} {
			t.Run(fmt.Sprintf("%s/%d", r.name, n), func(t *testing.T) {
				want, err := r.run(ctx, host, n)
				if err != nil {
					t.Fatal(err)
				}
				got, err := r.run(ctx, dev, n)
				tooMany := strings.Contains(dev.Name(), ends) && n > 65_000
				if e := new(runtime.LoopError); tooMany && errors.As(err, &e) {
					checkError(t, e, lines, r.loop)
					return
				}
				switch {
				case tooMany:
					t.Errorf("error %v, want a LoopError", err)
				case err != nil:
					t.Error(err)
				case !reflect.DeepEqual(got, want):
					t.Errorf("got %v, want %v", got, want)
				}
			})
		}
	}
}

// checkError checks that the error is about a loop that stands in one of these lines.
func checkError(t *testing.T, e *runtime.LoopError, lines []string, loops string) {
	t.Helper()
	if !errors.Is(e, runtime.ErrFeatureNotSupported) {
		t.Errorf("%v is of another class", e)
	}
	file, at, _ := strings.Cut(e.Pos, ":")
	var line, col int
	if _, err := fmt.Sscanf(at, "%d:%d", &line, &col); err != nil || file != "internal/tests/difftest/rounds/kernel.go" {
		t.Fatalf("%v: %v", e, err)
	}
	for loop := range strings.SplitSeq(loops, "|") {
		if strings.TrimSpace(lines[line-1]) == loop && strings.HasPrefix(lines[line-1][col-1:], loop) {
			return
		}
	}
	t.Errorf("%v: want it to be about %s", e, loops)
}
