package spirv

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/spirvtools"
)

// shaders use what the kernels of this repository may not, so that the reader
// is measured against somebody else's modules.
var shaders = []struct{ name, source string }{
	{"empty", "#version 450\nvoid main() {}"},
	{"numbers", `#version 450
		#extension GL_EXT_shader_explicit_arithmetic_types : require
		layout(local_size_x_id = 0, local_size_y = 2) in;
		layout(constant_id = 1) const float f = 1e-7;
		layout(constant_id = 2) const double d = 0.1;
		layout(constant_id = 3) const int64_t l = -5000000000L;
		layout(constant_id = 4) const bool b = true;
		layout(constant_id = 5) const int n = 4;
		layout(set = 0, binding = 0, std430) buffer B { double x[3]; float16_t h; int8_t c; int16_t s[n + 2]; } buf[2];
		void main() {
			buf[0].x[0] = d * 1e300 + double(l) + double(f * 16777216.0 * 100000.0 + 1.0e9 + 1234567890.0);
			buf[1].h = float16_t(0.333) + float16_t(1.0e-7);
			buf[1].c = b ? int8_t(-3) : int8_t(100);
			buf[1].s[n] = int16_t(-300);
			switch (n) { case -1: buf[0].x[1] = 1.0lf / 0.0lf; break; case 8: buf[0].x[1] = 5e-324lf; default: buf[0].x[2] = 2; }
		}`},
	{"control", `#version 450
		layout(local_size_x = 64) in;
		layout(push_constant) uniform P { uint n; float a; } p;
		layout(binding = 0) buffer B { uint x[]; };
		shared uint tile[64];
		uint twice(uint v) { for (uint i = 0; i < p.n; i++) { if (i == 7) continue; if (v > 100) break; v *= 2; } return v; }
		void main() {
			uint i = gl_GlobalInvocationID.x;
			tile[gl_LocalInvocationIndex] = x[i];
			barrier();
			switch (x[i] & 3) { case 0: x[i] = twice(x[i]); break; case 1: x[i]++; default: x[i] = atomicAdd(x[0], tile[0]); }
			do { x[i] = uint(sqrt(float(x[i]))) ^ uint(fma(p.a, 0.5, -1.5)); } while (x[i] > 9);
		}`},
	{"memory", `#version 450
		#extension GL_EXT_buffer_reference : require
		#extension GL_KHR_shader_subgroup_arithmetic : require
		#extension GL_KHR_memory_scope_semantics : require
		#extension GL_EXT_debug_printf : require
		#pragma use_vulkan_memory_model
		layout(local_size_x = 32) in;
		layout(buffer_reference) buffer Node;
		layout(buffer_reference, std430) buffer Node { float v; Node next; };
		layout(push_constant) uniform P { Node head; } p;
		layout(binding = 1, rgba8) uniform image2D img;
		layout(binding = 2) uniform sampler2D tex;
		void main() {
			Node n = p.head;
			while (n.v > 0.0) n = n.next;
			n.v = subgroupInclusiveAdd(n.v);
			imageStore(img, ivec2(1), textureLod(tex, vec2(0.25), 2.0) * imageLoad(img, ivec2(0)));
			debugPrintfEXT("a \"quoted\" \\ %f", n.v);
			memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
		}`},
}

func TestParseGLSLC(t *testing.T) {
	for _, s := range shaders {
		for _, flags := range [][]string{nil, {"-g"}, {"-O"}} {
			name := s.name + strings.Join(flags, "")
			if !sample.Has(name, 6) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				words := spirvtools.CompileGLSL(t, s.source, flags...)
				m, err := Parse(words)
				if err != nil {
					t.Fatalf("%v\n%s", err, spirvtools.Disassemble(t, words))
				}
				if got := m.Words(); !slices.Equal(got, words) {
					t.Error("the module does not come back as it was")
				}
				if want, got := spirvtools.Disassemble(t, words), Disassemble(m); got != want {
					t.Errorf("disassembly:\n%s", diff(want, got))
				}
				if err := m.Compact(); err != nil {
					t.Fatal(err)
				}
				spirvtools.Validate(t, m.Words())
				compact := m.Words()
				if m, err = Parse(compact); err != nil {
					t.Fatal(err)
				}
				if err := m.Compact(); err != nil || !slices.Equal(m.Words(), compact) {
					t.Errorf("Compact of a compact module changes it (%v)", err)
				}
			})
		}
	}
}

