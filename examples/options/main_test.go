package main

import (
	"math"
	"testing"

	"github.com/kgen-go/kgen/internal/devtest"
)

func TestOptions(t *testing.T) {
	defer func(s, k float64, n uint64) { *strike, *swing, *seed = s, k, n }(*strike, *swing, *seed)
	for _, *paths = range []int{1000, 65537} {
		devtest.Run(t, run)
	}
	*strike, *swing, *seed = 80, 0.4, 1<<40
	devtest.Run(t, run)
}

// TestBlackScholes has the example of Hull's "Options, Futures, and Other Derivatives": 4.76
// and 0.81.
func TestBlackScholes(t *testing.T) {
	defer func(s, k, r, v, y float64) { *spot, *strike, *rate, *swing, *years = s, k, r, v, y }(
		*spot, *strike, *rate, *swing, *years)
	*spot, *strike, *rate, *swing, *years = 42, 40, 0.1, 0.2, 0.5
	if call, put := blackScholes(); math.Abs(call-4.76) > 0.005 || math.Abs(put-0.81) > 0.005 {
		t.Errorf("got %g and %g", call, put)
	}
}
