//go:build !unix

package hostbench

import "time"

func cpuTime() (time.Duration, bool) { return 0, false }
