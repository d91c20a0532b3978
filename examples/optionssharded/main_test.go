package main

import (
	"testing"

	"github.com/kgen-go/kgen/examples/internal/demo/demotest"
)

// TestOptionsSharded runs the example on several devices. It compares the sums for two cuts, and
// the price with the closed form.
func TestOptionsSharded(t *testing.T) {
	*blocks, *paths = 7, 1<<12
	demotest.Groups(t, run)
}
