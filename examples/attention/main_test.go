package main

import (
	"testing"

	"github.com/kgen-go/kgen/internal/devtest"
)

func TestAttention(t *testing.T) {
	for _, c := range [][3]int{{2, 1, 1}, {5, 3, 2}, {40, 1, 3}} {
		*count, *depth, *heads = c[0], c[1], c[2]
		devtest.Run(t, run)
	}
}
