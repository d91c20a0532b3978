package main

import (
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
)

// TestOptionsSharded runs the example on several devices. It compares the sums for two cuts, and
// the price with the closed form.
func TestOptionsSharded(t *testing.T) {
	*blocks, *paths = 7, 1<<12
	devtest.Groups(t, run)
}
