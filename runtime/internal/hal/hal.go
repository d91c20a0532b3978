// Package hal declares the interface between package runtime and its backends.
//
// A backend executes batches of commands in order. Backends know nothing about queues, events,
// hazards or options. Package runtime decides when each command is submitted, and which commands
// must wait for earlier commands. A [Driver] lists and opens devices. A [Device] allocates
// [Memory], makes [Pipeline]s and runs batches of [Command]s. Submitting a batch returns a
// [Ticket].
package hal

import (
	"context"
	"errors"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/dslhook"
	"github.com/kgen-go/kgen/properties"
)

// Backends return errors that wrap one of these errors. Package runtime converts errors of backends
// to its own errors.
var (
	ErrOutOfMemory = errors.New("out of memory")
	ErrDeviceLost  = errors.New("device lost")
	ErrPipeline    = errors.New("pipeline creation failed")
	// ErrNotSupported means that the device lacks a feature that the kernel needs.
	ErrNotSupported = errors.New("not supported by the device")
	// ErrDriver means that a call of the driver failed for a reason that no other error describes.
	ErrDriver = errors.New("the driver failed")
	// ErrAbandoned means that the device was abandoned while it was still busy.
	ErrAbandoned = errors.New("the device was abandoned")
)

// EnvironmentError says that an environment variable requires a feature, but that no device has
// this feature.
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
	// Enumerate lists the devices. If the backend cannot work on this machine, the error contains
	// the reason and a remedy.
	Enumerate() ([]Info, error)
	// Open opens the device that Enumerate listed at index i.
	Open(i int) (Device, error)
}

// DeviceType is the type of a device. In the list of devices, devices whose type has a lower value
// come first. Devices of the type VulkanCPU are opened only if the caller names them.
type DeviceType uint8

const (
	DiscreteGPU DeviceType = iota
	IntegratedGPU
	VirtualGPU
	OtherDevice
	HostCPU
	VulkanCPU
)

// Info describes a device. Arrays with three elements are in the order x, y, z.
type Info struct {
	Name       string // device name, as the driver reports it
	Driver     string // name and version of the driver, as text for users
	API        string // such as "Vulkan 1.3.230"
	Type       DeviceType
	Aspects    []properties.Aspect // sorted
	SubGroups  [2]int              // smallest and largest sub-group size
	Limits     Limits
	Subnormals Subnormals // operations that keep subnormals; set by Open, which tests the device
	Halves     Halves     // exact float16 instructions; set by Open, which tests the device
	// ExactDivide says that the device rounds float32 division and square root correctly. To set
	// ExactDivide, the backend tests the device when it opens the device. The value of
	// abi.SpecExactDivide depends on ExactDivide.
	ExactDivide bool
	// Fused says that the device rounds a float32 Fma only once, and that inverses and inverse
	// square roots are as exact as Vulkan demands. To set Fused, the backend tests the device when
	// it opens the device. The value of abi.SpecFused depends on Fused.
	Fused bool
	// Fused64 says that the device rounds a float64 Fma only once, even if the result is subnormal.
	// To set Fused64, the backend tests the device when it opens the device. The value of
	// abi.SpecFused64 depends on Fused64. Fused64 is false without properties.FP64.
	Fused64 bool
	// EndsLoops says that the driver ends loops early when the loops of a work-item have run a
	// certain number of iterations in total. To set EndsLoops, the backend tests the device when it
	// opens the device.
	EndsLoops bool
	// ExactDivide64 says that the device rounds float64 division and square root correctly. Kernels
	// do not correct the results of float64 operations. ExactDivide64 is false without
	// properties.FP64.
	ExactDivide64 bool
	UUID          [16]byte // identifier of the device, which is the same for all drivers and programs; zero if the device has none
	PCI           string   // address such as "0000:3b:00.0", or ""
	Timestamps    bool     // the device implements Timer and can measure when commands run
	// Matrices lists the matrix products that sub-groups of MatrixSubGroup work-items can compute.
	Matrices       []abi.MatrixTuple
	MatrixSubGroup int
}

// Subnormals says which float32 operations handle subnormal operands and results correctly. All
// other operations treat subnormals as zeros. The documentation of runtime.Subnormals describes the
// fields.
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

