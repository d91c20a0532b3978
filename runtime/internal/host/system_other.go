//go:build !linux

package host

func preferHuge([]byte) {}

func addressLimit() (uint64, bool) { return 0, false }
