package archtest

import (
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/spirv"
)

// TestFloatModes checks that no module states a mode of rounding or of subnormals. On NVIDIA's
// GPUs RoundingModeRTE 32 has sums and products keep subnormals while comparisons take them
// for zeros, so that x*0.5 != 0 and x == 0; and no mode has all operations keep them. Only
// package spirv knows of these modes, to read modules of other authors.
func TestFloatModes(t *testing.T) {
	modes := map[spirv.ExecutionMode]bool{
		spirv.ExecutionModeRoundingModeRTE: true, spirv.ExecutionModeRoundingModeRTZ: true,
		spirv.ExecutionModeDenormPreserve: true, spirv.ExecutionModeDenormFlushToZero: true,
	}
	modules, sources := 0, 0
	for _, root := range []string{"abi", "cmd", "codegen", "dsl", "generated", "internal", "runtime"} {
		err := filepath.WalkDir(filepath.Join("..", "..", "..", root), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			switch slashed := filepath.ToSlash(path); {
			case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && !strings.Contains(slashed, "/codegen/spirv/"):
				sources++
				for mode := range modes {
					if strings.Contains(string(data), "spirv.ExecutionMode"+mode.String()) {
						t.Errorf("%s uses %v", path, mode)
					}
				}
			case strings.HasSuffix(path, ".spv"):
				modules++
				words := make([]uint32, len(data)/4)
				for i := range words {
					words[i] = binary.LittleEndian.Uint32(data[4*i:])
				}
				m, err := spirv.Parse(words)
				if err != nil {
					t.Errorf("%s: %v", path, err)
					return nil
				}
				for _, in := range m.ExecutionModes {
					if mode := spirv.ExecutionMode(in.Words[1]); modes[mode] {
						t.Errorf("%s states %v", path, mode)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if modules < 50 || sources < 300 {
		t.Errorf("only %d modules and %d files of Go were read", modules, sources)
	}
}