// Halves says which float16 instructions have the same results as package half. If both results are
// NaNs, the results count as the same.
type Halves struct {
	Unpack, Pack  bool // the GLSL instructions UnpackHalf2x16 and PackHalf2x16, which need no 16-bit types
	Widen, Narrow bool // conversions to and from float32; without properties.FP16, Widen, Narrow and all following fields are false
	Arithmetic    bool // x + y, x - y, x * y
	Quotients     bool // x / y
	Roots         bool // square roots
	Fused         bool // x*y + z, with a single rounding
}

// Computed reports whether the operations that package math32 uses keep subnormals. The value of
// abi.SpecFlushed depends on the result of Computed.
func (s Subnormals) Computed() bool { return s.Arithmetic && s.Comparisons && s.MinMax }

// KeepsSubnormals describes a device on which all operations keep subnormals.
var KeepsSubnormals = Subnormals{true, true, true, true, true, true, true, true, true, true, true}

// Limits are the limits of a device. The runtime checks launches against these limits.
type Limits struct {
	MaxWorkGroupSize  [3]int // largest number of work-items per dimension
	MaxWorkItems      int    // largest number of work-items in a work-group
	MaxGroups         [3]int // largest number of work-groups per dispatch; backends split larger launches
	LocalMemory       int    // largest work-group memory, in bytes
	PrivateMemory     int    // largest private memory of a work-item, in bytes
	PrivateBacked     int    // private memory of a work-item that the driver guarantees, in bytes; 0 if unknown
	MaxAllocation     uint64 // largest size of an allocation, in bytes
	MaxLaunchBlock    int    // largest size of the push constants, in bytes
	ComputeUnits      int    // number of the device's compute units, or 0 if unknown
	PreferredItems    int    // preferred work-group size of kernels over a range
	DeviceMemory      uint64
	MemoryIsHostSpeed bool // device memory is host memory (integrated GPU or CPU)
}

// MemoryKind says whether only the device or also the host can access a Memory.
type MemoryKind uint8

const (
	// DeviceMemory is memory for kernels. For DeviceMemory, the method Memory.Bytes may return nil.
	DeviceMemory MemoryKind = iota
	// HostMemory is memory that the host and the device can access. For HostMemory, the method
	// Memory.Bytes never returns nil.
	HostMemory
)

// Memory is an allocation. The owner of a Memory frees the Memory exactly once, when no batch in
// flight uses it.
type Memory interface {
	Size() uint64
	// Address is the device address, a multiple of 256.
	Address() uint64
	// Bytes returns the bytes of the memory, or nil if the host cannot access the memory. Writes by
	// host and device are coherent.
	Bytes() []byte
	Free()
}

// SpecValue sets one specialization constant.
type SpecValue struct {
	ID   uint32
	Size int    // size of the constant: 1, 2, 4 or 8 bytes; a bool has 4
	Bits uint64 // bits of the value, in the lowest Size bytes
}

// PipelineDesc describes a kernel with values for all its specialization constants, including
// constants for the work-group size and for accessors.
type PipelineDesc struct {
	Kernel       *abi.Kernel
	SPIRV        []uint32
	Loops        string // source positions of the module's loops, in the format of abi.Kernel.Loops
	Specs        []SpecValue
	LocalSize    [3]uint32
	SubGroupSize int // sub-group size that the launch requires, or 0
	// FullSubGroups says that the module uses the device's matrix instructions. Matrix instructions
	// need sub-groups in which no work-items are missing.
	FullSubGroups bool
	// Cancels says that the module is a variant whose field abi.Variant.Cancel is set.
	Cancels bool
	// Host is the kernel that package kernelimpl has registered for the host backend. Other
	// backends ignore the field Host.
	Host any
	// HostSpecs are the values of the kernel's own constants, for the host backend.
	HostSpecs []dslhook.Spec
}

// Pipeline is a compiled kernel that is ready for launches.
type Pipeline interface{ Free() }

// Canceller is an optional interface of a Pipeline. Cancels reports whether a launch always ends
// soon after Cancel.Ask. If Cancels returns false, some work-items may continue after Cancel.Ask
// until their code ends, or forever. If a Pipeline does not implement Canceller, the runtime
// assumes that Cancels would return false.
type Canceller interface{ Cancels() bool }

