package main

import (
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
)

func TestMatmul(t *testing.T) {
	for _, *size = range []int{1, 16, 75} {
		devtest.Run(t, run)
	}
}
