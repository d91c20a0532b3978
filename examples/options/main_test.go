package main

import (
	"math"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/devtest"
)

func TestOptions(t *testing.T) {
	for _, *paths = range []int{1000, 65537} {
		devtest.Run(t, run)
	}
	defer func(s, k float64, n uint64) { *strike, *volatility, *seed = s, k, n }(*strike, *volatility, *seed)
	*strike, *volatility, *seed = 80, 0.4, 1<<40
	devtest.Run(t, run)
}

// TestBlackScholes has the example of Hull's "Options, Futures, and Other Derivatives".
func TestBlackScholes(t *testing.T) {
	defer func(s, k, r, v, y float64) { *spot, *strike, *rate, *volatility, *years = s, k, r, v, y }(
		*spot, *strike, *rate, *volatility, *years)
	*spot, *strike, *rate, *volatility, *years = 42, 40, 0.1, 0.2, 0.5
	if got := blackScholes(); math.Abs(got-4.76) > 0.005 {
		t.Errorf("got %g, want 4.76", got)
	}
}
