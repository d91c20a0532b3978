package main

import (
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
)

func TestTensormatmul(t *testing.T) {
	*size = 128
	devtest.Run(t, run)
}
