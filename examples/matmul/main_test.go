package main

import (
	"testing"

	"github.com/kgen-go/kgen/internal/devtest"
)

func TestMatmul(t *testing.T) {
	for _, *size = range []int{1, 16, 75} {
		devtest.Run(t, run)
	}
}
