package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/spirv/features"
)

// limits are figures of docs/limits.md: how the code states each, and what the page says.
var limits = []struct {
	file, code string // the code with its spaces as one
	page       string
}{
	{"codegen/lower/size.go", "maxValues = 250_000", "| 250,000 |"},
	{"codegen/lower/lower.go", "maxInlineDepth = 200", "| 200; 40 of the same function |"},
	{"codegen/lower/lower.go", "maxNested = 40 ", "| 200; 40 of the same function |"},
	{"codegen/lower/cell.go", "maxVar = 1 << 20", "| a private array of a work-item | 1 MiB |"},
	{"codegen/lower/items.go", "n > maxVar", "| a value of work-group memory (`dsl.Local`) | 1 MiB |"},
	{"codegen/constinit/constinit.go", "MaxTable = 1 << 22", "| 4,194,304 |"},
	{"codegen/lower/receiver.go", "maxArrayArg = 4096", "| 4,096; slices have no such bound |"},
	{"codegen/load/params.go", "maxLeaves = 4096", "elements of arrays of slices | 4,096 |"},
	{"codegen/lower/spec.go", "maxSpecLeaves = 1 << 10", "| 1,024 |"},
	{"codegen/load/directive.go", "maxPinned = 0x10000", "| 65,536 |"},
	{"codegen/constinit/run.go", "maxSteps = 10_000_000", "| 10,000,000 |"},
	{"codegen/pass/memory/internal.go", "maxInternal = 1 << 20", "`//kgen:internal` slice | 1 MiB |"},
	{"codegen/lower/print.go", "maxPrintWords = 512", "| 512 |"},
	{"codegen/lower/oneof.go", "maxAlts = 32", "among more than 32 functions"},
	{"abi/abi.go", "MaxLaunchBlock = 128", "more than 104 bytes"},
	{"abi/abi.go", "OffsetArgs = 24", "more than 104 bytes"},
	{"abi/abi.go", "MaxRange = 1<<31 - 1", "| 2,147,483,647 work-items;"},
	{"abi/abi.go", "MaxSmall = 1 << 28", "reach 2<sup>28</sup>"},
	{"abi/print.go", "MaxPrintBuffer = 1 << 30", "between 32 bytes and 1 GiB"},
	{"abi/print.go", "MaxPrintString = 32 << 10", "longer than 32 KiB"},
	{"internal/env/env.go", "MaxSubGroup = 128", "1 to 128 on the host device"},
	{"runtime/internal/host/driver.go", "MaxWorkItems: 1024,", "On the host device, each of these limits is 1,024"},
	{"runtime/internal/host/driver.go", "MaxWorkGroupSize: [3]int{1024, 1024, 1024},", "On the host device, each of these limits is 1,024"},
	{"runtime/internal/host/driver.go", "LocalMemory: 1 << 20,", "`LocalMemory`: 1 MiB on the host device"},
	{"runtime/internal/host/driver.go", "PrivateMemory: 1 << 20,", "1 MiB on processors"},
	{"runtime/internal/host/checked.go", "maxSteps = 1 << 32", "4,294,967,296 instructions"},
	{"runtime/internal/vulkan/driver.go", "PrivateMemory = 512 << 10", "512 KiB on GPUs"},
	{"runtime/internal/vulkan/driver.go", "PrivateMemory = 1 << 20", "1 MiB on processors"},
	{"runtime/internal/vulkan/driver.go", "nvidiaPrivate = 4 << 30", "4 GiB for all work-items that can run at once"},
	{"runtime/internal/vulkan/features.go", "minVersion = vkx.MakeVersion(1, 2, 0)", "| Vulkan | 1.2,"},
	{"runtime/internal/vulkan/features.go", "append(list, vkx.TimelineSemaphore.String())", requiredFeatures() + "`timelineSemaphore`"},
	{"runtime/internal/vulkan/features.go", "const least = 4", "sub-groups of at least 4"},
	{"runtime/internal/vulkan/features.go", "//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))", "| Ports | Linux on amd64, arm64, loong64, ppc64le and riscv64, Windows and macOS on amd64 and arm64"},
	{"runtime/internal/fusion/group.go", "maxParts = 32", "At most 32 launches are fused into one"},
}

// requiredFeatures lists the features that the table of features requires of every device.
func requiredFeatures() string {
	list := ""
	for _, r := range features.Rows {
		if r.Required {
			list += "`" + r.Device + "`, "
		}
	}
	return list
}

// TestLimits: the figures of docs/limits.md are those of the code.
func TestLimits(t *testing.T) {
	spaces := regexp.MustCompile(`\s+`)
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("../../..", name))
		if err != nil {
			t.Fatal(err)
		}
		return spaces.ReplaceAllString(string(text), " ")
	}
	page := read("docs/limits.md")
	for _, l := range limits {
		if !strings.Contains(read(l.file), l.code) {
			t.Errorf("%s does not say %q: what does docs/limits.md have to say where it says %q?", l.file, l.code, l.page)
		}
		if !strings.Contains(page, l.page) {
			t.Errorf("docs/limits.md does not say %q, as %s does by %q", l.page, l.file, l.code)
		}
	}
}
