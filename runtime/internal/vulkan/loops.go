//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	_ "embed"
	"encoding/binary"
)

//go:embed kernels/rounds.spv
var roundsModule []byte

// probeRounds is the number of loop iterations that askEndsLoops runs. Mesa's llvmpipe limits the
// total number of loop iterations that a sub-group's work-items run (65,535 in 22.3). At this
// limit, llvmpipe leaves the current loops and continues after the loops.
const probeRounds = 70_000

// askEndsLoops tests whether the device ends loops early.
func askEndsLoops(ends *bool) *probeKernel {
	return &probeKernel{module: roundsModule, size: 16, pattern: probeRounds, answer: func(results []byte) {
		want := uint32(0)
		for range probeRounds {
			want = want*1664525 + 1013904223
		}
		*ends = binary.LittleEndian.Uint32(results) != want
	}}
}
