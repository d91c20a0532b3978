package main

import (
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
)

// TestNbodySharded runs the example on several devices. It compares with one device itself.
func TestNbodySharded(t *testing.T) {
	for _, *count = range []int{2, 700, 3000} {
		devtest.Groups(t, run)
	}
}
