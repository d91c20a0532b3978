//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/codegen/spirv/valid"
	"github.com/kgen-go/kgen/internal/tests/testflag"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

var damage = testflag.Int("damage", 700, 0, 1<<30, "how many damaged modules TestDamaged tries; 0: all")

// damagedModules are the modules that TestDamaged damages.
var damagedModules = []string{
	"../../../codegen/spirv/valid/testdata/saxpy.spv",
	"../../../codegen/spirv/valid/testdata/matmul.spv",
	"../../../codegen/spirv/valid/testdata/tell.spv",
	"../../../codegen/spirv/valid/testdata/privates.spv",
	"../../../codegen/spirv/valid/testdata/atomics.spv",
	"../../../codegen/spirv/valid/testdata/loops.spv",
	"../../../codegen/spirv/valid/testdata/groups.spv",
}

func damagedWords(t testing.TB, path string) []uint32 {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	words := make([]uint32, len(b)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return words
}

// takes gives a module to the driver and has its compiler run: a pipeline, and a
// dispatch of no work-groups, for which some drivers compile.
func takes(d *device, words []uint32) error {
	h, err := d.NewPipeline(&hal.PipelineDesc{
		Kernel: &abi.Kernel{Name: "damaged", ArgSize: 128 - abi.OffsetArgs}, SPIRV: words, LocalSize: [3]uint32{1, 1, 1},
		Specs: []hal.SpecValue{{ID: abi.SpecLocalSizeX, Size: 4, Bits: 1}, {ID: abi.SpecLocalSizeX + 1, Size: 4, Bits: 1}, {ID: abi.SpecLocalSizeX + 2, Size: 4, Bits: 1}},
	})
	if err != nil {
		return err
	}
	defer h.Free()
	p := h.(*pipeline)
	pool, r := d.vk.CreateCommandPool(d.queue.lines[0].family, true)
	if r < 0 {
		return check("vkCreateCommandPool", r)
	}
	defer d.vk.DestroyCommandPool(pool)
	cb, r := d.vk.AllocateCommandBuffer(pool, false)
	if r < 0 {
		return check("vkAllocateCommandBuffers", r)
	}
	line, r := d.vk.CreateTimeline()
	if r < 0 {
		return check("vkCreateSemaphore", r)
	}
	defer d.vk.DestroySemaphore(line)
	var commands vkx.Commands
	commands.BindPipeline(p.handle)
	commands.PushConstants(p.layout, p.words)
	commands.Dispatch([3]uint32{0, 1, 1})
	if r := d.vk.Submit(&vkx.Submission{Queue: d.queue.lines[0].queue, Buffer: cb, Timeline: line, Value: 1}, commands); r < 0 {
		return check("vkQueueSubmit", r)
	}
	return check("vkWaitSemaphores", d.vk.WaitReached(line, 1, uint64(time.Minute)))
}

// TestDamagedChild is a process that may die: it tries every step-th damaged module
// of a file from a bit on, and says before each which it is.
func TestDamagedChild(t *testing.T) {
	args := strings.Fields(os.Getenv("KGEN_TEST_DAMAGED"))
	if len(args) != 4 {
		t.Skip("TestDamaged starts it")
	}
	words := damagedWords(t, args[0])
	from, _ := strconv.Atoi(args[1])
	step, _ := strconv.Atoi(args[2])
	d := open(t)
	for bit := from; bit < 32*len(words); bit += step {
		words[bit/32] ^= 1 << (bit % 32)
		m, err := spirv.Parse(words)
		if err == nil && args[3] == "checked" {
			_, err = valid.Check(m, abi.EntryPoint, nil)
		}
		if err == nil {
			fmt.Println("bit", bit)
			takes(d, words) // that it is refused is as good
		}
		words[bit/32] ^= 1 << (bit % 32)
	}
	fmt.Println("end")
}

// dies lists the damaged modules of a file that end a process.
func dies(t *testing.T, path string, step int, how string) (tried int, dead []int) {
	total := 32 * len(damagedWords(t, path))
	for from := 0; from < total; {
		cmd := exec.Command(os.Args[0], "-test.run=^TestDamagedChild$", "-test.timeout=0")
		cmd.Env = append(os.Environ(), fmt.Sprintf("KGEN_TEST_DAMAGED=%s %d %d %s", path, from, step, how), "KGEN_VALIDATE=0", "MESA_DEBUG=silent")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		last, end := -1, false
		for s := bufio.NewScanner(out); s.Scan(); {
			if n, ok := strings.CutPrefix(s.Text(), "bit "); ok {
				last, _ = strconv.Atoi(n)
				tried++
			}
			end = end || s.Text() == "end"
		}
		err = cmd.Wait()
		switch {
		case end:
			return tried, dead
		case last < 0:
			t.Fatalf("%s: the process that tries damaged modules did not begin: %v", path, err)
		}
		dead = append(dead, last)
		from = last + step
	}
	return tried, dead
}

// TestDamaged damages modules by a bit each. Those that the check accepts do not end
// the process in the driver.
func TestDamaged(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about the driver alone, and -short is set")
	}
	devices(t)
	bits := 0
	for _, path := range damagedModules {
		bits += 32 * len(damagedWords(t, path))
	}
	step := 1
	if *damage > 0 {
		step = bits / *damage | 1
	}
	how := "checked"
	if os.Getenv("KGEN_TEST_UNCHECKED") != "" {
		how = "parsed" // shows what the check is for
	}
	for _, path := range damagedModules {
		tried, dead := dies(t, path, step, how)
		t.Logf("%s: %d of %d reached the driver", path, tried, 32*len(damagedWords(t, path))/step)
		for _, bit := range dead {
			t.Errorf("%s: bit %d of word %d ends the process", path, bit%32, bit/32)
		}
	}
}
