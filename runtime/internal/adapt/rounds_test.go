package adapt

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/internal/modules"
	"github.com/kgen-go/kgen/internal/tests/spirvtools"
)

// TestRecordRounds rewrites the modules of kernels, of which spirv-val has to approve, and
// which stay as they are if they have no loops.
func TestRecordRounds(t *testing.T) {
	var files []string
	folder := func(pkg string) string {
		dir, err := modules.Folder(modules.Module + "/internal/tests/difftest/" + pkg)
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	for _, pattern := range []string{"../../../generated/examples/*/*/*.spv", folder("rounds") + "/*.spv", folder("groups") + "/[A-D]*.spv"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		files = append(files, found...)
	}
	loops := 0
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		words := make([]uint32, len(b)/4)
		for i := range words {
			words[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
		before := slices.Clone(words)
		got, err := RecordRounds(words)
		if err != nil {
			t.Fatal(file, err)
		}
		if !slices.Equal(words, before) {
			t.Fatalf("%s: the words that were given have changed", file)
		}
		m, err := spirv.Parse(words)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		m.All(func(in *spirv.Instruction) bool {
			if in.Op == spirv.OpLoopMerge {
				n++
			}
			return true
		})
		if n > 0 == slices.Equal(got, words) {
			t.Errorf("%s, with %d loops: changed: %v", file, n, n > 0)
		}
		if n > 0 {
			loops += n
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				spirvtools.Validate(t, got)
			})
		}
	}
	t.Logf("%d modules with %d loops", len(files), loops)
}

// loopModule has a loop, and a block of push constants with members of such types at such
// offsets, if there are any.
func loopModule(t *testing.T, addressing spirv.AddressingModel, members func(b *spirv.Builder) []spirv.Member) []uint32 {
	t.Helper()
	b := spirv.NewBuilder()
	b.Capability(spirv.CapabilityShader)
	b.Capability(spirv.CapabilityInt64)
	b.Capability(spirv.CapabilityVulkanMemoryModel)
	if addressing == spirv.AddressingModelPhysicalStorageBuffer64 {
		b.Capability(spirv.CapabilityPhysicalStorageBufferAddresses)
	}
	b.MemoryModel(addressing, spirv.MemoryModelVulkan)
	var variables []spirv.ID
	if list := members(b); list != nil {
		p := b.TypePointer(spirv.StorageClassPushConstant, b.StructLayout(list, true))
		variables = append(variables, b.Variable(p, spirv.StorageClassPushConstant, 0))
	}
	f := b.Function(b.TypeVoid(), b.TypeFunction(b.TypeVoid()), spirv.FunctionControlNone)
	head, body, latch, merge := b.NewID(), b.NewID(), b.NewID(), b.NewID()
	f.Label(b.NewID())
	f.Branch(head)
	f.Label(head)
	f.LoopMerge(merge, latch, spirv.LoopControlNone)
	f.Branch(body)
	f.Label(body)
	i64 := b.TypeInt(64, false)
	join, leave := b.NewID(), b.NewID()
	f.SelectionMerge(join, spirv.SelectionControlNone)
	f.Switch(i64, b.ConstBits(i64, 3), join, spirv.Case{Value: 7, Target: leave})
	f.Label(leave)
	f.Branch(merge)
	f.Label(join)
	f.Branch(latch)
	f.Label(latch)
	f.Branch(head)
	f.Label(merge)
	f.Return()
	b.EntryPoint(spirv.ExecutionModelGLCompute, f.ID, "main", variables...)
	b.ExecutionMode(f.ID, spirv.ExecutionModeLocalSize, 1, 1, 1)
	m, err := b.Module()
	if err != nil {
		t.Fatal(err)
	}
	return m.Words()
}

// TestRecordRoundsBlocks has modules of other authors, which may or may not have the
// record's address where the launch block has it.
func TestRecordRoundsBlocks(t *testing.T) {
	type members = []spirv.Member
	u32 := func(b *spirv.Builder) spirv.ID { return b.TypeInt(32, false) }
	pair := func(b *spirv.Builder) spirv.ID { return b.TypeVector(b.TypeInt(32, false), 2) }
	tests := []struct {
		name    string
		logical bool
		block   func(b *spirv.Builder) members
		changed bool
	}{
		{"no block", false, func(b *spirv.Builder) members { return nil }, true},
		{"arguments", false, func(b *spirv.Builder) members { return members{{Type: pair(b), Offset: abi.OffsetArgs}} }, true},
		{"pair", false, func(b *spirv.Builder) members {
			return members{{Type: pair(b), Offset: 0}, {Type: u32(b), Offset: abi.OffsetReserved}}
		}, true},
		{"wide", false, func(b *spirv.Builder) members { return members{{Type: b.TypeInt(64, false), Offset: 0}} }, true},
		{"words", false, func(b *spirv.Builder) members { return members{{Type: u32(b), Offset: 0}, {Type: u32(b), Offset: 4}} }, true},
		{"low", false, func(b *spirv.Builder) members { return members{{Type: u32(b), Offset: 0}} }, true},
		{"high", false, func(b *spirv.Builder) members { return members{{Type: b.TypeFloat(32), Offset: 4}} }, true},
		{"float zero", false, func(b *spirv.Builder) members { return members{{Type: b.TypeFloat(32), Offset: abi.OffsetReserved}} }, true},
		{"range", false, func(b *spirv.Builder) members {
			return members{{Type: pair(b), Offset: abi.OffsetRange}, {Type: u32(b), Offset: abi.OffsetRange + 8}}
		}, true},
		{"other", false, func(b *spirv.Builder) members { return members{{Type: b.TypeVector(u32(b), 4), Offset: 0}} }, false},
		{"over zero", false, func(b *spirv.Builder) members { return members{{Type: pair(b), Offset: 16}} }, false},
		{"logical", true, func(b *spirv.Builder) members { return nil }, false},
	}
	for _, test := range tests {
		addressing := spirv.AddressingModelPhysicalStorageBuffer64
		if test.logical {
			addressing = spirv.AddressingModelLogical
		}
		words := loopModule(t, addressing, test.block)
		spirvtools.Validate(t, words)
		got, err := RecordRounds(words)
		if err != nil {
			t.Fatal(test.name, err)
		}
		if changed := !slices.Equal(got, words); changed != test.changed {
			t.Errorf("%s: changed: %v", test.name, changed)
		}
		spirvtools.Validate(t, got)
	}
}
