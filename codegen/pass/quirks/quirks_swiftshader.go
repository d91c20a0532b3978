package quirks

// This file has the rows of SwiftShader, Chromium's driver on the processor, which optimizes
// modules with SPIRV-Tools and has integers of 32 bits only.

func swiftShaderQuirks() []Quirk {
	return []Quirk{
		{
			Name: "unsigned-float", Driver: SwiftShader, Seen: "not recorded",
			Bug:   "float32(x) of a uint32 adds the parts above and below 1<<31, and so rounds twice.",
			Case:  []string{"internal/difftest/words.ConvertUint32", "internal/difftest/corpus.ConvertUint32"},
			Where: "codegen/pass/numbers/unsigned.go:RoundsTwice",
		},
		{
			Name: "unrolled-floats", Driver: SwiftShader, Seen: "not recorded",
			Bug:   "The copies that unrolling makes of a loop have no NoContraction, and (x-y)+y becomes x in them.",
			Case:  []string{"internal/difftest/idioms.Floats32"},
			Where: "codegen/pass/words/words.go:Lower",
		},
	}
}