func TestParseBytesOfEitherOrder(t *testing.T) {
	m := buildKernel(t)
	little := m.Bytes()
	var big []byte
	for i := 0; i < len(little); i += 4 {
		big = binary.BigEndian.AppendUint32(big, binary.LittleEndian.Uint32(little[i:]))
	}
	for _, b := range [][]byte{little, big} {
		got, err := ParseBytes(b)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Words(), m.Words()) {
			t.Error("the module does not come back as it was")
		}
	}
	if _, err := ParseBytes(little[:len(little)-1]); err == nil {
		t.Error("no error for a part of a word")
	}
}

// Every truncation and every flipped bit is an error or a module that comes
// back as it was.
func TestParseDamaged(t *testing.T) {
	words := buildKernel(t).Words()
	check := func(w []uint32) {
		m, err := Parse(w)
		if (m == nil) == (err == nil) {
			t.Fatalf("module %v with error %v", m, err)
		}
		if err == nil && !slices.Equal(m.Words(), w) {
			t.Fatal("the module does not come back as it was")
		}
		if err == nil {
			m.SpecConstants()
			m.EntryPointsInfo()
			Disassemble(m)
		}
	}
	for n := range words {
		check(words[:n])
	}
	damaged := slices.Clone(words)
	step := sample.Of(1, 4)
	for i := range damaged {
		for bit := i % step; bit < 32; bit += step {
			damaged[i] ^= 1 << bit
			check(damaged)
			damaged[i] ^= 1 << bit
		}
	}
}

