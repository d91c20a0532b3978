package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/ferry"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/stream"
	"github.com/kgen-go/kgen/runtime/internal/trace"
)

// DeviceType classifies devices, for example as GPUs or CPUs. The function Devices lists the
// devices in increasing order of DeviceType.
type DeviceType uint8

// The types of devices.
const (
	DiscreteGPU DeviceType = iota
	IntegratedGPU
	VirtualGPU
	OtherDevice
	HostCPU   // the host device, which runs the Go code of kernels
	VulkanCPU // a Vulkan driver that runs on the CPU; opened only if Select or KGEN_DEVICE chooses it
)

// deviceTypeNames contains the text that String returns for each type.
var deviceTypeNames = [...]string{"discrete GPU", "integrated GPU", "virtual GPU", "other device", "host", "Vulkan on the CPU"}

// String returns the type in words.
func (t DeviceType) String() string {
	if int(t) < len(deviceTypeNames) {
		return deviceTypeNames[t]
	}
	return fmt.Sprintf("DeviceType(%d)", uint8(t))
}

// DeviceInfo describes a device.
type DeviceInfo struct {
	Name    string // name of the device, as the driver reports it
	Backend string // "vulkan" or "host"
	Driver  string // name and version of the driver, as text for users
	API     string // such as "Vulkan 1.3.230"
	Type    DeviceType
	UUID    string              // such as "9a3c1f0e-…", the same for all drivers and programs; "" if it has none
	PCI     string              // address such as "0000:3b:00.0"; "" if it is not known
	Aspects []properties.Aspect // sorted
	// MinSubGroup and MaxSubGroup are the smallest and largest size of sub-groups. The size of a
	// sub-group is always a power of 2.
	MinSubGroup, MaxSubGroup int
	Limits                   Limits
	// Matrices lists the matrix products for which the device has its own instructions; see
	// docs/matrices.md. Matrices is empty if kernels compute all matrix products by loops.
	Matrices []MatrixProduct
	// ComputeUnits is a lower bound for the number of work-groups that the device can run at the
	// same time, or 0 if this number is unknown.
	ComputeUnits int
	// Timestamps says that the device can measure when commands run; see Profiling.
	Timestamps bool
	// Subnormals says which float32 operations keep subnormal numbers. Open sets this field.
	Subnormals Subnormals
	// Float16 describes the operations on half.Float16 for which kernels use instructions of the
	// device. Open sets this field.
	Float16 Float16
	// ExactDivide says that the device rounds float32 division and square root correctly. If
	// ExactDivide is false, kernels correct the results, which takes some time; see
	// properties.FloatFast. Open sets this field.
	ExactDivide bool
	// ExactDivide64 says that the device rounds float64 division and square root correctly. Kernels
	// do not correct the results of float64 operations.
	ExactDivide64 bool
	// Missing lists the reasons why Open opened no better device. Missing names the backends that
	// found no device, and the devices that failed to open. If the caller chose no device, Missing
	// also names the Vulkan drivers on the CPU, which Open then does not consider. Open sets this
	// field.
	Missing []string
}

// Subnormals says, for each kind of float32 operation, whether the device keeps subnormal numbers
// (numbers below 2^-126). A false field means that the device treats subnormal operands, subnormal
// results, or both, as zeros. On every device, loads, stores, copies, math.Float32bits and float64
// arithmetic keep subnormal numbers. The host device keeps all subnormals.
//
// Subnormals describes the device's own instructions. On every device, the following operations of
// kernels keep subnormals: conversions to float64, math.Nextafter32, and all functions of package
// math32 except fast ones such as math32.FastExp. If the device's own instructions flush
// subnormals, kernels use integer code for operations that must keep subnormals. Quotients and
// square roots also keep subnormals, unless the kernel's mode is properties.FloatFast.
type Subnormals struct {
	Arithmetic  bool // x + y, x - y, x * y and -x
	Fused       bool // fused multiply-add, which is x*y + z with a single rounding; see properties.Float
	Quotients   bool // x / y and square roots
	Comparisons bool // ==, <, …
	MinMax      bool // the least and the greatest of several numbers
	Abs         bool // absolute value and copysign
	Rounding    bool // rounding to an integer, as math32.Floor does
	Functions   bool // fast versions of math32's functions, such as math32.FastExp
	ToFloat64   bool // float64(x); false where the device has no float64
	FromFloat64 bool // float32(y) of a float64 y; false where the device has no float64
	Atomics     bool // the device's own atomic addition in buffers; false where the device has no such instruction
}

