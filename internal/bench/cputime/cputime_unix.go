//go:build unix

// Package cputime tells benchmarks how much processor time they have used.
package cputime

import (
	"syscall"
	"time"
)

// Used returns the processor time that the process has used, and whether the system
// tells.
func Used() (time.Duration, bool) {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0, false
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), true
}
