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
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/stream"
	"github.com/kgen-go/kgen/runtime/internal/trace"
)

// DeviceType is the kind of a device. Devices lists lower values first.
type DeviceType uint8

// The types of devices.
const (
	DiscreteGPU DeviceType = iota
	IntegratedGPU
	VirtualGPU
	OtherDevice
	HostCPU   // the kernel's Go code
	VulkanCPU // a Vulkan driver that runs on the processor: Open takes it only by name
)

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
	Name    string // as its driver reports it
	Backend string // "vulkan" or "host"
	Driver  string // driver and version, for people
	API     string // such as "Vulkan 1.3.230"
	Type    DeviceType
	UUID    string              // such as "9a3c1f0e-…", the same for all drivers and programs; "" if it has none
	PCI     string              // address such as "0000:3b:00.0"; "" if it is not known
	Aspects []properties.Aspect // sorted
	// MinSubGroup and MaxSubGroup bound the sub-group sizes, which are powers of
	// two.
	MinSubGroup, MaxSubGroup int
	Limits                   Limits
	// Matrices are the products of matrices that the device's sub-groups have; see docs/matrices.md. There are none
	// where kernels write out their matrices' loops.
	Matrices []MatrixProduct
	// ComputeUnits is how many work-groups the device works on at once, at least; 0 if unknown.
	ComputeUnits int
	// Timestamps says that the device tells when commands run; see Profiling.
	Timestamps bool
	// Subnormals says which float32 operations keep subnormal numbers. It is known
	// once the device is open.
	Subnormals Subnormals
	// Float16 says by which instructions the device computes with half.Float16. It is known
	// once the device is open.
	Float16 Float16
	// ExactDivide says that the device rounds float32 division and square root
	// correctly. Where it does not, kernels correct them, at some cost; see
	// properties.FloatFast. It is known once the device is open.
	ExactDivide bool
	// ExactDivide64 says the same of float64, where kernels correct nothing.
	ExactDivide64 bool
	// Missing says why there is no other device, or none better: which backends
	// found none, which devices did not open, and, where Open chose, which Vulkan
	// drivers on the processor it passed over. It is set by Open.
	Missing []string
}

// Subnormals says, for each kind of float32 operations, whether the device keeps subnormal
// numbers, those below 2^-126: false means that it takes such operands, or results, or
// both, for zeros. Loads, stores, copies and math.Float32bits keep all numbers on every
// device, and so does float64 arithmetic. The host device keeps all.
//
// It describes the device's own instructions. Some of what kernels do is right on every
// device, by other instructions where these flush: conversions to float64,
// math.Nextafter32, package math32 but for its fast forms, and, unless the kernel's mode is
// properties.FloatFast, quotients and square roots.
type Subnormals struct {
	Arithmetic  bool // x + y, x - y, x * y and -x
	Fused       bool // x*y + z where it is rounded once; see properties.Float
	Quotients   bool // x / y and square roots
	Comparisons bool // ==, <, …
	MinMax      bool // the least and the greatest of several
	Abs         bool // absolute values and signs
	Rounding    bool // to an integer: math32.Floor and the like
	Functions   bool // math32's fast forms
	ToFloat64   bool // float64(x); false where the device has no float64
	FromFloat64 bool // float32(y) of a float64 y; false where the device has none
	Atomics     bool // native atomic addition in buffers; false where the device has none
}

// Float16 says which operations on half.Float16 are instructions of the device, whose results Open
// has compared with package half's. Others are computed from integers and float32s, with the same
// results. The host device has none, and Vulkan drivers on the processor have none by default.
type Float16 struct {
	Widen      bool // x.Float32()
	Narrow     bool // half.FromFloat32
	Arithmetic bool // x.Add(y), x.Sub(y) and x.Mul(y)
	FMA        bool // x.FMA(y, z)
	Division   bool // x.Div(y)
	Root       bool // x.Sqrt()
}

// Limits are figures of a device that launches are checked against.
type Limits struct {
	MaxWorkGroupSize [3]int // per dimension of a work-group: x (the last, fastest), y, z
	MaxWorkItems     int    // per work-group
	LocalMemory      int    // bytes per work-group
	PrivateMemory    int    // bytes per work-item, in arrays of its own
	MaxAllocation    uint64 // bytes per buffer
	DeviceMemory     uint64 // bytes
}

