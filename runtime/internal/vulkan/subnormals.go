//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	_ "embed"
	"encoding/binary"
	"math"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// The property shaderDenormPreserveFloat32 says only whether a module may demand that subnormals
// are kept. Devices treat different operations in different ways. NVIDIA's GPUs keep subnormals in
// rounding and flush them in comparisons. llvmpipe reports that it cannot keep subnormals, but
// keeps nearly all subnormals. So small kernels test each kind of operation.
var (
	//go:embed kernels/subnormals.spv
	subnormalsModule []byte
	//go:embed kernels/subnormals64.spv
	subnormals64Module []byte
	//go:embed kernels/subnormalsadd.spv
	subnormalAddModule []byte
)

// subnormalOperands contains the bits of 2^-149, 2^-127, -2^-127, 2^-126, 0, 1/2, 1 and -1.
var subnormalOperands = [8]uint32{1, 1 << 22, 1<<31 | 1<<22, 1 << 23, 0, 126 << 23, 127 << 23, 1<<31 | 127<<23}

// putSubnormals writes the operands for all probes about subnormals.
func putSubnormals(operands []byte) {
	for i, x := range subnormalOperands {
		binary.LittleEndian.PutUint32(operands[4*i:], x)
	}
}

// subnormalCase describes one result of the kernel subnormals.comp.
type subnormalCase struct {
	name  string
	kept  func(s *hal.Subnormals) *bool // function that returns the field for the kind of operations
	want  uint32                        // bits of the result if subnormals are kept
	rough bool                          // the result may have a relative error of 1/1000
}

var (
	arithmetic  = func(s *hal.Subnormals) *bool { return &s.Arithmetic }
	fused       = func(s *hal.Subnormals) *bool { return &s.Fused }
	quotients   = func(s *hal.Subnormals) *bool { return &s.Quotients }
	comparisons = func(s *hal.Subnormals) *bool { return &s.Comparisons }
	minMax      = func(s *hal.Subnormals) *bool { return &s.MinMax }
	absolute    = func(s *hal.Subnormals) *bool { return &s.Abs }
	rounding    = func(s *hal.Subnormals) *bool { return &s.Rounding }
	functions   = func(s *hal.Subnormals) *bool { return &s.Functions }
)

// subnormalCases lists the results in the order in which subnormals.comp writes them.
var subnormalCases = []subnormalCase{
	{"2^-127 + 2^-149", arithmetic, 1<<22 | 1, false},
	{"2^-126 - 2^-127", arithmetic, 1 << 22, false},
	{"2^-126 * 1/2", arithmetic, 1 << 22, false},
	{"2^-127 * 2", arithmetic, 1 << 23, false},
	{"-(2^-127)", arithmetic, 1<<31 | 1<<22, false},
	{"fma(2^-126, 1/2, 0)", fused, 1 << 22, false},
	{"fma(2^-127, 2, 0)", fused, 1 << 23, false},
	{"fma(1, 2^-149, 2^-127)", fused, 1<<22 | 1, false},
	{"2^-126 / 2", quotients, 1 << 22, true},
	{"2^-127 / 2^-126", quotients, 126 << 23, true},
	{"sqrt(2^-127)", quotients, math.Float32bits(0x1p-64 * math.Sqrt2), true},
	{"inversesqrt(2^-127)", quotients, math.Float32bits(0x1p63 * math.Sqrt2), true},
	{"2^-127 == 0", comparisons, 0, false},
	{"2^-127 > 0", comparisons, 1, false},
	{"-2^-127 < 2^-149", comparisons, 1, false},
	{"2^-149 != 2^-127", comparisons, 1, false},
	{"min(2^-127, 1)", minMax, 1 << 22, false},
	{"max(2^-127, -1)", minMax, 1 << 22, false},
	{"min(2^-127, 2^-149)", minMax, 1, false},
	{"abs(-2^-127)", absolute, 1 << 22, false},
	{"sign(-2^-127)", absolute, 1<<31 | 127<<23, false},
	{"floor(-2^-127)", rounding, 1<<31 | 127<<23, false},
	{"ceil(2^-127)", rounding, 127 << 23, false},
	{"log2(2^-127)", functions, math.Float32bits(-127), true},
	{"exp2(-127)", functions, 1 << 22, true},
}

// isRight reports whether got can be the result on a device that keeps subnormals.
func (c *subnormalCase) isRight(got uint32) bool {
	if !c.rough {
		return got == c.want
	}
	x, want := float64(math.Float32frombits(got)), float64(math.Float32frombits(c.want))
	return math.Abs(x-want) <= math.Abs(want)/1000
}

// askSubnormals tests which kinds of float32 operations keep subnormals. A kind of operations keeps
// subnormals if all its results are right.
func askSubnormals(kept *hal.Subnormals) *probeKernel {
	return &probeKernel{module: subnormalsModule, size: 128, put: putSubnormals, answer: func(results []byte) {
		for i := range subnormalCases {
			*subnormalCases[i].kept(kept) = true
		}
		for i := range subnormalCases {
			if c := &subnormalCases[i]; !c.isRight(binary.LittleEndian.Uint32(results[4*i:])) {
				*c.kept(kept) = false
			}
		}
	}}
}

// askSubnormals64 tests whether conversions to and from float64 keep subnormals, on a device with
// float64.
func askSubnormals64(kept *hal.Subnormals) *probeKernel {
	return &probeKernel{module: subnormals64Module, size: 32, put: putSubnormals, answer: func(results []byte) {
		kept.ToFloat64 = binary.LittleEndian.Uint64(results) == math.Float64bits(0x1p-127)
		kept.FromFloat64 = binary.LittleEndian.Uint32(results[8:]) == 1<<22
	}}
}

// askSubnormalAdd tests whether atomic addition keeps subnormals, on a device with native atomic
// addition.
func askSubnormalAdd(kept *bool) *probeKernel {
	return &probeKernel{module: subnormalAddModule, size: 32, put: putSubnormals, answer: func(results []byte) {
		*kept = binary.LittleEndian.Uint32(results) == 1<<22|1
	}}
}
