//go:build amd64 || arm64

package vkx

import "time"

// hostTimeDomain is not a clock of Vulkan: it is not known which clock package time reads on macOS.
// So the clocks are compared by submissions.
const hostTimeDomain = ^uint32(0)

var epoch = time.Now()

// Monotonic reads the clock of package time, in nanoseconds.
func Monotonic() uint64 { return uint64(time.Since(epoch)) }
