package runtime_test

import (
	"errors"
	"os"
	gort "runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/model"
	"github.com/kgen-go/kgen/runtime/internal/model/modelgen"
)

// panicText returns what gc says when the code panics on its own.
func panicText(mode, v int, x []int) (text string) {
	defer func() {
		switch v := recover().(type) {
		case gort.Error:
			text = strings.TrimPrefix(v.Error(), "runtime error: ")
		case string:
			text = v
		}
	}()
	model.Panic(mode, v, x)
	return ""
}

func TestFaultWords(t *testing.T) {
	devices(t, func(t *testing.T, dev *runtime.Device) {
		kinds := map[runtime.FaultKind]bool{}
		for mode := range model.Modes {
			x := make([]int, 10)
			want := panicText(mode, 5, x[:3:4])
			err := modelgen.RunTrap(ctx, dev, model.Trap{Mode: mode, At: 7, V: 5, X: x}, 10)
			var f *runtime.Fault
			if want == "" || !errors.As(err, &f) {
				t.Errorf("mode %d: got %v, want %q", mode, err, want)
				continue
			}
			kinds[f.Kind] = true
			if got := f.Kind.Describe(f.A, f.B, f.Unsigned, f.Message); got != want {
				t.Errorf("mode %d: got %q, want %q", mode, got, want)
			}
			equal(t, "GlobalID", f.GlobalID, []int{7})
			if f.Kernel != "model.Trap" || !strings.HasPrefix(f.Pos, "model.go:") {
				t.Errorf("mode %d: %+v", mode, f)
			}
			// The others have finished, and what they wrote is there.
			wantX := iota[int](10)
			wantX[7] = 0
			equal(t, "others", x, wantX)
		}
		for k := abi.FaultIndex; k <= abi.FaultPanic; k++ {
			if !kinds[k] {
				t.Errorf("no mode panics with kind %d (%v)", k, k)
			}
		}
	})
}

// lineOf returns the number of the line of model.go that has the text.
func lineOf(t *testing.T, text string) int {
	src, err := os.ReadFile("internal/model/model.go")
	check(t, err)
	before, _, ok := strings.Cut(string(src), text)
	if !ok {
		t.Fatalf("model.go has no %q", text)
	}
	return 1 + strings.Count(before, "\n")
}

func TestFaultPosition(t *testing.T) {
	dev := openHost(t)
	err := modelgen.RunSAXPY(ctx, dev, model.SAXPY{X: make([]float32, 3), Y: make([]float32, 3)}, 4)
	// The column is that of the first site of the line.
	want := "model.SAXPY: runtime/internal/model/model.go:19:2: index out of range [3] with length 3 (work-item [3])"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %v", err, want)
	}
	if lineOf(t, "k.Y[i] +=") != 19 {
		t.Error("the sites of SAXPY in modelgen are of another line")
	}
	err = modelgen.RunTrap(ctx, dev, model.Trap{Mode: 13, X: make([]int, 4)}, 1)
	want = "model.Trap: model.go:" + strconv.Itoa(lineOf(t, `panic("the end")`)) + ": the end (work-item [0])"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %v", err, want)
	}
	var f *runtime.Fault
	err = modelgen.RunIndex3(ctx, dev, model.Index3{Out: make([]int, 23)}, runtime.Range3{2, 3, 4})
	if !errors.As(err, &f) {
		t.Fatal(err)
	}
	equal(t, "GlobalID", f.GlobalID, []int{1, 2, 3})

	// In an nd-range the others go on past the barrier.
	rev := iota[int32](24)
	err = modelgen.RunReverse(ctx, dev, model.Reverse{X: rev}, runtime.NDRange1{Global: 32, Local: 16})
	if !errors.As(err, &f) || f.GlobalID[0] < 24 || !strings.HasPrefix(f.Pos, "model.go:") {
		t.Error(err)
	}
	if rev[0] != 16 || rev[16] != 0 || rev[23] != 0 {
		t.Error(rev)
	}
}

// TestFaultDelivery checks that a fault is told to the one who waits, and to
// nobody else if somebody did.
func TestFaultDelivery(t *testing.T) {
	devices(t, func(t *testing.T, dev *runtime.Device) {
		x := must(runtime.NewBuffer[int](dev, 8))
		got := make([]int, 8)
		trap := func(q *runtime.Queue) runtime.Event {
			return must(modelgen.Trap{Mode: 0, At: 2, V: 9, X: x.All()}.ParallelFor(q, 8))
		}
		isFault := func(what string, err error) {
			t.Helper()
			var f *runtime.Fault
			if !errors.As(err, &f) || f.A != 9 {
				t.Errorf("%s: got %v, want a fault", what, err)
			}
		}
		q, other := dev.NewQueue(), dev.NewQueue()
		e := trap(q)
		isFault("Event.Wait", e.Wait(ctx))
		isFault("Event.Wait again", e.Wait(ctx))
		check(t, q.Wait(ctx))

		e = trap(q)
		check(t, other.Wait(ctx))
		isFault("Queue.Wait", q.Wait(ctx))
		check(t, q.Wait(ctx))
		isFault("Event.Wait after Queue.Wait", e.Wait(ctx))

		trap(q)
		isFault("CopyTo", x.CopyTo(ctx, q, got))
		equal(t, "data after a fault", got, []int{1, 2, 0, 4, 5, 6, 7, 8})

		trap(q)
		trap(q)
		err := q.Wait(ctx)
		if joined, ok := err.(interface{ Unwrap() []error }); !ok || len(joined.Unwrap()) != 2 {
			t.Errorf("two faults: got %v", err)
		}
		for range 100 {
			trap(q)
		}
		if err := q.Wait(ctx); !strings.HasSuffix(err.Error(), "\n36 more launches failed") {
			t.Errorf("100 faults: got %v", err)
		}
		trap(q)
		isFault("Close", dev.Close())
	})
}
