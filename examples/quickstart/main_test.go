package main

import (
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
)

func TestQuickstart(t *testing.T) {
	for _, *size = range []int{2000, 1 << 18} {
		devtest.Run(t, run)
	}
}
