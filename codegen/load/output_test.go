package load

import "testing"

// TestMayImport: the rule of the go command for folders named internal.
func TestMayImport(t *testing.T) {
	for _, c := range []struct {
		from, path string
		may        bool
	}{
		{"m/generated/k", "m/vec", true},
		{"m/generated/k", "m/internal/vec", true},
		{"m/generated/k", "m/k/internal/vec", false},
		{"m/k/internal/k/kgen", "m/k/internal/vec", true},
		{"m/generated/k", "other/internal/vec", false},
		{"m/generated/k", "other/internals", true},
		{"mm/k", "m/internal", false},
		{"m", "m/internal", true},
		{"m/k", "internal/x", true}, // of the standard library, which the caller knows
	} {
		if got := mayImport(c.from, c.path); got != c.may {
			t.Errorf("%s may import %s: %v", c.from, c.path, got)
		}
	}
}
