// Package env defines kgen's environment variables in a table, with their allowed values. [Check] finds
// invalid values, so that kgen does not ignore them silently.
package env

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// These constants are the names of the environment variables.
const (
	Device             = "KGEN_DEVICE"
	Validate           = "KGEN_VALIDATE"
	PipelineCache      = "KGEN_PIPELINE_CACHE"
	ExactDivide        = "KGEN_EXACT_DIVIDE"
	Fused              = "KGEN_FUSED"
	Subnormals         = "KGEN_SUBNORMALS"
	Halves             = "KGEN_HALVES"
	Small              = "KGEN_SMALL"
	Matrices           = "KGEN_MATRICES"
	Dots               = "KGEN_DOTS"
	NVLink             = "KGEN_NVLINK"
	Checked            = "KGEN_CHECKED"
	HostForm           = "KGEN_HOST_FORM"
	HostSubGroup       = "KGEN_HOST_SUBGROUP"
	Stale              = "KGEN_STALE"
	Trace              = "KGEN_TRACE"
	RequireVulkan      = "KGEN_REQUIRE_VULKAN"
	RequireSwiftShader = "KGEN_REQUIRE_SWIFTSHADER"
	SwiftShader        = "KGEN_SWIFTSHADER"
	RequireMatrices    = "KGEN_REQUIRE_MATRICES"
	RequireModels      = "KGEN_REQUIRE_MODELS"
	TestModules        = "KGEN_TEST_MODULES"
	TestProfile        = "KGEN_TEST_PROFILE"
)

// MaxSubGroup is the largest size of sub-groups of the host device.
const MaxSubGroup = 128

// Var describes an environment variable.
type Var struct {
	Name    string
	Allowed string // description of the allowed values; an empty value counts as unset
	Doc     string
	valid   func(value string) bool
}

// Vars lists all variables, in the order of the README's table.
var Vars = []Var{
	{Device, "`host`, `vulkan`, an index in `runtime.Devices`, a part of a device's name, its UUID or PCI address", "which device `runtime.Open` opens; by default a GPU, or else the host", anything},
	{Validate, "`1`, `0`", "turn on the Khronos validation layers", oneOf("1", "0")},
	{PipelineCache, "`off`, a directory's path with a separator in it", "do not keep compiled pipelines on disk, or the directory for them, which must be usable; by default the user's cache folder, if it is usable", isCache},
	{ExactDivide, "`always`, `never`", "correct float32 division and square root always or never, whatever the device's probe says", oneOf("always", "never")},
	{Fused, "`never`", "correct float32 division and roots without fused products and sums, whatever the device has", oneOf("never")},
	{Subnormals, "`flushed`", "treat Vulkan devices as such that take subnormal float32s for zeros, whatever their probes say", oneOf("flushed")},
	{Halves, "`computed`, `packed`, `converted`, `native`", "compute with float16s from integers and float32s alone, or with GLSL's instructions that pack them, or with conversions of 16-bit types, too, or with all instructions, as far as the device's probe finds them right; by default GPUs take all, and Vulkan drivers on the processor none", oneOf("computed", "packed", "converted", "native")},
	{Small, "`never`", "do without the modules for small launches", oneOf("never")},
	{Matrices, "`expanded`", "do without the matrices that a device has of its own; see [docs/matrices.md](docs/matrices.md)", oneOf("expanded")},
	{Dots, "`always`, `never`", "compute products of four numbers of 8 bits by a Vulkan device's instructions for them, also where it does not call these fast, or never", oneOf("always", "never")},
	{NVLink, "`off`", "copy between two NVIDIA devices by the host's memory, also where CUDA's driver can copy over NVLink; see [docs/scaling.md](docs/scaling.md)", oneOf("off")},
	{Checked, "an integer from 0 to 2^64-1", "open the host device in checked mode, with that seed, in programs that import package checked", isSeed},
	{HostForm, "`off`, `on`", "the host device never runs host forms, or wherever there are any, under the race detector, too; see [docs/host.md](docs/host.md)", oneOf("off", "on")},
	{HostSubGroup, "a power of two up to " + strconv.Itoa(MaxSubGroup), "the size of the host device's sub-groups where kernels require none; 32 by default", isSubGroup},
	{Trace, "a file's path; `%p` in it becomes the process's number", "write a trace of all devices there, for [ui.perfetto.dev](https://ui.perfetto.dev); see [docs/profiling.md](docs/profiling.md)", anything},
	{Stale, "`run`", "in tests: open devices though kernels have changed since `go generate`, and run the old modules", oneOf("run")},
	{RequireVulkan, "`1`, `0`", "in tests: a missing device or tool is a failure", oneOf("1", "0")},
	{RequireSwiftShader, "`1`, `0`", "in tests: so is a missing SwiftShader", oneOf("1", "0")},
	{SwiftShader, "the path of a vk_swiftshader_icd.json", "in tests: the SwiftShader to use", anything},
	{RequireMatrices, "`1`, `0`", "in tests: so is a device without matrices of its own", oneOf("1", "0")},
	{RequireModels, "`1`, `0`", "in tests: so is a missing model of an example, or its data, which `scripts/models.sh` fetches", oneOf("1", "0")},
	{TestModules, "the path of a folder", "in kgen's own tests: where `make modules` has written the modules of their kernels", anything},
	{TestProfile, "`mac`", "in kgen's own tests: the Vulkan device is to look like that of a Mac", oneOf("mac")},
}

// Get returns the value of a variable, or "" if it is not set.
func Get(name string) string { return os.Getenv(name) }

// On reports whether a variable is set to 1. The allowed values of the variable must be 0 and 1.
func On(name string) bool { return Get(name) == "1" }

// Wrong is a variable with an invalid value.
type Wrong struct {
	Var   *Var
	Value string
}

// Check returns the first variable with an invalid value, or nil.
func Check() *Wrong {
	for i := range Vars {
		v := &Vars[i]
		if value := Get(v.Name); value != "" && !v.valid(value) {
			return &Wrong{v, value}
		}
	}
	return nil
}

func anything(string) bool { return true }

func oneOf(values ...string) func(string) bool {
	return func(s string) bool { return slices.Contains(values, s) }
}

// isCache reports whether s is "off" or a path with a separator. isCache requires a separator,
// because a misspelt "off" would otherwise name a directory.
func isCache(s string) bool {
	if s == "off" {
		return true
	}
	info, err := os.Stat(s)
	return strings.ContainsRune(filepath.ToSlash(s), '/') && (err != nil || info.IsDir())
}

func isSeed(s string) bool {
	_, err := strconv.ParseUint(s, 10, 64)
	return err == nil
}

func isSubGroup(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 1 && n <= MaxSubGroup && n&(n-1) == 0
}
