//go:build race

package runtime_test

// raceEnabled says that the race detector shadows all memory.
const raceEnabled = true
