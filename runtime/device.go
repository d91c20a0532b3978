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

// DeviceType classifies devices, for example as GPUs or processors. Function Devices lists the devices in increasing
// order of DeviceType.
type DeviceType uint8

// The types of devices.
const (
	DiscreteGPU DeviceType = iota
	IntegratedGPU
	VirtualGPU
	OtherDevice
	HostCPU   // the kernel's Go code
	VulkanCPU // a Vulkan driver that runs on the processor; Open uses it only if Select or KGEN_DEVICE chooses it
)

// deviceTypeNames has the text of each type.
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
	Driver  string // driver and version, for people
	API     string // such as "Vulkan 1.3.230"
	Type    DeviceType
	UUID    string              // such as "9a3c1f0e-…", the same for all drivers and programs; "" if it has none
	PCI     string              // address such as "0000:3b:00.0"; "" if it is not known
	Aspects []properties.Aspect // sorted
	// MinSubGroup and MaxSubGroup are the smallest and largest size of sub-groups. Sizes are powers
	// of 2.
	MinSubGroup, MaxSubGroup int
	Limits                   Limits
	// Matrices are the matrix products that the device computes itself, by sub-groups; see
	// docs/matrices.md. Matrices is empty on devices where kernels compute matrices by loops.
	Matrices []MatrixProduct
	// The device runs at least ComputeUnits work-groups at once. ComputeUnits is 0 if that number is unknown.
	ComputeUnits int
	// Timestamps says that the device can measure when commands run; see Profiling.
	Timestamps bool
	// Subnormals says which float32 operations keep subnormal numbers. Open sets this field.
	Subnormals Subnormals
	// Float16 says which operations on half.Float16 are instructions of the device. Open sets this
	// field.
	Float16 Float16
	// ExactDivide says that the device rounds float32 division and square root correctly. Without
	// ExactDivide, kernels correct the results, at some cost; see properties.FloatFast. Open sets
	// this field.
	ExactDivide bool
	// ExactDivide64 says that the device rounds float64 division and square root correctly. Kernels
	// do not correct these results.
	ExactDivide64 bool
	// Missing says why Open opened no better device. Missing names the backends that found no device, and the devices
	// that failed to open. If the caller chose no device, Missing also names the Vulkan drivers on the processor that
	// Open did not consider. Open sets this field.
	Missing []string
}

