//go:build !race

package host

// This file declares raceEnabled, which is false, for builds without the race detector.

const raceEnabled = false
