package runtime

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/dag"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// Command is a value that describes work for a device. A Command is either a launch, made by the
// method Node of a generated kernel, or the result of Copy, Fill, Upload, Download or HostFunc.
// Queue.Enqueue runs a Command. Graph.Add makes a Command a node of a graph, and
// ExecutableGraph.Update replaces the Command of a node by another Command. The zero Command does
// nothing. As a node of a graph, the zero Command only serves to order other nodes.
//
// As long as a Command is reachable, the garbage collector does not free its buffers and slices. If
// a Command is made with wrong arguments, the first call that uses the Command returns an error.
type Command struct{ c *commandData }

// commandData is the content of a Command. If the field kernel is set, the command is a launch of
// this kernel. If kernel is not set, the field node contains the command for the device's stream.
type commandData struct {
	err    error  // error in the arguments from which the command was made, or nil
	kind   string // kind of the command, such as "copy"; "" for a launch
	label  string
	kernel *Kernel
	call   *launch.Call
	opts   []LaunchOption
	node   stream.Command
	host   dag.Uses   // memory that a host function uses
	keep   []any      // slices that a host function uses; the field keeps the slices allocated
	cross  *crossCopy // copy between two devices; if cross is set, node is not set
	// openMemory lists memory that must not be closed, although the command does not access this
	// memory on the device. Examples are the memory of views without elements, and the host buffer
	// that contains the slice of an upload or download.
	openMemory []*stream.Memory
	// foreignOpen says that openMemory may contain memory of other devices.
	foreignOpen bool
}

// emptyLabel is the label of a node of a zero Command.
const emptyLabel = "empty"

// String describes the command's work.
func (c Command) String() string {
	switch {
	case c.c == nil:
		return "nothing"
	case c.c.kernel != nil:
		return "launch of " + c.c.kernel.Name()
	}
	return c.c.label
}

// commandOf returns the content of a Command that launches a kernel. The content has its own copies of the call's
// slices.
func commandOf(k *Kernel, call *launch.Call, opts []LaunchOption) *commandData {
	c := *call
	c.Args, c.Slices, c.Accessors = slices.Clone(c.Args), slices.Clone(c.Slices), slices.Clone(c.Accessors)
	c.Host, c.Own = nil, nil
	return &commandData{kernel: k, call: &c, opts: slices.Clone(opts)}
}

// Copy copies src to dst. The views dst and src must have the same number of elements, and must not
// overlap (else ErrInvalid).
//
// The buffers of dst and src may belong to two devices. A copy between two devices is enqueued on a
// queue of either device, and is ordered with the commands of both devices: the copy sees the
// writes of all commands that were enqueued before on either device, and later commands on either
// device see the copy's writes. Commands that use other memory may run at the same time as the
// copy. A copy between two devices can be a node of a graph of either device. The other device
// orders the copy with its own commands as if Submit had enqueued the copy. Between two NVIDIA GPUs
// the bytes may go over NVLink. The page docs/scaling.md describes the conditions for NVLink, and
// KGEN_NVLINK=off prevents copies over NVLink. If one of the two devices fails, the error of the
// copy's event names the failed device, and the other device can still be used. If the copy fails,
// the elements of dst cannot be read until they are written again.
func Copy[T any](dst, src View[T]) Command {
	c := &commandData{kind: "copy", label: fmt.Sprintf("copy of %d bytes", sizeOf(src))}
	d, s := dst.s, src.s
	switch {
	case d.Len == launch.NoBuffer || s.Len == launch.NoBuffer:
		c.err = errorf(ErrInvalid, "a copy of a nil buffer").advise(nilBuffer)
	case d.Len != s.Len:
		c.err = errorf(ErrInvalid, "a copy of %d elements to %d", s.Len, d.Len)
	case sizeOf(src) == 0:
		c.openMemory, c.foreignOpen = memoryOf(d, s), true
	case d.Mem.Stream() != s.Mem.Stream():
		c.cross = newCrossCopy(d, s, sizeOf(src))
	case d.Mem.HAL() == s.Mem.HAL() && d.Off < s.Off+sizeOf(src) && s.Off < d.Off+sizeOf(src):
		c.err = errorf(ErrInvalid, "a copy between views that overlap")
	default:
		c.node = stream.Command{
			Cmd: hal.Command{Op: hal.OpCopy, Dst: d.Mem.HAL(), DstOff: d.Off, Src: s.Mem.HAL(), SrcOff: s.Off, Size: sizeOf(src)},
			Uses: []stream.Use{{Mem: s.Mem, Lo: s.Off, Hi: s.Off + sizeOf(src), Access: abi.Read},
				{Mem: d.Mem, Lo: d.Off, Hi: d.Off + sizeOf(src), Access: abi.Write}},
		}
	}
	return Command{c}
}

