package runtime

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/trace"
)

// Logger sets the logger of the device. The device logs these decisions to l at debug level:
//
//   - which device was opened, which devices were not, and why;
//   - which module of a kernel became a pipeline, and how long that took;
//   - whether the driver had the pipeline in its cache, and whether the module was made from
//     the kernel's IR;
//   - why the device refused other variants of a kernel;
//   - whether copies from another NVIDIA device go over NVLink, and the reason if they do not.
//
// Without this option the device logs to the logger that slog.Default() returns at the time of
// Open. A launch whose pipeline exists logs nothing. If l is nil, Open returns ErrInvalid.
func Logger(l *slog.Logger) OpenOption {
	return openFunc(func(o *openOptions) {
		if o.log = l; l == nil {
			o.addError(errorf(ErrInvalid, "the logger of Logger is nil").advise("leave the option out for slog.Default(), or use slog.New(slog.DiscardHandler) to drop what the device says"))
		}
	})
}

// `logging` reports whether the logger accepts records at debug level.
func (d *Device) logging() bool { return d.log.Enabled(backgroundCtx, slog.LevelDebug) }

// logOpen logs that the device was opened.
func (d *Device) logOpen() {
	if d.logging() {
		i := d.Info()
		var aspects []string
		for _, a := range i.Aspects {
			aspects = append(aspects, a.String())
		}
		d.log.Debug("kgen: device opened", "device", i.Name, "backend", i.Backend, "driver", i.Driver, "api", i.API,
			"type", i.Type.String(), "aspects", strings.Join(aspects, " "), "exactDivide", i.ExactDivide, "profiling", d.profilingOn, "others", d.missing)
	}
}

// logRefused logs that the device does not use a variant of a kernel. If v is nil, the device does not use the kernel's
// own module.
func (d *Device) logRefused(k *Kernel, v *abi.Variant, why string) {
	if d.logging() {
		d.log.Debug("kgen: variant refused", "kernel", k.Name(), "variant", variantName(v), "device", d.Name(), "why", why)
	}
}

// logPassedOver logs why the device uses the variant v instead of the kernel's own module.
func (d *Device) logPassedOver(k *Kernel, v *abi.Variant) {
	if v == nil || !d.logging() {
		return
	}
	for _, a := range v.Without {
		if !d.Has(a) {
			d.logRefused(k, nil, fmt.Sprintf("it uses the aspect %v, which the device lacks", a))
			return
		}
	}
}

// copiesFrom logs whether copies from another device go through CUDA's driver. If they do not, the
// copies go through the host's memory, and the error `refused` is the reason.
func (d *Device) copiesFrom(other *Device, refused error) {
	switch {
	case !d.logging():
	case refused != nil:
		d.log.Debug("kgen: copies go by the host's memory", "from", other.Name(), "to", d.Name(), "why", refused.Error())
	default:
		d.log.Debug("kgen: copies go by CUDA's driver", "from", other.Name(), "to", d.Name())
	}
}

// logModuleMade logs that the module of a variant was made from the kernel's IR.
func (d *Device) logModuleMade(k *Kernel, v *abi.Variant, start int64) {
	if v != nil && v.Make != nil && d.logging() {
		d.log.Debug("kgen: module made", "kernel", k.Name(), "variant", variantName(v), "device", d.Name(), "took", time.Duration(hal.Now()-start))
	}
}

// logPipeline logs and traces that a pipeline was made, or the reason why it was not made.
func (d *Device) logPipeline(k *Kernel, sh exec.Shape, taken *abi.Variant, h hal.Pipeline, err error, start int64) {
	if d.trace == nil && !d.logging() {
		return
	}
	end := hal.Now()
	name, cache := variantName(taken), ""
	if d.isHost() {
		name = "host"
	}
	if c, ok := h.(hal.Cached); ok {
		cache = c.Cached()
	}
	local := sh.Local[:k.abi.Rank]
	if d.trace != nil {
		args := map[string]any{"variant": name, "work-group": local}
		if cache != "" {
			args["cache"] = cache
		}
		if err != nil {
			args["error"] = err.Error()
		}
		d.trace.Add(trace.Span{Row: "compile", Name: k.Name(), Kind: "compile", Start: start, End: end, Args: args})
	}
	args := []any{"kernel", k.Name(), "device", d.Name(), "variant", name, "workGroup", local, "took", time.Duration(end - start)}
	switch {
	case err != nil:
		d.log.Debug("kgen: kernel not compiled", append(args, "why", err.Error())...)
	case cache != "":
		d.log.Debug("kgen: kernel compiled", append(args, "cache", cache)...)
	default:
		d.log.Debug("kgen: kernel compiled", args...)
	}
}

// variantName returns the name of a variant in logs and traces.
func variantName(v *abi.Variant) string {
	if v == nil {
		return "general"
	}
	return v.Name
}
