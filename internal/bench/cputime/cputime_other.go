//go:build !unix

package cputime

import "time"

// Used returns the processor time that the process has used, and whether the system
// tells.
func Used() (time.Duration, bool) { return 0, false }
