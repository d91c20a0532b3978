// Package hal is the small interface between package runtime and its backends.
//
// A backend executes batches of commands in order. Backends do not deal with queues, events,
// hazards or options. Package runtime decides when it submits each command, and which commands must
// wait for earlier ones. A [Driver] lists and opens devices. A [Device] allocates [Memory], makes
// [Pipeline]s and runs batches of [Command]s. Submitting a batch returns a [Ticket].
package hal

import (
	"context"
	"errors"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/dslhook"
	"github.com/kgen-go/kgen/properties"
)

// Errors that backends wrap. Package runtime converts these errors to its own errors.
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

// EnvironmentError is the error that Open returns if an environment variable requires a feature
// that no device has.
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

// DeviceType is the type of a device. Devices with lower values are listed first. Devices of the
// last type, VulkanCPU, are opened only if the caller names them.
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
	Name       string // device name, as the driver reports it
	Driver     string // driver name and version, for people
	API        string // such as "Vulkan 1.3.230"
	Type       DeviceType
	Aspects    []properties.Aspect // sorted
	SubGroups  [2]int              // least and greatest sub-group size
	Limits     Limits
	Subnormals Subnormals // operations that keep subnormals, probed when the device is opened
	Halves     Halves     // exact float16 instructions, probed when the device is opened
	// ExactDivide says that the device rounds float32 division and square root correctly. The
	// backend probes this fact when the device is opened. abi.SpecExactDivide depends on
	// ExactDivide.
	ExactDivide bool
	// Fused says that a float32 Fma is rounded only once. Fused also says that inverses and inverse
	// square roots are as exact as Vulkan demands. The backend probes these facts when the device
	// is opened. abi.SpecFused depends on Fused.
	Fused bool
	// Fused64 says that a float64 Fma is rounded only once, even if the result is subnormal. The
	// backend probes this fact when the device is opened. abi.SpecFused64 depends on Fused64.
	// Fused64 is false without properties.FP64.
	Fused64 bool
	// EndsLoops says that the driver ends a work-item's loops early when they have run a certain
	// number of iterations in total. The backend probes this fact when the device is opened.
	EndsLoops bool
	// ExactDivide64 says that the device rounds float64 division and square root correctly. Kernels
	// do not correct these results. ExactDivide64 is false without properties.FP64.
	ExactDivide64 bool
	UUID          [16]byte // identifier of the device, the same for all drivers and programs; zero if the device has none
	PCI           string   // address such as "0000:3b:00.0", or ""
	Timestamps    bool     // the device implements Timer and can measure when commands run
	// Matrices lists the matrix products that sub-groups of MatrixSubGroup work-items can compute.
	Matrices       []abi.MatrixTuple
	MatrixSubGroup int
}

// Subnormals says which operations accept and return subnormal float32s correctly. The other
// operations treat subnormals as zeros. The documentation of runtime.Subnormals describes the
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

// Halves says which float16 instructions have the same results as package half. All NaNs count as
// equal, whatever their bits are.
type Halves struct {
	Unpack, Pack  bool // the GLSL conversions, which need no 16-bit types
	Widen, Narrow bool // conversions to and from float32; these and the next four fields are false without properties.FP16
	Arithmetic    bool // x + y, x - y, x * y
	Quotients     bool // x / y
	Roots         bool // square roots
	Fused         bool // x*y + z, rounded once
}

// Computed reports whether the operations that package math32 uses keep subnormals. abi.SpecFlushed
// depends on the result of Computed.
func (s Subnormals) Computed() bool { return s.Arithmetic && s.Comparisons && s.MinMax }

// KeepsSubnormals is the value for a device whose operations all keep subnormals.
var KeepsSubnormals = Subnormals{true, true, true, true, true, true, true, true, true, true, true}

// Limits are the limits of a device. The runtime checks launches against these limits.
type Limits struct {
	MaxWorkGroupSize  [3]int // largest number of work-items per dimension
	MaxWorkItems      int    // largest number of work-items in a work-group
	MaxGroups         [3]int // largest number of work-groups per dispatch; backends split larger launches
	LocalMemory       int    // largest work-group memory, in bytes
	PrivateMemory     int    // largest private memory of a work-item, in bytes
	PrivateBacked     int    // bytes of private memory that the driver guarantees; 0 if unknown
	MaxAllocation     uint64 // largest size of an allocation, in bytes
	MaxLaunchBlock    int    // largest size of the push constants, in bytes
	ComputeUnits      int    // number of the device's compute units, a hint for the choice of sizes; 0 if unknown
	PreferredItems    int    // preferred work-group size of a range kernel
	DeviceMemory      uint64
	MemoryIsHostSpeed bool // device memory is host memory (integrated GPU or CPU)
}

