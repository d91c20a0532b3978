package main

import (
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
)

func TestMedian(t *testing.T) {
	for _, *size = range []int{1, 40} {
		devtest.Run(t, run)
	}
}