// Float16 describes the operations on half.Float16 for which kernels use float16 instructions of
// the device. Kernels use a float16 instruction only if Open has found that it has the same results
// as package half. Kernels compute all other operations with integers and float32s, with the same
// results. The host device has no float16 instructions. Vulkan drivers on the CPU have some float16
// instructions, but by default kernels do not use them.
type Float16 struct {
	Widen      bool // x.Float32()
	Narrow     bool // half.FromFloat32
	Arithmetic bool // x.Add(y), x.Sub(y) and x.Mul(y)
	FMA        bool // x.FMA(y, z)
	Division   bool // x.Div(y)
	Root       bool // x.Sqrt()
}

// Limits are the limits of a device. A launch that exceeds a limit returns an error.
type Limits struct {
	MaxWorkGroupSize [3]int // largest size of a work-group along x, y and z, in work-items; x is the last dimension, which varies fastest
	MaxWorkItems     int    // largest number of work-items in a work-group
	LocalMemory      int    // largest work-group memory, in bytes
	PrivateMemory    int    // largest private memory of a work-item, in bytes
	MaxAllocation    uint64 // largest size of a buffer, in bytes
	DeviceMemory     uint64 // bytes
}

// String returns the device's name, backend and type.
func (i DeviceInfo) String() string {
	return fmt.Sprintf("%s (%s, %s)", i.Name, i.Backend, i.Type)
}

func newDeviceInfo(backend string, h *hal.Info) DeviceInfo {
	i := DeviceInfo{
		Name: h.Name, Backend: backend, Driver: h.Driver, API: h.API, Type: DeviceType(h.Type),
		UUID: uuidText(h.UUID), PCI: h.PCI, ComputeUnits: h.Limits.ComputeUnits, Timestamps: h.Timestamps,
		Aspects:     slices.Clone(h.Aspects),
		MinSubGroup: h.SubGroups[0], MaxSubGroup: h.SubGroups[1],
		Limits: Limits{h.Limits.MaxWorkGroupSize, h.Limits.MaxWorkItems, h.Limits.LocalMemory, cmp.Or(h.Limits.PrivateMemory, defaultPrivate),
			h.Limits.MaxAllocation, h.Limits.DeviceMemory},
		Subnormals:  Subnormals(h.Subnormals),
		Float16:     float16Of(&h.Halves),
		ExactDivide: h.ExactDivide, ExactDivide64: h.ExactDivide64,
	}
	for _, t := range h.Matrices {
		i.Matrices = append(i.Matrices, MatrixProduct(t))
	}
	return i
}

func float16Of(h *hal.Halves) Float16 {
	return Float16{Widen: h.Widen || h.Unpack, Narrow: h.Narrow || h.Pack, Arithmetic: h.Arithmetic, FMA: h.Fused, Division: h.Quotients, Root: h.Roots}
}