// String returns the device's name and what it is.
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

// uuidText returns a UUID as people write it, "" if there is none.
func uuidText(u [16]byte) string {
	if u == ([16]byte{}) {
		return ""
	}
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// found is a device that can be opened.
type found struct {
	driver hal.Driver
	index  int
	info   hal.Info
}

// findDevices lists the devices, in the order of their types, and why there are no
// others.
func findDevices() (all []found, missing []string) {
	for _, d := range backends {
		infos, err := d.Enumerate()
		if err != nil {
			missing = append(missing, err.Error())
		}
		for i, info := range infos {
			all = append(all, found{d, i, info})
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.info.Type, b.info.Type) })
	return all, missing
}

// Devices lists the devices that Open can open: GPUs first, then the host device, then
// Vulkan drivers on the processor. A device's index in the list is a value for Select
// and KGEN_DEVICE; so are its UUID and its PCI address, which stay when others are added.
// MissingDevices says why there are no others, and DeviceInfo.Fit how a kernel runs on one.
func Devices() []DeviceInfo {
	all, _ := findDevices()
	out := make([]DeviceInfo, len(all))
	for i := range all {
		out[i] = newDeviceInfo(all[i].driver.Name(), &all[i].info)
	}
	return out
}

// MissingDevices says what keeps other devices from being in Devices, and what to do: a loader or
// a driver that is not installed, or a device that lacks what kgen needs.
func MissingDevices() []string {
	_, missing := findDevices()
	return missing
}

// Device is an open device. Its methods may be called from several goroutines.
type Device struct {
	hal     hal.Device
	backend string
	info    hal.Info // as the options make it look
	missing []string
	stream  *stream.Stream
	queue   *Queue
	queues  atomic.Int32 // made so far
	log     *slog.Logger
	trace   *trace.Tracer // nil without a trace
	// timed says that commands have times; profiling, that Event.Profile tells them.
	timed, profiling bool
	noClock          error // why the device cannot tell them
	// correct says that kernels correct float32 division and square root.
	correct bool
	// byFma says that they do so by fused products and sums.
	byFma bool
	// flushes says that the device takes subnormals for zeros where package math32 computes.
	flushes bool
	// small says that small launches take the variants made for them.
	small bool

	closing time.Duration // bounds Close's wait, if positive

	pipelines exec.Pipelines
	memos     exec.Memos
	fused     fusedKernels
	printing  printing // the options of launches that give none
	prints    printBuffers
	attached  sync.Map // values that packages keep for the device; see package primimpl
	close     sync.Once
	err       error // the error of Close
}

