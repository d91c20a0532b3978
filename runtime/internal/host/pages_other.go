//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package host

import "errors"

// This file is for builds in which the host backend cannot map memory, for example for Windows. In
// these builds, Alloc allocates Go memory.

const hasPages = false

func mapPages(int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapPages([]byte) {}
