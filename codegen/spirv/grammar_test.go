package spirv

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/spirvtools"
)

const grammarDir = "/usr/include/spirv/unified1"

// TestGeneratedFilesAreCurrent regenerates the tables and compares.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	if _, err := os.Stat(filepath.Join(grammarDir, "spirv.core.grammar.json")); err != nil {
		spirvtools.Missing(t, "the SPIR-V grammar", "spirv-headers")
	}
	dir := t.TempDir()
	if out, err := exec.Command("go", "run", "./_gen", "-grammar", grammarDir, "-out", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var names []string
	for _, pattern := range []string{"z*.go", filepath.Join(dir, "*")} {
		paths, _ := filepath.Glob(pattern)
		for _, p := range paths {
			names = append(names, filepath.Base(p))
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		have, _ := os.ReadFile(name)
		want, _ := os.ReadFile(filepath.Join(dir, name))
		if !bytes.Equal(have, want) {
			t.Errorf("%s is stale, or made from another grammar than the installed one: run make grammar", name)
		}
	}
}

func TestTables(t *testing.T) {
	sorted := func(what string, n int, at func(int) uint32) {
		for i := 1; i < n; i++ {
			if at(i-1) >= at(i) {
				t.Errorf("%s: row %d is out of order", what, i)
			}
		}
	}
	sorted("opRows", len(opRows), func(i int) uint32 { return uint32(opRows[i].op) })
	sorted("glslRows", len(glslRows), func(i int) uint32 { return uint32(glslRows[i].inst) })
	for k := kindNone + 1; int(k) < len(kindRows); k++ {
		rows := kindRows[k].enumerants
		sorted(k.String(), len(rows), func(i int) uint32 { return rows[i].value })
		for _, e := range rows {
			if kindRows[k].category == categoryBitEnum && e.value&(e.value-1) != 0 {
				t.Errorf("%v %s has several bits", k, e.name)
			}
		}
	}
	// The walker relies on these being the only users of context.
	for i := range opRows {
		for _, o := range opRows[i].operands {
			if o.Kind == KindPairLiteralIntegerIdRef && opRows[i].op != OpSwitch ||
				o.Kind == KindLiteralContextDependentNumber && opRows[i].section != secGlobal ||
				o.Kind == KindLiteralSpecConstantOpInteger && opRows[i].op != OpSpecConstantOp ||
				o.Kind == KindLiteralExtInstInteger && opRows[i].op != OpExtInst {
				t.Errorf("%s has an operand of kind %v", opRows[i].name, o.Kind)
			}
		}
	}
	for i := range glslRows {
		for _, o := range glslRows[i].operands {
			if o.Kind != KindIdRef || o.Quantifier != One {
				t.Errorf("%s has an operand that is not one id", glslRows[i].name)
			}
		}
	}
}

func TestNames(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{OpIAdd.String(), "OpIAdd"},
		{Op(9999).String(), "Op(9999)"},
		{OpDecorateStringGOOGLE.String(), "OpDecorateString"},
		{CapabilityShader.String(), "Shader"},
		{CapabilityStorageUniformBufferBlock16.String(), "StorageBuffer16BitAccess"},
		{Capability(77777).String(), "77777"},
		{MemoryAccessNone.String(), "None"},
		{(MemoryAccessVolatile | MemoryAccessAligned).String(), "Volatile|Aligned"},
		{(MemoryAccessVolatile | 1<<30).String(), "Volatile|0x40000000"},
		{StorageClassPhysicalStorageBuffer.String(), "PhysicalStorageBuffer"},
		{Dim2D.String(), "2D"},
		{GLSLstd450Sqrt.String(), "Sqrt"},
		{KindIdRef.String(), "IdRef"},
	} {
		if test.got != test.want {
			t.Errorf("got %s, want %s", test.got, test.want)
		}
	}
	info, ok := OpStore.Info()
	if !ok || info.HasResult || len(info.Operands) != 3 || info.Operands[2] != (OperandInfo{KindMemoryAccess, Optional}) {
		t.Errorf("OpStore.Info() = %+v, %v", info, ok)
	}
}