// Cached is an optional interface of a Pipeline. The method Cached returns "hit" if the driver
// found the pipeline in its cache, "miss" if not, and "" if the driver does not say.
type Cached interface{ Cached() string }

// SliceArg is a slice argument of a launch. Backends that do not use addresses read the slice from
// SliceArg. The field Memory keeps the slice's memory allocated.
type SliceArg struct {
	Param  int // index into Kernel.Params
	Memory Memory
	Offset uint64
	Len    int // number of elements
}

// Fault is the outcome of a command. The backend sets the Fault before the command's batch has
// completed. A Fault contains the fault record of a launch, or the reason why a command did not
// complete.
type Fault struct {
	Set      bool
	Site     uint32
	Part     int // index in abi.Kernel.Parts of the part that contains the fault's site
	A, B     int64
	GlobalID [3]uint32 // global id of the work-item, in the order x, y, z
	// Pos and Kind are set instead of Site by backends that run the kernel's Go code, because Go
	// code has no sites.
	Pos     string
	Kind    abi.FaultKind
	Message string
	// Unsigned says that A contains the bits of a uint64.
	Unsigned bool
	// Found and Err are set by backends that check kernels. Found lists the errors in the kernel,
	// and Err is the reason why the backend could not check the kernel.
	Found []Finding
	Err   error
	// Ended is the number (counted from 1) of a loop that the device ended early, or 0 if there is
	// no such loop. Loops contains the source positions of the module's loops (see package abi).
	Ended uint32
	Loops string
	// Cancelled says that the command did not complete because of its Cancel. Either the command
	// did not start, or some of its work-items stopped early.
	Cancelled bool
	// Failed is the reason why the backend could not run the command, or could not complete it. If
	// Failed is not nil, the results of the command are unspecified. Other commands of the batch
	// are not affected.
	Failed error
	// Parts contains the outcome of each command of an OpGraph. Parts is nil if all commands
	// succeeded, or if no command ran. In the latter case, Failed contains the reason.
	Parts []Fault
}

// Clean reports whether the command completed without a fault. The command must not be an OpGraph.
func (f *Fault) Clean() bool {
	return !f.Set && !f.Cancelled && f.Ended == 0 && f.Failed == nil && f.Err == nil && len(f.Found) == 0
}

// Finding is an error that checked mode has found in a kernel.
type Finding struct {
	Kind       uint8
	Pos, Other string
	Message    string
}

// Op is the operation of a command.
type Op uint8

const (
	OpLaunch Op = iota
	OpCopy      // copy from device memory to device memory
	OpFill      // fill memory with a 32-bit pattern; offset and size are multiples of 4
	OpWrite     // copy from host memory to device memory
	OpRead      // copy from device memory to host memory
	OpGraph     // run all commands of a Graph in order
	OpHost      // call a function on the host; package runtime never submits this command to a device
)

// Command is one command of a batch. Op decides which fields are used.
type Command struct {
	Op Op
	// Barrier makes this command and all later commands wait for all earlier commands. Commands
	// after a Barrier see the writes of all commands before the Barrier. Commands before a Barrier
	// may be in the same batch or in earlier batches.
	Barrier bool

	// fields of OpLaunch
	Pipeline Pipeline
	Global   [3]uint32 // work-items along x, y, z
	Groups   [3]uint32 // numbers of work-groups along x, y, z; they may exceed MaxGroups
	Args     []byte    // argument block that contains the addresses
	Slices   []SliceArg

	// The field Apart says that the command depends only on commands that have completed. The
	// device may therefore run the command at the same time as all other commands. After a Barrier,
	// later commands see the command's writes.
	Apart bool

	// Fault receives the outcome of the command, and may be nil.
	Fault *Fault
	// Times receives the times of the command if the device is a Timer, and may be nil.
	Times *Times
	// Cancel is the request to stop the command, or nil for a command that cannot be cancelled.
	Cancel *Cancel
	// Taken is called once for an OpWrite, when the backend has read all bytes in the field Host.
	// Taken is called during Submit or later. If Taken is nil, the bytes in Host stay unchanged
	// until the batch has completed. Taken must not block.
	Taken func()

	// fields of OpCopy, OpFill, OpWrite and OpRead
	Dst, Src       Memory
	DstOff, SrcOff uint64
	Size           uint64
	Pattern        uint32
	Host           []byte // source of OpWrite, destination of OpRead

	// field of OpGraph
	Graph Graph
}