// uuidText returns a UUID in its usual notation, or "" for the zero UUID.
func uuidText(u [16]byte) string {
	if u == ([16]byte{}) {
		return ""
	}
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// foundDevice describes a device that Open can open.
type foundDevice struct {
	driver hal.Driver
	index  int
	info   hal.Info
}

// findDevices lists the devices in the order of their types. findDevices also returns the reasons
// why other devices are missing.
func findDevices() (all []foundDevice, missing []string) {
	for _, d := range backends {
		infos, err := d.Enumerate()
		if err != nil {
			missing = append(missing, err.Error())
		}
		for i, info := range infos {
			all = append(all, foundDevice{d, i, info})
		}
	}
	slices.SortStableFunc(all, func(a, b foundDevice) int { return cmp.Compare(a.info.Type, b.info.Type) })
	return all, missing
}

// Devices lists the devices that Open can open. GPUs come first, then the host device, then Vulkan
// drivers on the CPU. Select and KGEN_DEVICE accept a device's index in the list, its UUID and its
// PCI address. UUIDs and PCI addresses stay the same when devices are added. MissingDevices returns
// the reasons why other devices are not in the list. DeviceInfo.Fit says how a kernel runs on a
// device.
func Devices() []DeviceInfo {
	all, _ := findDevices()
	out := make([]DeviceInfo, len(all))
	for i := range all {
		out[i] = newDeviceInfo(all[i].driver.Name(), &all[i].info)
	}
	return out
}

// MissingDevices returns the reasons why other devices are not in the list of Devices, and explains
// how to make them available. For example, a loader or a driver may not be installed, or a device
// may lack a feature that kgen needs.
func MissingDevices() []string {
	_, missing := findDevices()
	return missing
}

// Device is an open device. The methods of a Device may be called from several goroutines.
type Device struct {
	hal     hal.Device
	backend string
	info    hal.Info // description of the device, after options of Open have hidden aspects and lowered limits
	missing []string
	stream  *stream.Stream
	queue   *Queue
	queues  atomic.Int32 // number of queues made so far
	log     *slog.Logger
	trace   *trace.Tracer // nil if the device writes no trace
	// measuresTimes says that the device measures when commands run. profilingOn says that Event.Profile
	// returns the measured times.
	measuresTimes, profilingOn bool
	noClock                    error // reason why the device cannot measure when commands run, or nil
	// correctsDivision says that kernels correct the results of float32 division and square root.
	correctsDivision bool
	// byFma says that corrections of float32 results use fused multiply-adds instead of integer
	// operations.
	byFma bool
	// byFma64 says that kernels compute math.FMA by one instruction of the device.
	byFma64 bool
	// flushesSubnormals says that some operations of package math32 would flush subnormals on the
	// device, so kernels use integer code.
	flushesSubnormals bool
	// smallVariants says that small launches use the variants of kernels for small launches.
	smallVariants bool

	closing time.Duration // longest time that Close waits; zero or less means no limit

	pipelines exec.Pipelines
	memos     exec.Memos
	fused     fusedKernels
	printing  printSettings // print options for launches that have no print options of their own
	prints    printBuffers
	attached  sync.Map // values that the packages below prim keep for each device; see package primimpl
	close     sync.Once
	err       error // error that Close returned
}

// Open opens the device that Select or the environment variable KGEN_DEVICE chooses. Without a
// choice, Open opens a Vulkan GPU or, if there is none, the host device. The host device runs the
// kernel's own Go code and is always available. If a GPU fails to open, Open tries the next device,
// and DeviceInfo.Missing contains the reason. Open uses a Vulkan driver on the CPU, such as Mesa's
// llvmpipe, only if the caller chooses the driver. On the same CPU, the host device usually runs
// kernels faster than a Vulkan driver, and does not have the driver's bugs.
//
// If no device matches the choice, or no matching device can be opened, Open returns ErrNoDevice
// with a list of the available devices. If several devices match, as with "vulkan", Open returns
// the first device that it can open. Open also returns an error (ErrInvalid) if an environment
// variable KGEN_… has a value that is not allowed. For example, a directory that is not writable is
// an invalid value.
//
// In a test, Open returns ErrStale if kernels have changed since kgen compiled them. Open checks a
// kernel if the test imports the kernel's generated package, and if the sources of the kernel's Go
// module are present. Without the check for stale kernels, a test would run the old kernels. The
// error ErrStale names the changed files and the command to run. KGEN_STALE=run in the environment
// turns the check for stale kernels off.
func Open(opts ...OpenOption) (*Device, error) {
	if w := env.Check(); w != nil {
		return nil, errorf(ErrInvalid, "%s=%q in the environment means nothing", w.Var.Name, w.Value).
			advise("it may be %s; or do not set it", strings.ReplaceAll(w.Var.Allowed, "`", ""))
	}
	if err := stubsCurrent(); err != nil {
		return nil, err
	}
	o := openOptions{closing: closeTimeout, choice: env.Get(env.Device), divide: env.Get(env.ExactDivide), fused: env.Get(env.Fused), checks: env.Get(env.Checked), small: env.Get(env.Small), matrix: env.Get(env.Matrices)}
	for _, opt := range opts {
		if opt == nil {
			return nil, errorf(ErrInvalid, "an option of Open is nil")
		}
		opt.applyOpen(&o)
	}
	if err := cmp.Or(o.err, o.printing.err); err != nil {
		return nil, err
	}
	sink, err := o.sinkOf()
	if err != nil {
		return nil, err
	}
	all, missing := findDevices()
	var candidates []foundDevice
	if o.choice == "" {
		var passed []string
		candidates, passed = byDefault(all)
		if o.checks == "" { // only the host device has the checked mode, so in this mode no better device is missing
			missing = append(missing, passed...)
		}
	} else {
		candidates = chooseDevices(all, o.choice)
		if len(candidates) == 0 {
			return nil, noDevice(o, all, missing)
		}
	}
	var failures []string
	for _, f := range candidates {
		d, err := o.openDevice(f)
		if err == nil {
			dev := newDevice(d, f.driver.Name(), &o)
			dev.missing = append(failures, missing...)
			dev.startTrace(sink)
			dev.startClock(&o)
			dev.logOpen()
			return dev, nil
		}
		if e := new(hal.EnvironmentError); errors.As(err, &e) {
			return nil, environmentError(e)
		}
		failures = append(failures, fmt.Sprintf("%s: %v", f.info.Name, err))
	}
	return nil, errorf(ErrNoDevice, "no device could be opened: %s", strings.Join(append(failures, missing...), "; "))
}

func environmentError(e *hal.EnvironmentError) error {
	err := errorf(ErrInvalid, "%s=%q in the environment cannot be used", e.Name, env.Get(e.Name)).
		advise("name another, or do not set it")
	err.Err = e.Err
	return err
}

// openDevice opens a device. If the options request the checked mode, the device is opened in this
// mode.
func (o *openOptions) openDevice(f foundDevice) (hal.Device, error) {
	d, err := f.driver.Open(f.index)
	if err != nil || o.checks == "" {
		return d, err
	}
	seed, err := strconv.ParseUint(o.checks, 10, 64)
	if err != nil {
		panic("BUG: a seed that is no number: " + o.checks)
	}
	if c, ok := d.(interface{ Check(seed uint64) error }); ok {
		err = c.Check(seed)
	} else {
		err = fmt.Errorf("%w: only the host device has a checked mode", ErrInvalid)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func newDevice(h hal.Device, backend string, o *openOptions) *Device {
	d := &Device{
		hal: h, backend: backend, info: o.shrinkInfo(*h.Info()),
		stream:  stream.NewStream(h, stream.FlushDelay),
		closing: o.closing, log: cmp.Or(o.log, slog.Default()),
	}
	if d.printing = o.printing; d.printing.Bytes == 0 {
		d.printing.Bytes = defaultPrintBuffer
	}
	d.stream.Owner = d
	d.pipelines.Init((*pipelineMaker)(d), d.stream)
	d.flushesSubnormals = !d.info.Subnormals.Computed()
	d.correctsDivision = o.divide == "always" || o.divide != "never" && (!d.info.ExactDivide || d.flushesSubnormals)
	d.byFma = h.Info().Fused && o.fused != "never"
	d.byFma64 = h.Info().Fused64 && o.fused != "never"
	d.smallVariants = o.small != "never"
	d.queue = d.NewQueue()
	return d
}

// byDefault returns the devices that Open tries if the caller chose none, best first. For each
// other device, the result otherDevices contains a text that says how to choose the device.
func byDefault(all []foundDevice) (candidates []foundDevice, otherDevices []string) {
	n := slices.IndexFunc(all, func(f foundDevice) bool { return f.info.Type == hal.VulkanCPU })
	if n < 0 {
		return all, nil
	}
	for i, f := range all[n:] {
		choice := strconv.Itoa(n + i)
		if name := f.driver.Name(); chooseDevices(all, name)[0].index == f.index {
			choice = name
		}
		otherDevices = append(otherDevices, fmt.Sprintf("%s (%v) is opened only when it is chosen: set %s=%s, or use runtime.Select(%q)",
			f.info.Name, DeviceType(f.info.Type), env.Device, choice, choice))
	}
	return all[:n], otherDevices
}

// matchesChoice reports whether choice is the device's UUID (with or without hyphens), or the
// device's PCI address (with or without the domain 0000).
func (f *foundDevice) matchesChoice(choice string) bool {
	choice = strings.ToLower(choice)
	uuid := uuidText(f.info.UUID)
	return uuid != "" && strings.ReplaceAll(choice, "-", "") == strings.ReplaceAll(uuid, "-", "") ||
		f.info.PCI != "" && (choice == f.info.PCI || "0000:"+choice == f.info.PCI)
}

// chooseDevices returns the devices that match a choice, in the order of the list of devices.
func chooseDevices(all []foundDevice, choice string) []foundDevice {
	if i, err := strconv.Atoi(choice); err == nil && i >= 0 && i < len(all) {
		return all[i : i+1]
	}
	var out []foundDevice
	for _, f := range all {
		if f.matchesChoice(choice) {
			out = append(out, f)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, f := range all {
		if f.driver.Name() == strings.ToLower(choice) {
			out = append(out, f)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, f := range all {
		if strings.Contains(strings.ToLower(f.info.Name), strings.ToLower(choice)) {
			out = append(out, f)
		}
	}
	return out
}

func noDevice(o openOptions, all []foundDevice, missing []string) error {
	source := env.Device
	if o.chosen {
		source = "Select"
	}
	var have []string
	for i, f := range all {
		have = append(have, fmt.Sprintf("[%d] %v", i, newDeviceInfo(f.driver.Name(), &f.info)))
	}
	text := "those that there are, with their indices: " + strings.Join(have, ", ")
	if len(missing) > 0 {
		text += "; not there: " + strings.Join(missing, "; ")
	}
	return errorf(ErrNoDevice, "%s=%q names no device; %s", source, o.choice, text)
}

// Name returns the device's name.
func (d *Device) Name() string { return d.info.Name }

// String returns the device's name.
func (d *Device) String() string { return d.Name() }

// Info describes the device.
func (d *Device) Info() DeviceInfo {
	info := newDeviceInfo(d.backend, &d.info)
	info.Missing = slices.Clone(d.missing)
	return info
}

// Has reports whether the device has the aspect.
func (d *Device) Has(a properties.Aspect) bool { return slices.Contains(d.info.Aspects, a) }

// DefaultQueue returns the device's default queue; each call returns the same queue.
func (d *Device) DefaultQueue() *Queue { return d.queue }

// NewQueue returns a new queue of the device. The queues of a device share its memory. Commands
// that use the same memory run in the order of their launches, even if they are on different
// queues. Queue.Wait waits only for commands of its own queue, and reports only failures of these
// commands.
func (d *Device) NewQueue() *Queue {
	return &Queue{dev: d, rec: stream.Recorder{ID: d.queues.Add(1)}}
}

// Pipelines returns how many pipelines the device has made so far. The device makes one pipeline
// for each combination of kernel, work-group size, sub-group size and values of specialization
// constants. If a launch increases the number of pipelines, the launch took longer, because it
// first had to make a pipeline. A device keeps the several hundred most recently used pipelines,
// and all pipelines of Executables in use. Other pipelines are freed, and the next launch that
// needs a freed pipeline makes it again.
func (d *Device) Pipelines() int {
	if d == nil {
		return 0
	}
	return d.pipelines.Made()
}

// Close waits until all launches have completed and closes the device. Buffers may be closed before
// the device, after it, or not at all. Close may be called twice. Close returns failures of
// launches, except failures that a wait has already returned.
//
// If the wait takes longer than CloseTimeout allows, Close abandons the device and returns an error
// of class ErrDeviceLost. All waits for the abandoned device end with ErrDeviceLost. A kernel that
// does not end continues until the program ends, and the memory that the kernel uses is not freed.
// The program can continue with another device.
func (d *Device) Close() error {
	if d == nil {
		return nil
	}
	if err := d.mayWait(); err != nil {
		return err
	}
	d.close.Do(func() {
		ctx := context.Background()
		if d.closing > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, d.closing)
			defer cancel()
		}
		abandoned := d.stream.Close(ctx)
		d.pipelines.Close()
		untraced := d.trace.Close()
		ferry.Forget(d.hal)
		if abandoned != nil {
			d.stream.AllFailures() // discard the failures of abandoned commands, because d.err describes them
			d.err = backendError(d, nil, fmt.Sprintf("the device %s was still busy %v after Close was called", d.Name(), d.closing), abandoned)
			return
		}
		failed := failures(d.stream.AllFailures())
		if err := d.hal.Close(); err != nil {
			failed = append(failed, backendError(d, nil, "closing the device", err))
		}
		if untraced != nil {
			failed = append(failed, &Error{Class: ErrInvalid, Problem: "the trace could not be written", Err: untraced})
		}
		d.err = joinErrors(failed)
	})
	return d.err
}

// The method `usable` returns an error if the device cannot be used.
func (d *Device) usable() error {
	switch {
	case d == nil || d.stream == nil:
		return errorf(ErrInvalid, "no device").advise("use one that Open returned")
	case d.stream.Closed():
		return errorf(ErrInvalid, "the device %s is closed", d.Name())
	}
	return nil
}
