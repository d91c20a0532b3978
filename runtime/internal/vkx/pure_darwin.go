//go:build amd64 || arm64

package vkx

import "time"

// hostTimeDomain is not the number of a clock in Vulkan, because it is unknown which clock package
// time reads on macOS. So the device's clock is compared with the host's clock by means of
// submissions.
const hostTimeDomain = ^uint32(0)

var epoch = time.Now()

// Monotonic reads the clock of package time, in nanoseconds.
func Monotonic() uint64 { return uint64(time.Since(epoch)) }
