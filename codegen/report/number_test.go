package report

import (
	"testing"
)

func TestNumber(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", -7: "-7", 1 << 19: "524288", 1<<31 - 1: "(1<<31 - 1)", 1 << 48: "1<<48", 1<<48 - 2: "(1<<48 - 2)",
		1<<63 - 1: "(1<<63 - 1)", -1 << 63: "-1<<63", 4611686014132420609: "4611686014132420609", -(1<<40 - 1): "-(1<<40 - 1)",
	} {
		if got := numberText(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