// MemoryKind says whether the device alone, or also the host, accesses a memory.
type MemoryKind uint8

const (
	// DeviceMemory is memory for kernels. The method Bytes of DeviceMemory may return nil.
	DeviceMemory MemoryKind = iota
	// HostMemory is memory that host and device can access. The method Bytes of HostMemory never
	// returns nil.
	HostMemory
)

// Memory is an allocation. The owner of a Memory frees the memory exactly once, when no batch in
// flight uses the memory.
type Memory interface {
	Size() uint64
	// Address is the device address, a multiple of 256.
	Address() uint64
	// Bytes returns the bytes of the memory if the host can access it, else nil. Writes by host and
	// device are coherent.
	Bytes() []byte
	Free()
}

// SpecValue sets one specialization constant.
type SpecValue struct {
	ID   uint32
	Size int    // size of the constant: 1, 2, 4 or 8 bytes; a bool has 4
	Bits uint64 // bits of the value, in the low bytes
}

// PipelineDesc describes a kernel with values for all its specialization constants. The constants
// include those for the work-group size and for accessors.
type PipelineDesc struct {
	Kernel       *abi.Kernel
	SPIRV        []uint32
	Loops        string // source positions of the module's loops, as in abi.Kernel
	Specs        []SpecValue
	LocalSize    [3]uint32
	SubGroupSize int // sub-group size that the launch requires, or 0
	// FullSubGroups says that the module uses the device's matrix instructions. Matrix instructions
	// need sub-groups without missing work-items.
	FullSubGroups bool
	// Cancels says that the module is a variant with the property abi.Variant.Cancel.
	Cancels bool
	// Host is the kernel that kernelimpl registered for the host backend. Other backends ignore the
	// field Host.
	Host any
	// HostSpecs are the values of the kernel's own constants, for the host backend.
	HostSpecs []dslhook.Spec
}

// Pipeline is a compiled kernel that is ready for launches.
type Pipeline interface{ Free() }

// Canceller is an optional interface of a Pipeline. Cancels reports whether a launch ends soon
// after Cancel.Ask, whatever its work-items execute at that time. If Cancels returns false, some
// work-items may continue after Cancel.Ask until their code ends, or forever. If a Pipeline does
// not implement Canceller, the runtime assumes that Cancels would return false.
type Canceller interface{ Cancels() bool }

// Cached is an optional interface of a Pipeline. The method of Cached returns "hit" if the driver
// found the pipeline in the driver's cache, and "miss" if not. The method returns "" if the driver
// does not say.
type Cached interface{ Cached() string }

// SliceArg is a slice argument, for backends that do not use addresses. SliceArg keeps the memory
// alive.
type SliceArg struct {
	Param  int // index into Kernel.Params
	Memory Memory
	Offset uint64
	Len    int // number of elements
}

// Fault receives the outcome of a command when its batch has completed. Fault contains a launch's
// fault record, and the reason why a command of any kind did not complete.
type Fault struct {
	Set      bool
	Site     uint32
	Part     int // index in the kernel's Parts of the part that contains the site
	A, B     int64
	GlobalID [3]uint32 // global id of the work-item, in the order x, y, z
	// Backends that run the kernel's Go code set Pos and Kind instead of Site, because Go code has
	// no sites.
	Pos     string
	Kind    abi.FaultKind
	Message string
	// Unsigned says that the value A is a uint64.
	Unsigned bool
	// Backends that check kernels set Found and Err. Found lists the errors in the kernel, and Err
	// is the reason why the backend could not check.
	Found []Finding
	Err   error
	// Ended is the number of a loop that the device ended early, counted from 1. Ended is 0 if the
	// device ended no loop early. Loops contains the source positions of the module's loops (see
	// package abi).
	Ended uint32
	Loops string
	// Cancelled says that the command did not complete because its Cancel was asked to stop it.
	// Either the command did not start, or some of its work-items stopped early.
	Cancelled bool
	// Failed is the reason why the backend could not run the command, or could not complete it. The
	// command's results are then unspecified. Other commands of the batch are not affected.
	Failed error
	// Parts contains the outcome of each command of an OpGraph. Parts is nil if all commands
	// succeeded. Parts is also nil if no command ran, and Failed then says why.
	Parts []Fault
}

