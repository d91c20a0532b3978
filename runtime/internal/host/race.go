//go:build race

package host

// This file declares raceEnabled, which is true, for builds with the race detector.

const raceEnabled = true
