//go:build !unix

package specbench

import "time"

func cpuTime() (time.Duration, bool) { return 0, false }