// Open opens a device: the one that Select or the environment variable
// KGEN_DEVICE chooses, and otherwise a Vulkan GPU, or, where there is none, the host
// device, which runs the kernel's own Go code and is always there. If a GPU fails to
// open, Open goes on to the next device, and DeviceInfo.Missing says so. A Vulkan driver
// on the processor, such as Mesa's llvmpipe, is opened only when it is chosen: the host
// device does the same work on the same processor, mostly faster, and where such a
// driver is wrong it is right.
//
// A choice that no device has is ErrNoDevice, which lists the devices that there are; so
// is one that cannot be opened. Of several that a choice fits, as "vulkan" may, Open
// takes the first that opens. A variable KGEN_… of the environment
// with a value that means nothing, or that cannot be done, as a directory for pipelines
// that cannot be written to, is an error, too (ErrInvalid).
//
// In a test, where the module's sources are there, Open fails if kernels whose generated
// packages the test imports have changed since kgen compiled them (ErrStale): what would
// run is what they were. The error names the files and the command to run;
// KGEN_STALE=run in the environment is for those who know.
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
	var candidates []found
	if o.choice == "" {
		var passed []string
		candidates, passed = byDefault(all)
		if o.checks == "" { // only the host device has a checked mode: others are no help
			missing = append(missing, passed...)
		}
	} else {
		candidates = choose(all, o.choice)
		if len(candidates) == 0 {
			return nil, noDevice(o, all, missing)
		}
	}
	var failures []string
	for _, f := range candidates {
		d, err := o.open(f)
		if err == nil {
			dev := newDevice(d, f.driver.Name(), &o)
			dev.missing = append(failures, missing...)
			dev.startTrace(sink)
			dev.clock(&o)
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

// open opens a device, in its checked mode if that is asked for.
func (o *openOptions) open(f found) (hal.Device, error) {
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
		hal: h, backend: backend, info: o.shrink(*h.Info()),
		stream:  stream.NewStream(h, stream.FlushDelay),
		closing: o.closing, log: cmp.Or(o.log, slog.Default()),
	}
	if d.printing = o.printing; d.printing.Bytes == 0 {
		d.printing.Bytes = defaultPrintBuffer
	}
	d.pipelines.Init((*maker)(d), d.stream)
	d.flushes = !d.info.Subnormals.Computed()
	d.correct = o.divide == "always" || o.divide != "never" && (!d.info.ExactDivide || d.flushes)
	d.byFma = h.Info().Fused && o.fused != "never"
	d.small = o.small != "never"
	d.queue = d.NewQueue()
	return d
}

// byDefault returns the devices that Open takes where nothing is chosen, best first, and
// says which it passes over, and how they are chosen.
func byDefault(all []found) (candidates []found, passed []string) {
	n := slices.IndexFunc(all, func(f found) bool { return f.info.Type == hal.VulkanCPU })
	if n < 0 {
		return all, nil
	}
	for i, f := range all[n:] {
		choice := strconv.Itoa(n + i)
		if name := f.driver.Name(); choose(all, name)[0].index == f.index {
			choice = name
		}
		passed = append(passed, fmt.Sprintf("%s (%v) is opened only when it is chosen: set %s=%s, or use runtime.Select(%q)",
			f.info.Name, DeviceType(f.info.Type), env.Device, choice, choice))
	}
	return all[:n], passed
}

// is reports whether a choice is the device's UUID, with or without hyphens, or its PCI address,
// with or without the domain 0000.
func (f *found) is(choice string) bool {
	choice = strings.ToLower(choice)
	uuid := uuidText(f.info.UUID)
	return uuid != "" && strings.ReplaceAll(choice, "-", "") == strings.ReplaceAll(uuid, "-", "") ||
		f.info.PCI != "" && (choice == f.info.PCI || "0000:"+choice == f.info.PCI)
}

// choose returns the devices that a choice names, best first.
func choose(all []found, choice string) []found {
	if i, err := strconv.Atoi(choice); err == nil && i >= 0 && i < len(all) {
		return all[i : i+1]
	}
	var out []found
	for _, f := range all {
		if f.is(choice) {
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

func noDevice(o openOptions, all []found, missing []string) error {
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

// DefaultQueue returns a queue of the device, always the same.
func (d *Device) DefaultQueue() *Queue { return d.queue }

// NewQueue returns a further queue. All queues of a device share its memory and
// its order of hazards; they differ in what Queue.Wait waits for and reports.
func (d *Device) NewQueue() *Queue {
	return &Queue{dev: d, rec: stream.Recorder{ID: d.queues.Add(1)}}
}

// Pipelines returns how many kernels the device has made ready so far: one for
// each kernel, work-group size, sub-group size and set of specialization constants
// that was launched or built. It grows where launches pay for making kernels ready. A
// device keeps the several hundred that were launched last, and those of Executables
// that are still there; a kernel that comes after that is made ready anew.
func (d *Device) Pipelines() int {
	if d == nil {
		return 0
	}
	return d.pipelines.Made()
}

// Close runs what has been launched to its end and closes the device. Buffers
// and queues may be closed before or after, or not at all; it may be called
// twice. It returns the failures of launches that no wait has returned.
//
// If that takes longer than CloseTimeout allows, Close abandons the device and
// returns an error of class ErrDeviceLost: all waits for the device end with such an
// error, a kernel that does not end runs on until the program ends, and what it may
// use is not freed. The program can go on with another device.
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
		if abandoned != nil {
			d.stream.AllFailures() // of what is abandoned: one error says it all
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
		d.err = join(failed)
	})
	return d.err
}

// usable reports why the device cannot be used.
func (d *Device) usable() error {
	switch {
	case d == nil || d.stream == nil:
		return errorf(ErrInvalid, "no device").advise("use one that Open returned")
	case d.stream.Closed():
		return errorf(ErrInvalid, "the device %s is closed", d.Name())
	}
	return nil
}
