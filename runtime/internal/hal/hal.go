// Package hal is the small interface between package runtime and its backends.
//
// A backend executes batches of commands in order. It knows nothing of queues, events, hazards or
// options. Package runtime decides which commands are submitted when, and which commands must wait
// for earlier ones. A [Driver] lists and opens devices; a [Device] allocates [Memory], makes
// [Pipeline]s and runs batches of [Command]s, each of which gives a [Ticket].
package hal

import (
	"context"
	"errors"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/dslhook"
	"github.com/kgen-go/kgen/properties"
)

// Errors that backends wrap; package runtime converts them to its own errors.
var (
	ErrOutOfMemory = errors.New("out of memory")
	ErrDeviceLost  = errors.New("device lost")
	ErrPipeline    = errors.New("pipeline creation failed")
	// ErrNotSupported: the device lacks a feature that the kernel needs.
	ErrNotSupported = errors.New("not supported by the device")
	// ErrDriver: a call of the driver failed for another reason.
	ErrDriver = errors.New("the driver failed")
	// ErrAbandoned: the device was abandoned while it was still busy.
	ErrAbandoned = errors.New("the device was abandoned")
)

// EnvironmentError is the error of Open if a variable of the environment asks for something that no
// device can provide.
type EnvironmentError struct {
	Name string // name of the variable
	Err  error
}

func (e *EnvironmentError) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *EnvironmentError) Unwrap() error { return e.Err }

// Driver finds and opens the devices of one backend.
type Driver interface {
	// Name returns "vulkan" or "host".
	Name() string
	// Enumerate lists the devices. An error says why the backend cannot work on this machine and
	// how to change that.
	Enumerate() ([]Info, error)
	// Open opens the device that Enumerate listed at index i.
	Open(i int) (Device, error)
}

// DeviceType classifies a device; lower values are listed first. Devices of the last type,
// VulkanCPU, are opened only if the caller names them.
type DeviceType uint8

const (
	DiscreteGPU DeviceType = iota
	IntegratedGPU
	VirtualGPU
	OtherDevice
	HostCPU
	VulkanCPU
)

// Info describes a device. Arrays of three are in the order x, y, z.
type Info struct {
	Name       string // as the driver reports it
	Driver     string // driver name and version, for people
	API        string // such as "Vulkan 1.3.230"
	Type       DeviceType
	Aspects    []properties.Aspect // sorted
	SubGroups  [2]int              // least and greatest sub-group size
	Limits     Limits
	Subnormals Subnormals // probed when the device is opened
	Halves     Halves     // probed when the device is opened
	// ExactDivide says that float32 division and square root are correctly
	// rounded; probed when the device is opened. abi.SpecExactDivide depends on it.
	ExactDivide bool
	// Fused says that Fma of float32 rounds once, and that inverses and inverse square roots are as
	// exact as Vulkan demands; probed when the device is opened. abi.SpecFused depends on it.
	Fused bool
	// EndsLoops says that the driver ends the loops of a work-item after a certain number of rounds
	// of all of them together; probed when the device is opened.
	EndsLoops bool
	// ExactDivide64 says that float64 division and square root are correctly rounded; kernels do
	// not correct them. It is false without properties.FP64.
	ExactDivide64 bool
	UUID          [16]byte // the same for all drivers and programs; zero if the device has none
	PCI           string   // address such as "0000:3b:00.0", or ""
	Timestamps    bool     // the device is a Timer that can measure times
	// Matrices are the matrix products of sub-groups of MatrixSubGroup work-items.
	Matrices       []abi.MatrixTuple
	MatrixSubGroup int
}

// Subnormals says which kinds of operations keep the subnormal float32s among their operands and
// results; the other operations treat them as zeros. It has the fields of runtime.Subnormals, which
// describes them.
type Subnormals struct {
	Arithmetic  bool
	Fused       bool
	Quotients   bool
	Comparisons bool
	MinMax      bool
	Abs         bool
	Rounding    bool
	Functions   bool
	ToFloat64   bool
	FromFloat64 bool
	Atomics     bool
}

// Halves says which float16 instructions have the same results as package half. Any NaN is equal to any other
// NaN: their bits are not compared.
type Halves struct {
	Unpack, Pack  bool // the GLSL conversions, which need no 16-bit types
	Widen, Narrow bool // conversions to and from float32; false without properties.FP16, as are the fields below
	Arithmetic    bool // x + y, x - y, x * y
	Quotients     bool // x / y
	Roots         bool // square roots
	Fused         bool // x*y + z, rounded once
}

// Computed reports whether the operations that package math32 uses keep subnormals. abi.SpecFlushed
// depends on it.
func (s Subnormals) Computed() bool { return s.Arithmetic && s.Comparisons && s.MinMax }

