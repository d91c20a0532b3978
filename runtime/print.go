package runtime

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"unsafe"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/prints"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// This file writes the output of kernels. Each launch of a kernel that prints has its own buffer.
// After the launch, a function on the host writes the text of the buffer.

// PrintOption says where and how the output of kernels is written. A PrintOption of Open applies to
// all launches. A PrintOption of a launch overrides the option of Open, also if the launch becomes
// a node of a graph. Launches of kernels that do not print ignore print options.
//
// If the host device runs a kernel's own Go code, the kernel prints directly, and print options
// have no effect. docs/printing.md says when the host device runs a kernel's own Go code.
type PrintOption func(*printSettings)

func (f PrintOption) applyOpen(o *openOptions)     { f(&o.printing) }
func (f PrintOption) applyLaunch(o *launchOptions) { o.printing = append(o.printing, f) }

// PrintTo writes the output of kernels to w. Without PrintTo, the output of package fmt's functions
// goes to os.Stdout. The output of the predeclared print and println goes to os.Stderr.
//
// The runtime calls w.Write when the launch has completed, even if the launch has a fault. The
// launch's event is done only after this call. For each device, one goroutine at a time calls
// w.Write, with the text of many print calls at once. The device's later commands wait until
// w.Write returns, and w.Write must not wait for the device (ErrInvalid). If Write returns an error
// or panics, the launch's event has an error of class ErrPrint. If w is nil, the result of Open or
// of the launch is ErrInvalid.
func PrintTo(w io.Writer) PrintOption {
	return func(p *printSettings) {
		p.To = w
		if w == nil {
			p.fail(errorf(ErrInvalid, "the writer of PrintTo is nil").advise("use io.Discard to drop what kernels print"))
		}
	}
}

// PrintBuffer sets the size, in bytes, of the buffer that a launch prints to. The default is 1 MiB.
// A call of a print function needs 16 bytes of the buffer, and 4 or 8 bytes for each number that is
// not constant. A string that is not constant needs 8 bytes. A string made from the bytes of a
// slice needs 4 bytes, and one byte for each byte of the string. A string made from the bytes of a
// slice has at most 32 KiB. A call whose output does not fit into the buffer prints nothing. If
// calls did not fit, the number of these calls is written in a last line, to the writer for
// println. Sizes below 32 bytes or above 1 GiB are errors (ErrInvalid).
func PrintBuffer(bytes int) PrintOption {
	return func(p *printSettings) {
		p.Bytes = bytes
		if bytes < 32 || bytes > abi.MaxPrintBuffer {
			p.fail(errorf(ErrInvalid, "a print buffer of %d bytes", bytes).advise("give it from 32 bytes to 1 GiB"))
		}
	}
}

// PrintItems starts each line of a kernel's output with the kernel's name and the global id of the
// work-item, as in "saxpy.SAXPY[17]: ". With PrintItems, each call of a print function starts a new
// line.
func PrintItems() PrintOption { return func(p *printSettings) { p.Items = true } }

// printSettings contains the values of print options.
type printSettings struct {
	prints.Options
	err error // first error of the options themselves
}

// defaultPrintBuffer is the size of the buffer in bytes, without the option PrintBuffer.
const defaultPrintBuffer = 1 << 20

func (p *printSettings) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// withOptions returns the print options of a launch. Options in opts override those in p.
func (p *printSettings) withOptions(opts []PrintOption) (*prints.Options, *Error) {
	if len(opts) == 0 {
		return &p.Options, nil
	}
	own := *p
	for _, f := range opts {
		f(&own)
	}
	if own.err != nil {
		return nil, own.err.(*Error)
	}
	return &own.Options, nil
}

// printOutput contains the runtime's data about a kernel that prints.
type printOutput struct {
	param   int // index of the parameter that is the print buffer
	printer func() (*prints.Printer, error)
}

// newOutput returns the data about the output of a kernel. newOutput returns nil if the kernel does
// not print.
func newOutput(k *abi.Kernel) *printOutput {
	i := k.PrintParam()
	if i < 0 || k.Params[i].Offset < 0 { // the second condition is true if kgen found that the kernel never reaches a print call
		return nil
	}
	return &printOutput{i, sync.OnceValues(func() (*prints.Printer, error) { return prints.New(k) })}
}

// printBuffer is the buffer that a launch prints to.
type printBuffer struct {
	mem   *stream.Memory
	words []uint32
}

// printBuffers keeps unused print buffers, with zeros in all bytes, for later launches.
type printBuffers struct {
	mu             sync.Mutex
	free           []*printBuffer
	pendingWriters []*stream.Event // events of commands that write output; some of these commands may not have completed
}

// maxPrinting is the largest number of launches of printing kernels that may be pending on a device. Each of these
// launches has its own print buffer.
const maxPrinting = 32

// keepUp waits while there are too many launches whose output has not been written. The wait ends
// when ctx ends.
func (b *printBuffers) keepUp(ctx context.Context) error {
	for {
		b.mu.Lock()
		line := b.pendingWriters
		b.mu.Unlock()
		done := 0
		for done < len(line) && line[done].Done() {
			done++
		}
		b.mu.Lock()
		if len(b.pendingWriters) > 0 && done > 0 && len(line) > 0 && b.pendingWriters[0] == line[0] {
			b.pendingWriters = slices.Clone(b.pendingWriters[done:])
		}
		var first *stream.Event
		if len(b.pendingWriters) > maxPrinting {
			first = b.pendingWriters[0]
		}
		b.mu.Unlock()
		if first == nil {
			return nil
		}
		switch err := first.Wait(ctx); {
		case errors.Is(err, stream.ErrWithin): // the caller is a writer that launches kernels
			return nil
		case err != nil:
			return waitError(err)
		}
	}
}