// Fill sets all elements of dst to v.
func Fill[T any](dst View[T], v T) Command {
	one := bytesOf([]T{v})
	size := sizeOf(dst)
	if pattern, ok := fillPattern(one); ok && size%4 == 0 && dst.s.Off%4 == 0 {
		c := &commandData{kind: "fill", label: fmt.Sprintf("fill of %d bytes", size)}
		if dst.s.Len == launch.NoBuffer {
			c.err = errorf(ErrInvalid, "a fill of a nil buffer").advise(nilBuffer)
		} else if c.openMemory = memoryOf(dst.s); size > 0 {
			c.openMemory = nil
			c.node = stream.Command{
				Cmd:  hal.Command{Op: hal.OpFill, Dst: dst.s.Mem.HAL(), DstOff: dst.s.Off, Size: size, Pattern: pattern},
				Uses: []stream.Use{{Mem: dst.s.Mem, Lo: dst.s.Off, Hi: dst.s.Off + size, Access: abi.Write}},
			}
		}
		return Command{c}
	}
	// Devices fill memory only with a repeated pattern of 32 bits. Elements that do not form a
	// repeated 32-bit pattern are copied from the host.
	all := make([]T, dst.Len())
	for i := range all {
		all[i] = v
	}
	c := Upload(dst, all)
	c.c.kind, c.c.label = "fill", fmt.Sprintf("fill of %d bytes", size)
	return c
}

// fillPattern returns a 32-bit pattern. Memory that is filled with this pattern contains copies of
// the value whose bytes are in `one`. If there is no such pattern, fillPattern returns false.
func fillPattern(one []byte) (bits uint32, ok bool) {
	if n := len(one); n == 0 || n > 4 && n%4 != 0 || n == 3 {
		return 0, false
	}
	for i := range 4 {
		bits |= uint32(one[i%len(one)]) << (8 * i)
	}
	for i, b := range one {
		if b != byte(bits>>(8*(i%4))) {
			return 0, false
		}
	}
	return bits, true
}

// Upload copies the slice src of the host's memory to dst. The parameters dst and src must have the
// same number of elements (ErrInvalid otherwise). Each run of the command reads src again. After
// the command is enqueued, the elements of src must not change until the event of the run is done.
func Upload[T any](dst View[T], src []T) Command {
	return transfer(hal.OpWrite, "upload", dst.s, bytesOf(src), len(src))
}

// Download copies src to the slice dst of the host's memory. The parameters dst and src must have
// the same number of elements (ErrInvalid otherwise). Each run of the command writes dst. After the
// command is enqueued, the program must not use dst until the event of the run is done.
func Download[T any](dst []T, src View[T]) Command {
	return transfer(hal.OpRead, "download", src.s, bytesOf(dst), len(dst))
}

