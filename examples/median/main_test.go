package main

import (
	"testing"

	"github.com/kgen-go/kgen/internal/devtest"
)

func TestMedian(t *testing.T) {
	for _, *size = range []int{1, 40} {
		devtest.Run(t, run)
	}
}
