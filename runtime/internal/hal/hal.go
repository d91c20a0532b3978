// Package hal is the small interface between package runtime and its backends.
//
// A backend executes batches of commands in order. It knows nothing of queues,
// events, hazards or options: package runtime decides what is submitted when,
// and which commands must wait for earlier ones.
package hal

import (
	"context"
	"errors"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/dslhook"
	"github.com/kgen-go/kgen/properties"
)

// Errors that backends wrap; package runtime turns them into its own.
var (
	ErrOutOfMemory = errors.New("out of memory")
	ErrDeviceLost  = errors.New("device lost")
	ErrPipeline    = errors.New("pipeline creation failed")
	// ErrNotSupported: the device lacks a feature that the kernel needs.
	ErrNotSupported = errors.New("not supported by the device")
	// ErrDriver: a call of the driver failed for a reason of its own.
	ErrDriver = errors.New("the driver failed")
	// ErrAbandoned: the device was given up while it was still busy.
	ErrAbandoned = errors.New("the device was abandoned")
)

// EnvironmentError is what Open returns where a variable of the environment asks for
// what cannot be had, whatever the device.
type EnvironmentError struct {
	Name string // the variable's
	Err  error
}

func (e *EnvironmentError) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *EnvironmentError) Unwrap() error { return e.Err }

// Driver finds and opens the devices of one backend.
type Driver interface {
	// Name returns "vulkan" or "host".
	Name() string
	// Enumerate lists the devices. An error says what is missing on this
	// machine and what to do about it.
	Enumerate() ([]Info, error)
	// Open opens the device that Enumerate listed at index i.
	Open(i int) (Device, error)
}

// DeviceType classifies a device; lower values are listed first. A device of the last
// type, VulkanCPU, is opened by name alone.
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
	// Fused says that Fma of float32 rounds once, and that inverses and inverse square
	// roots are as exact as Vulkan asks for; probed when the device is opened.
	// abi.SpecFused depends on it.
	Fused bool
	// EndsLoops says that the driver leaves the loops of a work-item by itself once it has gone
	// round too often in all of them together; probed when the device is opened.
	EndsLoops bool
	// ExactDivide64 says the same of float64, which nothing corrects; false
	// without properties.FP64.
	ExactDivide64 bool
	UUID          [16]byte // which the device has for all drivers and programs; zero if it has none
	PCI           string   // address such as "0000:3b:00.0", or ""
	Timestamps    bool     // the device is a Timer that can tell
	// Matrices are the products of matrices that sub-groups of MatrixSubGroup work-items have.
	Matrices       []abi.MatrixTuple
	MatrixSubGroup int
}

// Subnormals says which kinds of operations keep the subnormal float32s among their
// operands and results; others take them for zeros. It has the fields of
// runtime.Subnormals, which describes them.
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

// Halves says which instructions of float16s have the bits that package half has, for NaNs any
// NaN's.
type Halves struct {
	Unpack, Pack  bool // GLSL's conversions, which need no types of 16 bits
	Widen, Narrow bool // conversions to and from float32; false without properties.FP16, as are those below
	Arithmetic    bool // x + y, x - y, x * y
	Quotients     bool // x / y
	Roots         bool // square roots
	Fused         bool // x*y + z, rounded once
}

// Computed reports whether the operations that package math32 uses keep them.
// abi.SpecFlushed depends on it.
func (s Subnormals) Computed() bool { return s.Arithmetic && s.Comparisons && s.MinMax }

// KeepsSubnormals is a device that keeps all.
var KeepsSubnormals = Subnormals{true, true, true, true, true, true, true, true, true, true, true}

// Limits are the figures that launches are checked against.
type Limits struct {
	MaxWorkGroupSize  [3]int // per dimension
	MaxWorkItems      int    // per work-group
	MaxGroups         [3]int // per dispatch; backends split larger ones
	LocalMemory       int    // bytes per work-group
	PrivateMemory     int    // bytes per work-item
	PrivateBacked     int    // bytes of it that the driver is sure to have memory for; 0 if unknown
	MaxAllocation     uint64 // bytes
	MaxLaunchBlock    int    // bytes of push constants
	ComputeUnits      int    // a hint for sizing; 0 if unknown
	PreferredItems    int    // preferred work-group size of a range kernel
	DeviceMemory      uint64
	MemoryIsHostSpeed bool // device memory is host memory (integrated, CPU)
}

// MemoryKind says how memory is used.
type MemoryKind uint8

const (
	// DeviceMemory is for kernels; Bytes may be nil.
	DeviceMemory MemoryKind = iota
	// HostMemory is visible to host and device; Bytes is never nil.
	HostMemory
)

// Memory is an allocation, freed exactly once by its owner when no batch that
// uses it is in flight.
type Memory interface {
	Size() uint64
	// Address is the device address, a multiple of 256.
	Address() uint64
	// Bytes is the memory as the host sees it, coherent, or nil.
	Bytes() []byte
	Free()
}

// SpecValue sets one specialization constant.
type SpecValue struct {
	ID   uint32
	Size int    // 1, 2, 4 or 8 bytes; a bool has 4
	Bits uint64 // in the low bytes
}

// PipelineDesc describes a kernel with all its specialization constants set,
// those of the work-group size and accessors included.
type PipelineDesc struct {
	Kernel       *abi.Kernel
	SPIRV        []uint32
	Loops        string // where the module's loops are, as in abi.Kernel
	Specs        []SpecValue
	LocalSize    [3]uint32
	SubGroupSize int // required size, or 0
	// FullSubGroups says that the module uses the device's matrices: no sub-group lacks work-items.
	FullSubGroups bool
	// Cancels says that the module is a variant that states abi.Variant.Cancel.
	Cancels bool
	// Host is what kernelimpl registered for the host backend; other backends
	// ignore it.
	Host any
	// HostSpecs are the values of the kernel's own constants, for the host backend.
	HostSpecs []dslhook.Spec
}

