package main

import (
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
)

// TestHeatSharded runs the example on several devices. It compares with a plain loop itself.
func TestHeatSharded(t *testing.T) {
	for _, c := range [][3]int{{24, 1, 5}, {40, 3, 4}} {
		*size, *halo, *rounds = c[0], c[1], c[2]
		devtest.Groups(t, run)
	}
}