func TestParseErrors(t *testing.T) {
	ins := func(op Op, operands ...uint32) []uint32 {
		return append([]uint32{uint32(len(operands)+1)<<16 | uint32(op)}, operands...)
	}
	join := func(list ...[]uint32) []uint32 { return slices.Concat(list...) }
	model := ins(OpMemoryModel, 0, 1)
	types := join(ins(OpTypeVoid, 1), ins(OpTypeFunction, 2, 1))
	declaration := join(ins(OpFunction, 1, 3, 0, 2), ins(OpFunctionEnd))
	definition := join(ins(OpFunction, 1, 4, 0, 2), ins(OpLabel, 5), ins(OpReturn), ins(OpFunctionEnd))
	for _, test := range []struct {
		name, want string
		body       []uint32
	}{
		{"valid", "", join(model, types, declaration, definition)},
		{"no memory model", "no OpMemoryModel", types},
		{"two memory models", "twice", join(model, model)},
		{"word count 0", "word count", []uint32{uint32(OpNop)}},
		{"word count past the end", "word count", []uint32{2<<16 | uint32(OpNop)}},
		{"unknown opcode", "unknown opcode", ins(9999)},
		{"capability late", "after its section", join(model, ins(OpCapability, 1))},
		{"type late", "after its section", join(model, types, declaration, ins(OpTypeBool, 6))},
		{"declaration late", "after a definition", join(model, types, definition, declaration)},
		{"line early", "after its section", join(ins(OpNoLine), model)},
		{"code outside a function", "outside a function", join(model, types, ins(OpReturn))},
		{"code outside a block", "outside a block", join(model, types, ins(OpFunction, 1, 3, 0, 2), ins(OpReturn), ins(OpFunctionEnd))},
		{"code after a terminator", "outside a block", join(model, types, ins(OpFunction, 1, 3, 0, 2), ins(OpLabel, 5), ins(OpReturn), ins(OpNop), ins(OpFunctionEnd))},
		{"no function end", "no OpFunctionEnd", join(model, types, ins(OpFunction, 1, 3, 0, 2))},
		{"nested function", "inside a function", join(model, types, ins(OpFunction, 1, 3, 0, 2), ins(OpFunction, 1, 4, 0, 2))},
		{"function variable outside", "outside a function", join(model, ins(OpTypeVoid, 1), ins(OpVariable, 1, 2, 7))},
		{"id 0", "below the bound", join(model, ins(OpTypeVoid, 0))},
		{"id at the bound", "below the bound", join(model, ins(OpTypeVoid, 10))},
		{"operand id 0", "<id> is 0", join(model, ins(OpTypeRuntimeArray, 1, 0))},
		{"undefined", "never defined", join(model, ins(OpTypeRuntimeArray, 1, 2))},
		{"undefined type", "never defined", join(model, ins(OpUndef, 1, 2))},
		{"defined twice", "defined twice", join(model, ins(OpTypeVoid, 1), ins(OpTypeBool, 1))},
		{"too many words", "too many", join(model, ins(OpTypeVoid, 1, 1))},
		{"too few words", "too few", join(model, ins(OpTypeInt, 1, 32))},
		{"constant too short", "too few", join(model, ins(OpTypeInt, 1, 64, 0), ins(OpConstant, 1, 2, 5))},
		{"constant too long", "too many", join(model, ins(OpTypeInt, 1, 32, 0), ins(OpConstant, 1, 2, 5, 0))},
		{"constant of no number", "no integer", join(model, ins(OpTypeVoid, 1), ins(OpConstant, 1, 2, 5))},
		{"no parameter", "too few", join(model, ins(OpDecorate, 1, uint32(DecorationOffset)), ins(OpTypeVoid, 1))},
		{"unknown decoration", "unknown Decoration", join(model, ins(OpDecorate, 1, 99999), ins(OpTypeVoid, 1))},
		{"string without end", "without an end", join(ins(OpExtension, 0x41414141), model)},
		{"string padding", "without an end", join(ins(OpExtension, 0x41000041), model)},
		{"string not UTF-8", "not UTF-8", join(ins(OpExtension, 0xff), model)},
		{"unknown set", "unknown extended", join(ins(OpExtInstImport, 1, 0x41), model, types[2:], nil,
			ins(OpTypeVoid, 6), ins(OpFunction, 6, 3, 0, 2), ins(OpLabel, 5), ins(OpExtInst, 6, 7, 1, 1), ins(OpReturn), ins(OpFunctionEnd))},
		{"spec constant op of a type", "no place", join(model, ins(OpTypeVoid, 1), ins(OpSpecConstantOp, 1, 2, uint32(OpTypeVoid)))},
	} {
		m, err := Parse(append([]uint32{Magic, Version15, 0, 10, 0}, test.body...))
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
		if (m == nil) == (err == nil) {
			t.Errorf("%s: module %v with error %v", test.name, m, err)
		}
	}
	for _, header := range [][]uint32{
		nil, {Magic}, {0x12345678, Version15, 0, 10, 0}, {Magic, 0x00010700, 0, 10, 0}, {Magic, 0x01010500, 0, 10, 0},
		{Magic, Version15, 0, 0, 0}, {Magic, Version15, 0, 1 << 31, 0}, {Magic, Version15, 0, 10, 1},
	} {
		if _, err := Parse(append(slices.Clone(header), model...)); err == nil {
			t.Errorf("no error for the header %#x", header)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(buildKernel(f).Bytes())
	m := buildKernel(f)
	m.Globals = nil
	f.Add(m.Bytes())
	f.Add([]byte{3, 2, 0x23, 7})
	f.Fuzz(func(t *testing.T, b []byte) {
		words := make([]uint32, len(b)/4)
		for i := range words {
			words[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
		m, err := Parse(words)
		if err != nil {
			return
		}
		if !slices.Equal(m.Words(), words) {
			t.Fatal("the module does not come back as it was")
		}
		Disassemble(m)
		m.SpecConstants()
		m.EntryPointsInfo()
		if err := m.Compact(); err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(m.Words()); err != nil {
			t.Fatalf("after Compact: %v", err)
		}
	})
}