// KeepsSubnormals is the value of a device whose operations keep all subnormals.
var KeepsSubnormals = Subnormals{true, true, true, true, true, true, true, true, true, true, true}

// Limits are the device's limits that launches are checked against.
type Limits struct {
	MaxWorkGroupSize  [3]int // per dimension
	MaxWorkItems      int    // per work-group
	MaxGroups         [3]int // per dispatch; backends split larger ones
	LocalMemory       int    // bytes per work-group
	PrivateMemory     int    // bytes per work-item
	PrivateBacked     int    // bytes of private memory that the driver guarantees; 0 if unknown
	MaxAllocation     uint64 // bytes
	MaxLaunchBlock    int    // bytes of push constants
	ComputeUnits      int    // a hint for sizing; 0 if unknown
	PreferredItems    int    // preferred work-group size of a range kernel
	DeviceMemory      uint64
	MemoryIsHostSpeed bool // device memory is host memory (integrated, CPU)
}

// MemoryKind says which sides access a memory.
type MemoryKind uint8

const (
	// DeviceMemory is for kernels; Bytes may return nil.
	DeviceMemory MemoryKind = iota
	// HostMemory is accessible by host and device; Bytes never returns nil.
	HostMemory
)

// Memory is an allocation. Its owner frees it exactly once, when no batch in flight uses it.
type Memory interface {
	Size() uint64
	// Address is the device address, a multiple of 256.
	Address() uint64
	// Bytes returns the memory as the host accesses it, coherent, or nil.
	Bytes() []byte
	Free()
}

// SpecValue sets one specialization constant.
type SpecValue struct {
	ID   uint32
	Size int    // 1, 2, 4 or 8 bytes; a bool has 4
	Bits uint64 // in the low bytes
}

// PipelineDesc describes a kernel with values for all its specialization constants, including those
// of the work-group size and of accessors.
type PipelineDesc struct {
	Kernel       *abi.Kernel
	SPIRV        []uint32
	Loops        string // places of the module's loops, as in abi.Kernel
	Specs        []SpecValue
	LocalSize    [3]uint32
	SubGroupSize int // required size, or 0
	// FullSubGroups says that the module uses the device's matrices, which need sub-groups without
	// missing work-items.
	FullSubGroups bool
	// Cancels says that the module is a variant that states abi.Variant.Cancel.
	Cancels bool
	// Host is the kernel that kernelimpl registered for the host backend; other backends ignore it.
	Host any
	// HostSpecs are the values of the kernel's own constants, for the host backend.
	HostSpecs []dslhook.Spec
}

// Pipeline is a kernel compiled for launches.
type Pipeline interface{ Free() }

// Canceller is an optional interface of a Pipeline. Cancels reports whether a launch ends soon
// after Ask, wherever its work-items are. Otherwise some of its work-items may run to their own
// end, which may never come. A Pipeline that does not implement Canceller behaves as if Cancels
// returned false.
type Canceller interface{ Cancels() bool }

// Cached is an optional interface of a Pipeline. Cached returns "hit" if the driver took the
// pipeline from its cache, "miss" if it did not, or "" if it does not say.
type Cached interface{ Cached() string }

// SliceArg is a slice argument. It is for backends that do not use addresses, and keeps the memory
// alive.
type SliceArg struct {
	Param  int // index into Kernel.Params
	Memory Memory
	Offset uint64
	Len    int // elements
}

// Fault receives the outcome of a command when its batch has completed: a launch's fault record,
// and the reason why a command of any kind did not complete.
type Fault struct {
	Set      bool
	Site     uint32
	Part     int // index of the kernel's part that the site belongs to, if it has Parts
	A, B     int64
	GlobalID [3]uint32 // x, y, z
	// Pos and Kind are set instead of Site by backends that run the kernel's Go code, which has no
	// sites.
	Pos     string
	Kind    abi.FaultKind
	Message string
	// Unsigned says that A is a uint64.
	Unsigned bool
	// Found and Err are set by backends that check kernels: the errors that they found, and the
	// reason why they could not check.
	Found []Finding
	Err   error
	// Ended is the number, from 1, of a loop that the device ended, and Loops the places of the
	// module's loops; see abi. Ended is 0 if the device ended no loop.
	Ended uint32
	Loops string
	// Cancelled says that the command did not complete because its Cancel asked for that: it did
	// not start, or some of its work-items stopped early.
	Cancelled bool
	// Failed is the reason why the backend could not run the command, or not all of it. The
	// command's results are then unspecified. Other commands of the batch are not affected.
	Failed error
	// Parts are the outcomes of the commands of an OpGraph, one for each. It is nil if all of them
	// succeeded, or if none ran because of Failed.
	Parts []Fault
}