// Graph is a list of commands that a Replayer has prepared for repeated runs.
type Graph interface {
	// Free frees the graph's resources. When Free is called, no batch in flight may contain the
	// graph. The caller must not submit the graph again.
	Free()
}

// Replayer is an optional interface of a Device. A Replayer prepares a list of commands as a Graph.
// An OpGraph with this Graph has the same effect as the commands, but takes less time.
type Replayer interface {
	// NewGraph makes a graph of launches, copies and fills. After the call, the commands, and all
	// data that they point to, must not change. The field Barrier of a command orders the command
	// after earlier commands of the graph. The Barrier of the first command is ignored, and the
	// Barrier of the OpGraph is used instead. The fields Fault and Cancel of the commands are
	// ignored, so the commands cannot be cancelled.
	NewGraph(commands []Command) (Graph, error)
}

// Importer is an optional interface of a Device. Import returns a Memory for copies. The bytes of
// the Memory are the host's bytes b. The address and the size of b are multiples of ImportAlign.
// Other devices may import the same bytes.
type Importer interface {
	Import(b []byte) (Memory, error)
}

// Peer is an optional interface of a Device. A Peer can copy directly from the memory of another
// device, without additional memory of the host.
type Peer interface {
	// CopyFrom copies size bytes from the memory src, which belongs to another device, to the
	// memory dst of the Peer. Before CopyFrom is called, all earlier commands that use the bytes
	// must have completed. During the copy, no other command may use the bytes. CopyFrom ends early
	// if the method Ask of cancel is called, or if ctx ends.
	CopyFrom(ctx context.Context, cancel *Cancel, dst Memory, dstOff uint64, from Device, src Memory, srcOff, size uint64) PeerCopy
}

// PeerCopy is the outcome of Peer.CopyFrom.
type PeerCopy struct {
	// Refused is the reason why the Peer cannot copy the bytes directly, or nil. If Refused is not
	// nil, the bytes of dst are unspecified, and CopyFrom no longer writes to them.
	Refused error
	// Failed is the error of a copy that failed. The copy may have written some of the bytes.
	Failed    error
	Cancelled bool // the copy ended early because of cancel or ctx
	// First says that earlier copies between the two devices did not have the same outcome.
	First bool
}

// ImportAlign is a multiple of all alignments that devices require for imported memory.
const ImportAlign = 64 << 10

// Ticket represents a submitted batch.
type Ticket interface {
	// Done reports whether the batch has completed, without blocking. Once Done has returned true,
	// the Faults of the batch are set, and the Host slices of OpReads contain the bytes that were
	// read. Batches complete in the order of their submission.
	Done() bool
	// Wait blocks until the batch has completed or ctx ends. If ctx ends first, Wait returns the
	// error of ctx, and the batch continues.
	Wait(ctx context.Context) error
}

// Device is an open device. The methods of a Device, except Close, are safe for concurrent use.
type Device interface {
	Info() *Info
	Alloc(size uint64, kind MemoryKind) (Memory, error)
	NewPipeline(d *PipelineDesc) (Pipeline, error)
	// Submit starts a batch. Submit never waits for the device. If a command needs resources that
	// earlier commands still use, the device starts the command later. Batches start in the order
	// of their submission. Until the ticket is done, the caller must not change the batch, and must
	// not free memory or pipelines that the batch uses. If Submit returns an error, no command of
	// the batch has run or will run. If a single command fails, the command's Fault contains the
	// failure.
	Submit(batch []Command) (Ticket, error)
	// Abandon is called in place of Close for a device whose work does not end. After Abandon, all
	// tickets are done, commands that have not completed fail with err, and later calls fail.
	// Memory that the device still uses is never freed.
	Abandon(err error)
	// Close frees all resources of the device. No batch may be in flight.
	Close() error
}
