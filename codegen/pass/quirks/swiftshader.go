package quirks

// This file contains the quirks of SwiftShader, Chromium's driver for CPUs. SwiftShader optimizes
// modules with SPIRV-Tools and supports only 32-bit integers.

// chromium156 is the version of Chromium whose package contains the tested driver (see
// scripts/deps.sh). SwiftShader itself has no version numbers.
const chromium156 = "Chromium 156.0.8078.108"

func swiftShaderQuirks() []Quirk {
	return []Quirk{
		{
			Name: "unsigned-float", Driver: SwiftShader, Seen: chromium156,
			Bug:   "float32(x) of a uint32 adds the parts above and below 1<<31, and so rounds twice.",
			Case:  []string{"internal/tests/difftest/words.ConvertUint32", "internal/tests/difftest/corpus.ConvertUint32"},
			Where: "codegen/pass/numbers/unsigned.go:RoundsTwice",
		},
		{
			Name: "unrolled-floats", Driver: SwiftShader, Seen: "before " + chromium156,
			Bug:   "The copies that unrolling makes of a loop have no NoContraction, and (x-y)+y becomes x in them. The case had loops that the module asks to unroll; only loops over work-group memory have been such since, and the driver of Chromium 156.0.8078.108 computes one of these rightly.",
			Case:  []string{"internal/tests/difftest/idioms.Floats32"},
			Where: "codegen/pass/split64/split.go:Lower",
		},
	}
}