// Clean reports whether a command other than an OpGraph completed without a fault.
func (f *Fault) Clean() bool {
	return !f.Set && !f.Cancelled && f.Ended == 0 && f.Failed == nil && f.Err == nil && len(f.Found) == 0
}

// Finding is an error that a check found.
type Finding struct {
	Kind       uint8
	Pos, Other string
	Message    string
}

// Op is the operation of a command.
type Op uint8

const (
	OpLaunch Op = iota
	OpCopy      // device to device
	OpFill      // a 32-bit pattern; offset and size are multiples of 4
	OpWrite     // host to device
	OpRead      // device to host
	OpGraph     // all commands of a Graph, in their order
	OpHost      // a function on the host, which devices never see
)

// Command is one command of a batch. Op decides which fields are used.
type Command struct {
	Op Op
	// Barrier makes the command, and all later ones, wait for every earlier command and see its
	// writes. Earlier commands are those of this batch and of earlier batches.
	Barrier bool

	// OpLaunch
	Pipeline Pipeline
	Global   [3]uint32 // work-items along x, y, z
	Groups   [3]uint32 // work-groups along x, y, z, not limited by MaxGroups
	Args     []byte    // argument block, addresses filled in
	Slices   []SliceArg

	// Apart says that the caller has seen all earlier commands complete which the command depends
	// on. The device may run it beside all others, and later commands see its writes after a Barrier.
	Apart bool

	// Fault receives the outcome of the command; it may be nil.
	Fault *Fault
	// Times receives the times of the command, if the device is a Timer; it may be nil.
	Times *Times
	// Cancel is nil for a command that cannot be cancelled.
	Cancel *Cancel
	// Taken is called once when the bytes of Host of an OpWrite will not be read any more, by
	// Submit or later. If it is nil, the bytes stay unchanged until the batch has completed. It
	// must not block.
	Taken func()

	// OpCopy, OpFill, OpWrite, OpRead
	Dst, Src       Memory
	DstOff, SrcOff uint64
	Size           uint64
	Pattern        uint32
	Host           []byte // source of OpWrite, destination of OpRead

	// OpGraph
	Graph Graph
}

// Graph is a list of commands that a Replayer has prepared for repeated runs.
type Graph interface {
	// Free frees the graph's resources. No batch with it is in flight or will be submitted.
	Free()
}

// Replayer is an optional interface of a Device. It prepares a list of commands, so that an OpGraph
// runs them with less effort. The OpGraph has the effect of its commands.
type Replayer interface {
	// NewGraph takes launches, copies and fills and keeps them: the commands, and everything that
	// they point to, must not change any more. Barrier orders the commands among themselves; the
	// Barrier of the first is that of the OpGraph. Fault and Cancel of the commands are ignored,
	// and the commands cannot be cancelled.
	NewGraph(commands []Command) (Graph, error)
}

// Importer is an optional interface of a Device. Import makes memory of the host usable in copies,
// without a copy of it. The address and the size of b are multiples of ImportAlign. Other devices
// may import the same bytes.
type Importer interface {
	Import(b []byte) (Memory, error)
}

// ImportAlign is a multiple of all alignments that devices ask of imported memory.
const ImportAlign = 64 << 10

// Ticket represents a submitted batch.
type Ticket interface {
	// Done reports whether the batch has completed, without blocking. Once it
	// has returned true, all Fault and Host results are in place. Batches
	// complete in the order of their submission.
	Done() bool
	// Wait blocks until the batch has completed or ctx ends. In the latter case it returns the
	// error of ctx, and the batch goes on.
	Wait(ctx context.Context) error
}

// Device is an open device. Its methods, except Close, are safe for concurrent use.
type Device interface {
	Info() *Info
	Alloc(size uint64, kind MemoryKind) (Memory, error)
	NewPipeline(d *PipelineDesc) (Pipeline, error)
	// Submit starts a batch. It never waits for the device: a command that needs resources which
	// completed work must free first is started later. Batches start in the order of their
	// submission. Until the ticket is done, the caller keeps the batch unchanged, and all its
	// memory and pipelines alive. An error means that no command of the batch ran or will run. The
	// failure of a single command is reported in its Fault.
	Submit(batch []Command) (Ticket, error)
	// Abandon gives up a device whose work does not end. It is called instead of Close. All tickets
	// are done at once, commands that had not completed fail with err, and later calls fail. Memory
	// that the device still uses is never freed.
	Abandon(err error)
	// Close frees everything. It is called when no batch is in flight.
	Close() error
}
