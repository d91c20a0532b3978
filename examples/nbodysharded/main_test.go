package main

import (
	"testing"

	"github.com/kgen-go/kgen/examples/internal/demo/demotest"
)

// TestNbodySharded runs the example on several devices. It compares with one device itself.
func TestNbodySharded(t *testing.T) {
	for _, *count = range []int{2, 700} {
		demotest.Groups(t, run)
	}
}
