package runtime

import (
	"cmp"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// OpenOption is an option of Open.
type OpenOption interface{ applyOpen(*openOptions) }

// CloseTimeout limits the time that Device.Close waits for commands that run on the device. Without
// this option the limit is 30 seconds. If d is zero or less, there is no limit. The documentation
// of Device.Close describes the effect of the limit.
func CloseTimeout(d time.Duration) OpenOption {
	return openFunc(func(o *openOptions) { o.closing = d })
}

// closeTimeout is the limit without the option CloseTimeout.
const closeTimeout = 30 * time.Second

type openOptions struct {
	closing time.Duration
	choice  string
	chosen  bool
	masked  []properties.Aspect
	limits  Limits
	divide  string // value of the environment variable KGEN_EXACT_DIVIDE
	fused   string // value of the environment variable KGEN_FUSED
	small   string // value of the environment variable KGEN_SMALL
	matrix  string // value of the environment variable KGEN_MATRICES
	checks  string // seed of checked mode; "" without checked mode
	profile bool
	trace   io.Writer
	log     *slog.Logger

	printing printSettings
	err      error // first error of the options themselves
}

// addError makes Open return an error.
func (o *openOptions) addError(err error) {
	if o.err == nil {
		o.err = err
	}
}

type openFunc func(*openOptions)

func (f openFunc) applyOpen(o *openOptions) { f(o) }

// Select chooses the device that Open opens. The argument is "host", "vulkan", an index in the list
// of Devices, a UUID, a PCI address, or a part of a name, in upper or lower case. "vulkan" means
// the best Vulkan device. If there is no GPU, "vulkan" means a driver on the processor. The command
// kgen devices lists the devices. Select overrides the environment variable KGEN_DEVICE, which has
// the same values. An empty string makes no choice.
func Select(device string) OpenOption {
	return openFunc(func(o *openOptions) { o.choice, o.chosen = device, true })
}

// Checked opens the host device in its checked mode, with the given seed. Kernels are interpreted
// in an order that depends on the seed, and launches return a *CheckError with the kernel's errors.
// Checked overrides the environment variable KGEN_CHECKED, which holds the seed and applies only to
// the host device. The program must import package checked. The documentation of package checked
// describes the checked mode.
func Checked(seed uint64) OpenOption {
	return openFunc(func(o *openOptions) { o.checks = strconv.FormatUint(seed, 10) })
}

// MaskAspects hides aspects of the device, to test how a program behaves on devices without them.
func MaskAspects(aspects ...properties.Aspect) OpenOption {
	return openFunc(func(o *openOptions) { o.masked = append(o.masked, aspects...) })
}

// OverrideLimits lowers limits of the device. Fields that are zero, or above the device's own
// limits, change nothing.
func OverrideLimits(l Limits) OpenOption {
	return openFunc(func(o *openOptions) { o.limits = l })
}

// shrinkInfo applies the options to the facts that a device reports.
func (o *openOptions) shrinkInfo(info hal.Info) hal.Info {
	info.Aspects = slices.DeleteFunc(slices.Clone(info.Aspects), func(a properties.Aspect) bool {
		return slices.Contains(o.masked, a)
	})
	if slices.Contains(o.masked, properties.SubGroups) {
		info.SubGroups = [2]int{}
	}
	if o.matrix != "" {
		info.Matrices = nil
	}
	l := &info.Limits
	less(&l.MaxWorkItems, o.limits.MaxWorkItems)
	for i := range l.MaxWorkGroupSize {
		less(&l.MaxWorkGroupSize[i], o.limits.MaxWorkGroupSize[i])
	}
	less(&l.LocalMemory, o.limits.LocalMemory)
	l.PrivateMemory = cmp.Or(l.PrivateMemory, defaultPrivate)
	less(&l.PrivateMemory, o.limits.PrivateMemory)
	less(&l.MaxAllocation, o.limits.MaxAllocation)
	less(&l.DeviceMemory, o.limits.DeviceMemory)
	for i := range l.MaxWorkGroupSize {
		less(&l.MaxWorkGroupSize[i], abi.MaxLocalSize)
	}
	l.PreferredItems = min(l.PreferredItems, l.MaxWorkItems)
	return info
}

func less[T int | uint64](limit *T, wanted T) {
	if wanted > 0 {
		*limit = min(*limit, wanted)
	}
}
