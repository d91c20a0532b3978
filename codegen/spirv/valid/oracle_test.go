package valid

import (
	"bytes"
	"encoding/binary"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/codegen/spirv"
)

var flips = flag.Int("flips", 1200, "how many damaged modules are compared with spirv-val; 0: all")

// damaged are the modules that are damaged: small ones with a barrier, sub-groups,
// switches, atomic operations, matrices of specialization constants and structures,
// and one of glslc's.
var damaged = []string{
	"internal/peer/glsl/saxpy.spv",
	"internal/conformance/consts/constsgen/Ids.spv",
	"internal/conformance/privates/privatesgen/Three.spv",
	"internal/conformance/consts/constsgen/TellInt.spv",
	"internal/difftest/atomics/atomicsgen/Native.spv",
	"internal/difftest/corpus/corpusgen/Leavers.small.spv",
	"generated/examples/reduce/fold/Finish.small.spv",
	"internal/peer/glsl/matmul.spv",
}

// spirvVal returns what spirv-val says of a module, "" if it is valid.
func spirvVal(t *testing.T, dir string, words []uint32) string {
	b := make([]byte, 4*len(words))
	for i, w := range words {
		binary.LittleEndian.PutUint32(b[4*i:], w)
	}
	f, err := os.CreateTemp(dir, "*.spv")
	if err != nil {
		t.Error(err)
		return ""
	}
	defer os.Remove(f.Name())
	if _, err := f.Write(b); err != nil {
		t.Error(err)
	}
	f.Close()
	var out bytes.Buffer
	cmd := exec.Command("spirv-val", "--target-env", "vulkan1.3", "--scalar-block-layout", f.Name())
	cmd.Stderr = &out
	if cmd.Run() == nil {
		return ""
	}
	return strings.TrimSpace(out.String()) + " "
}

// category is a message without what differs from module to module.
func category(message string) string {
	message, _, _ = strings.Cut(message, "\n")
	return regexp.MustCompile(`'?\d+(\[%[^]]*\])?'?`).ReplaceAllString(message, "#")
}

// TestFlips damages modules by a bit each. What Check accepts, spirv-val does, too.
func TestFlips(t *testing.T) {
	if _, err := exec.LookPath("spirv-val"); err != nil {
		t.Skip("no spirv-val; install spirv-tools")
	}
	type flip struct{ module, bit int }
	var modules [][]uint32
	var all []flip
	for i, path := range damaged {
		words := read(t, filepath.Join(root, path))
		modules = append(modules, words)
		for bit := range 32 * len(words) {
			all = append(all, flip{i, bit})
		}
	}
	step := 1
	if *flips > 0 {
		step = max(1, len(all) / *flips)
	}
	dir := t.TempDir()
	work := make(chan flip)
	var mu sync.Mutex
	missed, refused, valid := map[string][]flip{}, 0, 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for f := range work {
				words := append([]uint32(nil), modules[f.module]...)
				words[f.bit/32] ^= 1 << (f.bit % 32)
				ours := check(words)
				if ours != nil && testing.Short() {
					continue
				}
				said := ""
				if ours == nil {
					said = spirvVal(t, dir, words)
				}
				mu.Lock()
				switch {
				case ours != nil:
					refused++
				case said == "":
					valid++
				default:
					missed[category(said)] = append(missed[category(said)], f)
				}
				mu.Unlock()
			}
		})
	}
	for i := 0; i < len(all); i += step {
		work <- all[i]
	}
	close(work)
	wg.Wait()
	t.Logf("%d damaged modules: %d refused, %d valid", (len(all)+step-1)/step, refused, valid)
	var list []string
	for k := range missed {
		list = append(list, k)
	}
	sort.Strings(list)
	for _, k := range list {
		f := missed[k][0]
		words := append([]uint32(nil), modules[f.module]...)
		words[f.bit/32] ^= 1 << (f.bit % 32)
		t.Errorf("%d accepted that spirv-val refuses: %s (%s, bit %d of word %d)\n\t%s\n\t%s", len(missed[k]), k, damaged[f.module], f.bit%32, f.bit/32,
			at(modules[f.module], f.bit/32), at(words, f.bit/32))
	}
}

// at prints the instruction at a word.
func at(words []uint32, word int) string {
	m, err := spirv.Parse(words)
	if err != nil {
		return err.Error()
	}
	d := m.Decoder()
	n := 5
	for in := range m.All {
		if n += length(in); n > word {
			var b strings.Builder
			d.Format(&b, in)
			return b.String()
		}
	}
	return "the header"
}
