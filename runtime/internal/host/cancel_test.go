package host

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/ir"
	_ "github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// cancelled launches what goes on for ever, asks it to end once begun is closed, or a
// while later, and returns the record.
func cancelled(t *testing.T, p *pipeline, n uint32, begun <-chan struct{}) hal.Fault {
	t.Helper()
	var fault hal.Fault
	c := &hal.Command{Op: hal.OpLaunch, Pipeline: p, Global: [3]uint32{n, 1, 1}, Groups: [3]uint32{n, 1, 1}, Fault: &fault, Cancel: new(hal.Cancel)}
	done := make(chan struct{})
	go func() {
		runLaunch(c)
		close(done)
	}()
	if begun != nil {
		<-begun
	} else {
		time.Sleep(20 * time.Millisecond)
	}
	c.Cancel.Ask()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("the launch does not end")
	}
	return fault
}

// TestChecked: the interpreter ends, too.
func TestChecked(t *testing.T) {
	m, err := ir.Parse("module K built\nform Task 0\nitems 1\nargs 0\n\nkernel main {\nb0:\n\tJump b1\nb1: preds b0, b1\n\tJump b1\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	p := &pipeline{kernel: &abi.Kernel{Name: "K", Form: abi.Task}, checked: &checkedKernel{m: m, specs: map[uint32]uint64{}}}
	p.init()
	if f := cancelled(t, p, 1, nil); !f.Cancelled || f.Set {
		t.Errorf("the record is %+v", f)
	}
}

// TestFaultFirst: a fault that a cancelled launch had is kept, and so is that it did not
// run whole.
func TestFaultFirst(t *testing.T) {
	begun := make(chan struct{})
	var first atomic.Bool
	p := &pipeline{kernel: &abi.Kernel{Name: "K", Form: abi.NDRange, Rank: 1}, local: [3]uint32{1, 1, 1}, subGroup: 4}
	p.init()
	p.forms = newForms(func() Form {
		return &testForm{run: func(g *Group) {
			g.Fault(0, 7, 5, 1, 2, 3)
			if first.CompareAndSwap(false, true) {
				close(begun)
			}
			for !g.Stopping() {
			}
		}}
	})
	if f := cancelled(t, p, 1000, begun); !f.Cancelled || !f.Set || f.A != 7 {
		t.Errorf("the record is %+v", f)
	}
}