// addWriters adds the events of commands that will write the output of launches.
func (b *printBuffers) addWriters(events ...*stream.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pendingWriters = append(b.pendingWriters, events...)
}

// maxPrintBuffers is the number of unused buffers that a device keeps.
const maxPrintBuffers = 8

func (d *Device) printBuffer(bytes int) (*printBuffer, error) {
	words := bytes / 4
	d.prints.mu.Lock()
	at := slices.IndexFunc(d.prints.free, func(b *printBuffer) bool { return len(b.words) == words })
	if at >= 0 {
		b := d.prints.free[at]
		d.prints.free = slices.Delete(d.prints.free, at, at+1)
		d.prints.mu.Unlock()
		return b, nil
	}
	d.prints.mu.Unlock()
	mem, err := d.stream.Alloc(uint64(4*words+15)&^15, hal.HostMemory)
	if err != nil {
		return nil, backendError(d, nil, fmt.Sprintf("a print buffer of %d bytes on the device %s", bytes, d.Name()), err)
	}
	b := &printBuffer{mem: mem, words: unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(mem.HAL().Bytes()))), words)}
	clear(b.words)
	return b, nil
}

// recycleBuffer keeps a print buffer for reuse, or frees it. No command may use the buffer any
// more.
func (d *Device) recycleBuffer(b *printBuffer) {
	clear(b.words[:prints.Used(b.words)])
	d.prints.mu.Lock()
	defer d.prints.mu.Unlock()
	d.prints.free = append(d.prints.free, b)
	if len(d.prints.free) > maxPrintBuffers {
		d.prints.free[0].mem.Free()
		d.prints.free = slices.Delete(d.prints.free, 0, 1)
	}
}

// passBuffer writes the buffer's address and length to the arguments of a launch.
func (b *printBuffer) passBuffer(k *Kernel, args []byte) (hal.SliceArg, stream.Use) {
	at, mem := k.abi.Params[k.output.param].Offset, b.mem.HAL()
	binary.LittleEndian.PutUint64(args[at:], mem.Address())
	binary.LittleEndian.PutUint64(args[at+8:], uint64(len(b.words)))
	return hal.SliceArg{Param: k.output.param, Memory: mem, Len: len(b.words)}, stream.Use{Mem: b.mem}
}

// printNode returns the command that writes the text in the print buffer.
func (d *Device) printNode(k *Kernel, p *prints.Options, b *printBuffer) stream.Command {
	return stream.Command{Always: true, Run: func(context.Context) error {
		defer d.recycleBuffer(b)
		printer, err := k.output.printer()
		if err != nil {
			return err
		}
		return p.Write(printer, k.Name(), b.words)
	}}
}

// recordPrinting records a launch c of a kernel that prints, and the command that writes the
// launch's output. The parameter l is the event of the launch.
func (d *Device) recordPrinting(ctx context.Context, rec *stream.Recorder, l *pending, c *exec.Launch, p *exec.Plan, after []*stream.Event) error {
	k := l.kernel
	if err := d.prints.keepUp(ctx); err != nil {
		return err
	}
	b, err := d.printBuffer(p.Print.Bytes)
	if err != nil {
		return err
	}
	s, u := b.passBuffer(k, c.Block)
	c.Passed, c.Uses = append(c.Passed, s), append(c.Uses, u)
	n, err := d.launchCommand(ctx, l, c, p)
	if err != nil {
		d.recycleBuffer(b)
		return err
	}
	defer p.LetGo()
	output := newPending(d, k)
	output.prints = true
	l.needRare().output = output
	both := stream.Sequence{Commands: []stream.Command{n, d.printNode(k, p.Print, b)}, Waits: make([][]int, 2), First: []bool{true, false}}
	if err := d.stream.RecordAll(ctx, rec, &both, after, []*stream.Event{&l.ev, &output.ev}); err != nil {
		d.recycleBuffer(b)
		l.needRare().output = nil
		return backendError(d, k, "the launch was not recorded", err)
	}
	d.prints.addWriters(&output.ev)
	return nil
}

// withPrints returns a copy of the sequence seq for a submission. In the copy, each launch that prints
// has its own buffer. If the sequence is not recorded, the caller must call recycleAll, which recycles
// these buffers.
func (d *Device) withPrints(ctx context.Context, run *exec.Sequence, seq *stream.Sequence) (with *stream.Sequence, recycleAll func(), err error) {
	if err := d.prints.keepUp(ctx); err != nil {
		return nil, nil, err
	}
	own := *seq
	own.Commands = slices.Clone(seq.Commands)
	var buffers []*printBuffer
	recycleAll = func() {
		for _, b := range buffers {
			d.recycleBuffer(b)
		}
	}
	for i, s := range run.Steps {
		if s.Prints == nil {
			continue
		}
		k, p := kernelOf(s.Prints), s.Prints.Plan.Print
		b, err := d.printBuffer(p.Bytes)
		if err != nil {
			recycleAll()
			return nil, nil, err
		}
		buffers = append(buffers, b)
		n := &own.Commands[i-1] // the launch
		n.Cmd.Args = slices.Clone(n.Cmd.Args)
		arg, use := b.passBuffer(k, n.Cmd.Args)
		n.Cmd.Slices, n.Uses = append(slices.Clip(n.Cmd.Slices), arg), append(slices.Clip(n.Uses), use)
		own.Commands[i] = d.printNode(k, p, b)
	}
	return &own, recycleAll, nil
}
