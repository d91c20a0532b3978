package features

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/internal/tests/spirvtools"
	"github.com/kgen-go/kgen/properties"
)

// enumerant is the description of a capability in the grammar.
type enumerant struct {
	Name         string `json:"enumerant"`
	Value        uint32
	Version      string
	Extensions   []string
	Capabilities []string
}

// TestGrammar compares the columns that SPIR-V decides with its grammar.
func TestGrammar(t *testing.T) {
	text, err := os.ReadFile("/usr/include/spirv/unified1/spirv.core.grammar.json")
	if err != nil {
		spirvtools.Missing(t, "the SPIR-V grammar", "spirv-headers")
	}
	var grammar struct {
		Kinds []struct {
			Kind       string
			Enumerants []json.RawMessage
		} `json:"operand_kinds"`
	}
	if err := json.Unmarshal(text, &grammar); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, k := range grammar.Kinds {
		if k.Kind != "Capability" {
			continue
		}
		for _, raw := range k.Enumerants {
			var e enumerant
			if err := json.Unmarshal(raw, &e); err != nil {
				t.Fatal(err)
			}
			if r := Of(spirv.Capability(e.Value)); r != nil && e.Name == r.Capability.String() {
				found++
				checkRow(t, r, &e)
			}
		}
	}
	// Debian's grammar is older than these; a newer spirv-val takes modules that declare the first.
	newer := []spirv.Capability{spirv.CapabilityCooperativeMatrixKHR, spirv.CapabilityBFloat16TypeKHR, spirv.CapabilityBFloat16CooperativeMatrixKHR}
	if found != len(Rows)-len(newer) {
		t.Errorf("the grammar has %d of %d capabilities", found, len(Rows)-len(newer))
	}
}

func checkRow(t *testing.T, r *Row, e *enumerant) {
	version := uint32(0)
	var major, minor uint32
	if e.Version == "None" {
		version = Newer
	} else if n, _ := fmt.Sscanf(e.Version, "%d.%d", &major, &minor); n == 2 {
		version = major<<16 | minor<<8
	}
	if version != r.Version {
		t.Errorf("%s: version %#x, the grammar says %q", e.Name, r.Version, e.Version)
	}
	// The grammar names no extension for the memory model, whose version 1.5 took it in.
	if len(e.Extensions) > 0 && !slices.Contains(e.Extensions, r.Extension) {
		t.Errorf("%s: extension %q, the grammar says %q", e.Name, r.Extension, e.Extensions)
	}
	if r.Version == Newer && r.Extension == "" {
		t.Errorf("%s has neither a version nor an extension", e.Name)
	}
	// Every module declares Shader.
	e.Capabilities = slices.DeleteFunc(e.Capabilities, func(c string) bool { return c == "Shader" })
	if implies := r.Implies.String(); len(e.Capabilities) > 0 && e.Capabilities[0] != implies || len(e.Capabilities) == 0 && r.Implies != 0 {
		t.Errorf("%s implies %s, the grammar says %q", e.Name, implies, e.Capabilities)
	}
}

// TestRows: a capability has one row, an aspect's rows say which feature of a device they are,
// and what a module declares by a capability a device with its aspect has.
func TestRows(t *testing.T) {
	seen := map[spirv.Capability]bool{}
	for _, r := range Rows {
		if seen[r.Capability] {
			t.Errorf("%v has two rows", r.Capability)
		}
		seen[r.Capability] = true
		if r.Aspect == properties.AspectInvalid {
			if len(r.Also) > 0 {
				t.Errorf("%v takes more features, for no aspect", r.Capability)
			}
			continue
		}
		if r.Device == "" {
			t.Errorf("%v is aspect %v, and no feature of devices", r.Capability, r.Aspect)
		}
		if i := Of(r.Implies); i.Device != "" && !slices.Contains(Device(r.Aspect), i.Device) {
			t.Errorf("%v implies %v, but aspect %v does not take %s", r.Capability, r.Implies, r.Aspect, i.Device)
		}
	}
}

func TestUsed(t *testing.T) {
	b := spirv.NewBuilder()
	for _, c := range []spirv.Capability{spirv.CapabilityShader, spirv.CapabilityInt16, spirv.CapabilityStorageBuffer16BitAccess, spirv.CapabilityFloat64} {
		b.Capability(c)
	}
	b.MemoryModel(spirv.AddressingModelLogical, spirv.MemoryModelGLSL450)
	m, err := b.Module()
	if err != nil {
		t.Fatal(err)
	}
	if got := Used(m); !slices.Equal(got, []properties.Aspect{properties.FP64, properties.Int16}) {
		t.Errorf("the module uses %v", got)
	}
}