// Subnormals says, for each kind of float32 operations, whether the device keeps subnormal numbers,
// which are those below 2^-126. False means that the device treats subnormal operands, or results,
// or both, as zeros. Loads, stores, copies and math.Float32bits keep all numbers on every device,
// and so does float64 arithmetic. The host device keeps all subnormals.
//
// Subnormals describes the device's own instructions. Some operations of kernels keep subnormals on
// every device. Where the device's instructions flush subnormals, kernels compute these operations
// by other instructions. The operations are conversions to float64, math.Nextafter32, and the
// functions of package math32 except its fast forms. Quotients and square roots also keep
// subnormals, unless the kernel's mode is properties.FloatFast.
type Subnormals struct {
	Arithmetic  bool // x + y, x - y, x * y and -x
	Fused       bool // x*y + z where the sum is rounded once; see properties.Float
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

// Float16 says which operations on half.Float16 are instructions of the device. Open has compared
// their results with those of package half. Kernels compute the other operations from integers and
// float32s, with the same results. The host device has no float16 instructions. Vulkan drivers on
// the processor have some float16 instructions, but kernels use none of these by default.
type Float16 struct {
	Widen      bool // x.Float32()
	Narrow     bool // half.FromFloat32
	Arithmetic bool // x.Add(y), x.Sub(y) and x.Mul(y)
	FMA        bool // x.FMA(y, z)
	Division   bool // x.Div(y)
	Root       bool // x.Sqrt()
}

// Limits are a device's limits. A launch that exceeds a limit is refused.
type Limits struct {
	MaxWorkGroupSize [3]int // largest size of a work-group along x (the last dimension, which varies fastest), y and z, in work-items
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
	// findDevices lists the devices in the order of their types. findDevices also returns the
	// reasons why further devices are missing.
}

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

// Devices lists the devices that Open can open. The list contains first the GPUs, then the host device,
// then Vulkan drivers on the processor. Select and KGEN_DEVICE accept a device's index in the list, its
// UUID and its PCI address. UUIDs and PCI addresses stay the same when devices are added. MissingDevices
// says why further devices are not in the list. DeviceInfo.Fit says how a kernel runs on a device.
func Devices() []DeviceInfo {
	all, _ := findDevices()
	out := make([]DeviceInfo, len(all))
	for i := range all {
		out[i] = newDeviceInfo(all[i].driver.Name(), &all[i].info)
	}
	return out
}

// MissingDevices says why other devices are not in the list of Devices, and how the user can add them. A
// reason is, for example, that a loader or a driver is not installed, or that a device lacks a feature
// that kgen needs.
func MissingDevices() []string {
	_, missing := findDevices()
	return missing
}

// Device is an open device. The methods of a Device may be called from several goroutines.
type Device struct {
	hal     hal.Device
	backend string
	info    hal.Info // facts about the device; the options of Open may have hidden aspects and lowered limits
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
	// byFma says that kernels correct these float32 results by fused multiply-adds.
	byFma bool
	// byFma64 says that math.FMA is an instruction in kernels.
	byFma64 bool
	// flushesSubnormals says that the device flushes subnormals in operations that package math32
	// uses.
	flushesSubnormals bool
	// smallVariants says that small launches use the variants that are made for them.
	smallVariants bool

	closing time.Duration // longest time that Close waits; zero or less means no limit

	pipelines exec.Pipelines
	memos     exec.Memos
	fused     fusedKernels
	printing  printSettings // print options of launches that set none
	prints    printBuffers
	attached  sync.Map // values that packages of prim store in the device; see package primimpl
	close     sync.Once
	err       error // error that Close returned
}

// Open opens the device that Select or the environment variable KGEN_DEVICE chooses. Without a choice
// Open opens a Vulkan GPU or, if there is none, the host device. The host device runs the kernel's own
// Go code and is always there. If a GPU fails to open, Open tries the next device, and
// DeviceInfo.Missing says why. A Vulkan driver on the processor, such as Mesa's llvmpipe, is opened only
// if the caller chooses it. The host device does the same work on the same processor, usually faster,
// and does not have the driver's bugs.
//
// If no device matches the choice, or the matching device cannot be opened, the error is ErrNoDevice, which lists the
// existing devices. If several devices match, as with "vulkan", Open takes the first device that opens. Open also
// returns an error (ErrInvalid) if an environment variable KGEN_… has a value that is not allowed. A value that cannot
// take effect, such as a directory that is not writable, is also an error.
//
// Open fails (ErrStale) in a test if kernels have changed since kgen compiled them. Open checks a kernel if the test
// imports its generated package, and if the sources of its module are present. Without this check, the test would run
// the old kernels. The error names the files and the command to run. KGEN_STALE=run in the environment turns this check
// off.
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
		if o.checks == "" { // only the host device has the checked mode, so no other device can replace it
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

// openDevice opens a device, in its checked mode if the options ask for it.
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

// byDefault returns the devices that Open tries if the caller chose none, best first. The result
// otherDevices is a text that names the other devices, and says how to choose them.
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

// matchesChoice reports whether the text choice is the device's UUID, with or without hyphens.
// matchesChoice also returns true if the text is the device's PCI address, with or without the domain
// 0000.
func (f *foundDevice) matchesChoice(choice string) bool {
	choice = strings.ToLower(choice)
	uuid := uuidText(f.info.UUID)
	return uuid != "" && strings.ReplaceAll(choice, "-", "") == strings.ReplaceAll(uuid, "-", "") ||
		f.info.PCI != "" && (choice == f.info.PCI || "0000:"+choice == f.info.PCI)
}

// chooseDevices returns the devices that match a choice, best first.
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

// NewQueue returns a further queue. The queues of a device share its memory. Commands that use the same memory are
// ordered, whichever queues they are on. Queue.Wait waits only for commands of its own queue, and reports only their
// failures.
func (d *Device) NewQueue() *Queue {
	return &Queue{dev: d, rec: stream.Recorder{ID: d.queues.Add(1)}}
}

// Pipelines returns how many pipelines the device has made so far. The device makes one pipeline for each combination
// of kernel, work-group size, sub-group size and values of specialization constants. If a launch increases the number,
// it had to make a pipeline first, and took longer. A device keeps the several hundred pipelines that were launched
// last, and those of Executables in use. Other pipelines are dropped, and made again by the next launch that needs
// them.
func (d *Device) Pipelines() int {
	if d == nil {
		return 0
	}
	return d.pipelines.Made()
}

// Close waits until all launches have completed and closes the device. Buffers may be closed before
// the device, after it, or not at all. Close may be called twice. Close returns the failures of
// launches that no wait has returned.
//
// If the wait takes longer than CloseTimeout allows, Close abandons the device and returns an error
// of class ErrDeviceLost. All waits for the device then end with such an error. A kernel that does
// not end runs on until the program ends, and the memory that it may use is not freed. The program
// can continue with another device.
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
			d.stream.AllFailures() // discards the failures of abandoned commands: err is returned in their place
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

// usable returns an error if the device cannot be used.
func (d *Device) usable() error {
	switch {
	case d == nil || d.stream == nil:
		return errorf(ErrInvalid, "no device").advise("use one that Open returned")
	case d.stream.Closed():
		return errorf(ErrInvalid, "the device %s is closed", d.Name())
	}
	return nil
}