// Clean reports whether a command other than an OpGraph completed without a fault.
func (f *Fault) Clean() bool {
	return !f.Set && !f.Cancelled && f.Ended == 0 && f.Failed == nil && f.Err == nil && len(f.Found) == 0
}

// Finding is an error in a kernel that checked mode found.
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
	OpGraph     // run all commands of a Graph, in their order
	OpHost      // call a function on the host; devices never get this command
)

// Command is one command of a batch. Op decides which fields are used.
type Command struct {
	Op Op
	// Barrier makes this command and all later commands wait for all earlier commands. Commands after a
	// Barrier see the writes of all commands before the Barrier. Earlier commands are commands of the
	// same batch and of earlier batches.
	Barrier bool

	// fields of OpLaunch
	Pipeline Pipeline
	Global   [3]uint32 // work-items along x, y, z
	Groups   [3]uint32 // work-groups along x, y, z, not limited by MaxGroups
	Args     []byte    // argument block that contains the addresses
	Slices   []SliceArg

	// Apart says that all earlier commands that this command depends on have completed. The device may
	// run the command at the same time as all others. Later commands see the command's writes after a
	// Barrier.
	Apart bool

	// Fault receives the outcome of the command; it may be nil.
	Fault *Fault
	// Times receives the times of the command, if the device is a Timer; it may be nil.
	Times *Times
	// Cancel is nil for a command that cannot be cancelled.
	Cancel *Cancel
	// For an OpWrite, Taken is called once, when the bytes in the field Host will not be read any
	// more. Submit or a later step calls Taken. If Taken is nil, the bytes stay unchanged until the
	// batch has completed. Taken must not block.
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

// Replayer is an optional interface of a Device. Replayer prepares a list of commands, so that an
// OpGraph runs them with less effort than the single commands. The OpGraph has the same effect as
// its commands.
type Replayer interface {
	// NewGraph makes a graph of launches, copies and fills. The commands, and all data that they
	// point to, must not change any more. The Barrier fields order the commands of the graph among
	// themselves. The Barrier of the OpGraph replaces that of the first command. Fault and Cancel
	// of the commands are ignored, and the commands cannot be cancelled.
	NewGraph(commands []Command) (Graph, error)
}

// Importer is an optional interface of a Device. Import returns a Memory that consists of the bytes
// b of the host, for use in copies. The address and the size of b are multiples of ImportAlign.
// Other devices may import the same bytes.
type Importer interface {
	Import(b []byte) (Memory, error)
}

// Peer is an optional interface of a Device. Such a device can copy from the memory of another
// device directly, without using memory of the host.
type Peer interface {
	// CopyFrom copies size bytes from the memory src of another device to the memory dst of the
	// Device. Before CopyFrom is called, all earlier commands that use the bytes must have
	// completed. During the copy no other command may use them. CopyFrom ends early if cancel
	// requests it, or if ctx ends.
	CopyFrom(ctx context.Context, cancel *Cancel, dst Memory, dstOff uint64, from Device, src Memory, srcOff, size uint64) PeerCopy
}

// PeerCopy is the outcome of Peer.CopyFrom.
type PeerCopy struct {
	// Refused is the reason why the device cannot copy the bytes directly, or nil. The elements of
	// dst are then unspecified, and nothing writes to them any more.
	Refused error
	// Failed is the error of a copy that failed, perhaps after it had written some of the bytes.
	Failed    error
	Cancelled bool // the copy has ended early
	// First says that copies between the two devices have not had this outcome before.
	First bool
}

// ImportAlign is a multiple of all alignments that devices require for imported memory.
const ImportAlign = 64 << 10

// Ticket represents a submitted batch.
type Ticket interface {
	// Done reports whether the batch has completed, without blocking. Once Done has returned true,
	// all Fault and Host results are in place. Batches complete in the order of their submission.
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
	// earlier work must free first, the device starts the command later. Batches start in the order
	// of their submission. Until the ticket is done, the caller does not change the batch, and does
	// not free the memory and the pipelines that the batch uses. An error means that no command of
	// the batch ran or will run. The failure of a single command is reported in its Fault.
	Submit(batch []Command) (Ticket, error)
	// Abandon gives up a device whose work does not end. Abandon is called instead of Close. All
	// tickets are done at once, commands that have not completed fail with err, and later calls
	// fail. Memory that the device still uses is never freed.
	Abandon(err error)
	// Close frees all resources of the device. No batch may be in flight.
	Close() error
}
