//go:build !linux

package host

// This file is for builds for systems other than Linux. In these builds, the host backend requests
// no huge pages and knows no limit of the address space.

func preferHuge([]byte) {}

func addressLimit() (uint64, bool) { return 0, false }
