package exec

import (
	"encoding/binary"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/dslhook"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// Launch is a launch on its way to a device: the call, which stays as it is, and the runtime's
// own state. Its storage is reused from launch to launch.
type Launch struct {
	*launch.Call

	// Block is the call's arguments, with the addresses of slices once Pass has been called.
	Block []byte
	// Placed are the slices in device memory: the call's, or those given to Place.
	Placed []launch.SliceArg
	own    []launch.SliceArg
	// Cancel is the request that ends the launch early, or nil.
	Cancel *hal.Cancel

	Uses   []stream.Use
	Passed []hal.SliceArg
	Specs  []hal.SpecValue
	// HostSpecs are the values of the kernel's own constants as Go has them.
	HostSpecs []dslhook.Spec
}

// NewLaunch returns a launch of the call.
func NewLaunch(c *launch.Call) Launch {
	var l Launch
	l.Begin(c)
	return l
}

// Begin readies a launch that is new, or that End was called of, for the call.
func (l *Launch) Begin(c *launch.Call) {
	l.Call, l.Placed = c, c.Slices
	l.Block = append(l.Block[:0], c.Args...)
}

// End forgets the call and all memory of it, but keeps the launch's storage.
func (l *Launch) End() {
	clear(l.own)
	clear(l.Uses)
	clear(l.Passed)
	clear(l.HostSpecs)
	l.Block, l.own = l.Block[:0], l.own[:0]
	l.Uses, l.Passed, l.Specs, l.HostSpecs = l.Uses[:0], l.Passed[:0], l.Specs[:0], l.HostSpecs[:0]
	l.Call, l.Placed, l.Cancel = nil, nil, nil
}

// Place adds a slice in device memory, for a call that has slices of the caller's memory alone.
func (l *Launch) Place(a launch.SliceArg) {
	l.own = append(l.own, a)
	l.Placed = l.own
}

// Pass fills in the addresses of the slices, and the ranges of memory that the kernel k uses.
func (l *Launch) Pass(k *abi.Kernel) {
	l.Passed, l.Uses = l.Passed[:0], l.Uses[:0]
	for i := range l.Placed {
		a := &l.Placed[i]
		param := &k.Params[a.Param]
		if param.Offset < 0 || a.Mem == nil || a.Len == 0 {
			continue // a zero slice
		}
		mem := a.Mem.HAL()
		binary.LittleEndian.PutUint64(l.Block[param.Offset:], mem.Address()+a.Off)
		binary.LittleEndian.PutUint64(l.Block[param.Offset+8:], uint64(a.Len))
		l.Passed = append(l.Passed, hal.SliceArg{Param: a.Param, Memory: mem, Offset: a.Off, Len: a.Len})
		l.Uses = append(l.Uses, stream.Use{Mem: a.Mem, Lo: a.Off, Hi: a.Off + a.Size, Access: param.Access})
	}
}
