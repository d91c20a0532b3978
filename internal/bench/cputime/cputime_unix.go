//go:build unix

// Package cputime measures the processor time of benchmarks.
package cputime

import (
	"syscall"
	"time"
)

// Used returns the processor time that the process has used. The second result of Used is false if the system does not
// measure processor time.
func Used() (time.Duration, bool) {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0, false
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), true
}
