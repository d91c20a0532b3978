package abi

import "testing"

func TestLoopPos(t *testing.T) {
	const loops = "a/k.go:7:2 9:3 - 11:5 b/c.go:1:40 - 2:3"
	for i, want := range []string{"a/k.go:7:2", "a/k.go:9:3", "", "a/k.go:11:5", "b/c.go:1:40", "", "b/c.go:2:3", ""} {
		if got := LoopPos(loops, i+1); got != want {
			t.Errorf("loop %d is at %q, want %q", i+1, got, want)
		}
	}
	if got := LoopPos("", 1); got != "" {
		t.Errorf("of no loops the first is at %q", got)
	}
}