// Pipeline is a kernel made ready for launches.
type Pipeline interface{ Free() }

// Canceller is what a Pipeline may be beside. Cancels reports whether a launch that is
// asked to end soon does, wherever its work-items are; otherwise some of it may run to
// its own end, which may never come. A Pipeline that is no Canceller is one of those.
type Canceller interface{ Cancels() bool }

// Cached is what a Pipeline may be beside. Cached says whether the driver took it out of its
// cache: "hit", "miss", or "" if it does not say.
type Cached interface{ Cached() string }

// SliceArg is a slice argument, for backends that do not follow addresses and
// for keeping memory alive.
type SliceArg struct {
	Param  int // index into Kernel.Params
	Memory Memory
	Offset uint64
	Len    int // elements
}

// Fault receives how a command ended when its batch has completed: a launch's fault
// record, and why a command of any kind did not run whole.
type Fault struct {
	Set      bool
	Site     uint32
	Part     int // which of the kernel's Parts the site is of, if it has any
	A, B     int64
	GlobalID [3]uint32 // x, y, z
	// Pos and Kind are set instead of Site by backends that run the kernel's Go
	// code and so know no site.
	Pos     string
	Kind    abi.FaultKind
	Message string
	// Unsigned says that A is a uint64.
	Unsigned bool
	// Found and Err are set by backends that check kernels: what they have found,
	// and why they could not.
	Found []Finding
	Err   error
	// Ended is the number of a loop that the device ended, from 1, which is one of
	// Loops; see abi. It is 0 if there was none.
	Ended uint32
	Loops string
	// Cancelled says that the command did not run whole because its Cancel asked
	// for that: it did not start, or some of its work-items stopped early.
	Cancelled bool
	// Failed is why the command did not run, or not whole, if the backend could
	// not run it: what it was to write is unspecified then. Other commands of the
	// batch are not concerned.
	Failed error
	// Parts are of an OpGraph: how its commands ended, one for each; nil if all of
	// them ended well, or none of them ran, for Failed.
	Parts []Fault
}

// Clean reports whether a command that is no OpGraph ran whole and without a fault.
func (f *Fault) Clean() bool {
	return !f.Set && !f.Cancelled && f.Ended == 0 && f.Failed == nil && f.Err == nil && len(f.Found) == 0
}

// Finding is something that a check has found.
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
	OpHost      // a function of the host, of which devices know nothing
)

// Command is one command of a batch. Which fields count depends on Op.
type Command struct {
	Op Op
	// Barrier makes the command, and all that follow it, wait for every earlier
	// command, of this batch and of earlier ones, and see its writes.
	Barrier bool

	// OpLaunch
	Pipeline Pipeline
	Global   [3]uint32 // work-items along x, y, z
	Groups   [3]uint32 // work-groups along x, y, z, not limited by MaxGroups
	Args     []byte    // argument block, addresses filled in
	Slices   []SliceArg

	// Fault receives how the command ended; nil if nobody wants to know.
	Fault *Fault
	// Times receives when it ran, if the device is a Timer; nil if nobody wants to know.
	Times *Times
	// Cancel is nil for a command that cannot be cancelled.
	Cancel *Cancel
	// Taken is called once when the Host bytes of an OpWrite will not be read any
	// more, by Submit or later. Without it they stay as they are until the batch
	// has completed. It must not block.
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

// Graph is commands that a Replayer has been told of, to run them again and again.
type Graph interface {
	// Free gives up what the graph has. No batch with it is in flight, nor comes.
	Free()
}

// Replayer is what a Device may be beside. It runs commands that it has been told of with
// less effort: an OpGraph of theirs does what they would do.
type Replayer interface {
	// NewGraph takes launches, copies and fills, which it keeps: they, and what they point
	// to, do not change any more. Barrier counts among themselves; that of the first is the
	// OpGraph's. Their Fault and Cancel do not count, and they cannot be cancelled.
	NewGraph(commands []Command) (Graph, error)
}

// Ticket stands for a submitted batch.
type Ticket interface {
	// Done reports whether the batch has completed, without blocking. Once it
	// has returned true, all Fault and Host results are in place. Batches
	// complete in the order of their submission.
	Done() bool
	// Wait blocks until the batch has completed or ctx ends, whose error it then
	// returns; the batch goes on.
	Wait(ctx context.Context) error
}

// Device is an open device. Its methods are safe for concurrent use, but Close.
type Device interface {
	Info() *Info
	Alloc(size uint64, kind MemoryKind) (Memory, error)
	NewPipeline(d *PipelineDesc) (Pipeline, error)
	// Submit starts a batch. It never waits for work of the device: a command that
	// needs room that only completed work can give is started later. Batches start
	// in the order of their submission. The caller keeps the batch unchanged, and
	// all memory and pipelines alive, until the ticket is done. An error means
	// that no command of the batch ran or will run; what fails a single command is
	// told in its Fault.
	Submit(batch []Command) (Ticket, error)
	// Abandon gives up a device whose work does not end, instead of Close: all
	// tickets are done at once, with what had not completed failed for err, and
	// later calls fail. What the device still uses is never freed.
	Abandon(err error)
	// Close frees everything. No batch is in flight.
	Close() error
}
