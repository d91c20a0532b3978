//go:build !unix

package cputime

import "time"

// Used returns the processor time that the process has used. The second result of Used is false if the system does not
// measure processor time.
func Used() (time.Duration, bool) { return 0, false }
