//go:build amd64 || arm64

package vkx

import "time"

// hostTimeDomain is no clock of Vulkan: which one package time reads here is not known, and so the
// clocks are compared by submissions.
const hostTimeDomain = ^uint32(0)

var epoch = time.Now()

// Monotonic reads the clock of package time, in nanoseconds.
func Monotonic() uint64 { return uint64(time.Since(epoch)) }
