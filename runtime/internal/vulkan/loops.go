//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	_ "embed"
	"encoding/binary"
)

//go:embed kernels/rounds.spv
var roundsModule []byte

// probeRounds is the number of rounds that askEndsLoops asks for. Mesa's llvmpipe allows the
// work-items of a sub-group fewer in all their loops together (65,535 in 22.3): after that it
// leaves the loops that they are in, and goes on.
const probeRounds = 70_000

// askEndsLoops finds out whether the device ends loops that would go on.
func askEndsLoops(ends *bool) *question {
	return &question{module: roundsModule, size: 16, pattern: probeRounds, answer: func(results []byte) {
		want := uint32(0)
		for range probeRounds {
			want = want*1664525 + 1013904223
		}
		*ends = binary.LittleEndian.Uint32(results) != want
	}}
}