func transfer(op hal.Op, what string, s launch.Slice, host []byte, n int) Command {
	size := uint64(len(host))
	c := &commandData{kind: what, label: fmt.Sprintf("%s of %d bytes", what, size)}
	switch {
	case s.Len == launch.NoBuffer:
		c.err = errorf(ErrInvalid, "the %s of a nil buffer", what).advise(nilBuffer)
	case s.Len != n:
		c.err = errorf(ErrInvalid, "the %s between %d elements on the device and %d on the host", what, s.Len, n)
	case size == 0:
		c.openMemory = memoryOf(s)
	case op == hal.OpWrite:
		c.openMemory = hostBufferOf(s, host)
		c.node = stream.Command{Cmd: hal.Command{Op: op, Dst: s.Mem.HAL(), DstOff: s.Off, Size: size, Host: host},
			Uses: []stream.Use{{Mem: s.Mem, Lo: s.Off, Hi: s.Off + size, Access: abi.Write}}}
	default:
		c.openMemory = hostBufferOf(s, host)
		c.node = stream.Command{Cmd: hal.Command{Op: op, Src: s.Mem.HAL(), SrcOff: s.Off, Size: size, Host: host},
			Uses: []stream.Use{{Mem: s.Mem, Lo: s.Off, Hi: s.Off + size, Access: abi.Read}}}
	}
	return Command{c}
}

// hostBufferOf returns the memory of the open host buffer that contains the bytes in the parameter
// `host`. If no host buffer of the device of s contains the bytes, hostBufferOf returns nil.
func hostBufferOf(s launch.Slice, host []byte) []*stream.Memory {
	if m := openHostMemory.findMemory(host); m != nil && m.Stream() == s.Mem.Stream() {
		return []*stream.Memory{m}
	}
	return nil
}

// memoryOf returns the memory of all given slices that belong to a buffer.
func memoryOf(of ...launch.Slice) (all []*stream.Memory) {
	for _, s := range of {
		if s.Mem != nil {
			all = append(all, s.Mem)
		}
	}
	return all
}

// sizeOf returns the view's size in bytes.
func sizeOf[T any](v View[T]) uint64 {
	var zero T
	return uint64(v.Len()) * uint64(unsafe.Sizeof(zero))
}

// Enqueue puts the command on the queue, and does not wait until the command has run. While the
// queue records into a graph, Enqueue adds the command as a node of the graph instead. For a
// launch, Enqueue returns the same errors as generated methods such as ParallelFor. For other
// commands, Enqueue returns an error of class ErrInvalid if a view is not valid. The options are
// DependsOn and WithContext.
func (q *Queue) Enqueue(c Command, opts ...LaunchOption) (Event, error) {
	if err := q.usable(); err != nil {
		return Event{}, err
	}
	if c.c == nil {
		c.c = &commandData{label: emptyLabel}
	}
	return q.enqueueCommand(c.c, opts)
}

// checkCommand checks a command. If the command is a launch, o contains the options of the launch.
func (d *Device) checkCommand(c *commandData, o *launchOptions) (*exec.Step, error) {
	if c.err != nil {
		return nil, c.err
	}
	if c.kernel == nil {
		s := &exec.Step{Kind: c.kind, Label: c.label, Command: c.node, Host: c.host, Keep: c.keep, Idle: c.openMemory}
		var err error
		if c.cross != nil {
			if s.Command, err = c.cross.on(d); err != nil {
				return nil, err
			}
		}
		s.Memories(func(m *stream.Memory) {
			switch {
			case err != nil:
			case m.Stream() != d.stream && !c.foreignOpen:
				err = errorf(ErrInvalid, "the %s is of a buffer of another device", c.label)
			case m.Released():
				err = errorf(ErrInvalid, "the %s is of a buffer that is closed", c.label)
			}
		})
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	s := &exec.Step{Label: c.kernel.Name(), Kernel: c.kernel.code, Launch: exec.NewLaunch(c.call)}
	var err error
	if s.Plan, err = d.checkLaunch(c.kernel, &s.Launch, o); err != nil {
		return nil, err
	}
	if !s.Plan.Empty {
		s.Launch.Pass(c.kernel.abi)
	}
	if r := s.Launch.Global[:s.Launch.Rank]; len(r) > 0 {
		s.Label += fmt.Sprint(" ", r)
	}
	return s, nil
}
