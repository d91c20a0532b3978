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
	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

var flips = flag.Int("flips", 6000, "how many damaged modules TestFlips compares with spirv-val; 0: all")

// damaged are the modules in testdata that are damaged, two of glslc's and the rest of
// kgen's. They are copies, so that the places of words stay what they are.
var damaged = []string{"saxpy", "matmul", "ids", "tell", "privates", "atomics", "loops", "groups"}

func damagedModule(t testing.TB, name string) []uint32 {
	return read(t, filepath.Join("testdata", name+".spv"))
}

// crashes are bits, by module and word, that ended the process in Mesa's llvmpipe
// 22.3 when the module was damaged there.
var crashes = map[string][][2]int{
	"privates": {{697, 6}, {1032, 4}, {1116, 7}, {1285, 4}, {1346, 7}, {1431, 1}, {1487, 3}, {1495, 0}, {1500, 1}},
	"atomics": {{218, 16}, {230, 0}, {248, 22}, {256, 19}, {264, 16}, {268, 3}, {268, 26}, {290, 12}, {329, 6}, {329, 29},
		{669, 5}, {672, 1}, {713, 0}, {728, 3}, {741, 1}},
	"loops": {{20, 4}, {51, 1}, {253, 0}, {260, 6}, {260, 29}, {264, 16}, {272, 13}, {276, 23}, {280, 10}, {291, 3}, {304, 1},
		{304, 24}, {334, 7}, {334, 30}, {511, 1}, {554, 5}, {677, 2}, {894, 4}, {945, 5}, {1009, 4}, {1060, 5}, {1114, 2},
		{1538, 4}, {1702, 0}, {1755, 6}, {1855, 3}, {1901, 3}, {1914, 1}, {1932, 0}, {1970, 3}},
}

// TestCrashes: what is known to end the process is refused.
func TestCrashes(t *testing.T) {
	for name, list := range crashes {
		for _, at := range list {
			words := damagedModule(t, name)
			words[at[0]] ^= 1 << at[1]
			if _, err := spirv.Parse(words); err != nil {
				t.Errorf("%s, bit %d of word %d: the reader refuses it already: %v", name, at[1], at[0], err)
			}
			if err := check(words); err == nil {
				t.Errorf("%s, bit %d of word %d is accepted", name, at[1], at[0])
			} else if testing.Verbose() {
				t.Log(name, err)
			}
		}
	}
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
		need.Missing(t, need.Vulkan, "no spirv-val; install spirv-tools")
	}
	type flip struct{ module, bit int }
	var modules [][]uint32
	var all []flip
	for i, name := range damaged {
		words := damagedModule(t, name)
		modules = append(modules, words)
		for bit := range 32 * len(words) {
			all = append(all, flip{i, bit})
		}
	}
	step := 1
	if n := sample.Of(*flips, min(*flips, 1000)); n > 0 {
		step = max(1, len(all)/n)
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
		if n += wordCount(in); n > word {
			var b strings.Builder
			d.Format(&b, in)
			return b.String()
		}
	}
	return "the header"
}
