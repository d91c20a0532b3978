//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package host

import "errors"

const hasPages = false

func mapPages(int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapPages([]byte) {}
