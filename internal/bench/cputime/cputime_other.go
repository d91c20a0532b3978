//go:build !unix

package cputime

import "time"

// Used returns the processor time that the process has used. The second result reports whether the system
// measures that time.
func Used() (time.Duration, bool) { return 0, false }
