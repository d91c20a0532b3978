//go:build unix

package hostbench

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time that the process has used.
func cpuTime() (time.Duration, bool) {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0, false
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), true
}
