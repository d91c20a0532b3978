package main

import (
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
)

func TestScan(t *testing.T) {
	for _, *count = range []int{1, 1000, 1025, 100000, 1<<20 + 3} {
		devtest.Run(t, run)
	}
}
