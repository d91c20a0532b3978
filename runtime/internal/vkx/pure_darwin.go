//go:build amd64 || arm64

package vkx

import "time"

// hostTimeDomain is an invalid time domain, because none of Vulkan's time domains is known to be
// the clock of package time on macOS. Package vulkan therefore uses submissions to compare the
// device's clock with the host's clock.
const hostTimeDomain = ^uint32(0)

var epoch = time.Now()

// Monotonic reads the clock of package time, in nanoseconds.
func Monotonic() uint64 { return uint64(time.Since(epoch)) }
