//go:build !unix

package cputime

import "time"

// Used returns the processor time that the process has used. It also reports whether the system
// measures it.
func Used() (time.Duration, bool) { return 0, false }
