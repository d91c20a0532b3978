package runtime_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/runtime"
)

// TestOpenRefuses: options without what they are for are refused, and say what to write instead.
func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		opts []runtime.OpenOption
		want string
	}{
		{"no option", []runtime.OpenOption{nil}, "an option of Open is nil"},
		{"no trace", []runtime.OpenOption{runtime.Trace(nil)}, "the writer of Trace is nil; leave the option out"},
		{"no logger", []runtime.OpenOption{runtime.Logger(nil)}, "the logger of Logger is nil; leave the option out for slog.Default(), or use slog.New(slog.DiscardHandler)"},
		{"no writer", []runtime.OpenOption{runtime.PrintTo(nil)}, "the writer of PrintTo is nil; use io.Discard"},
		{"the first of two", []runtime.OpenOption{runtime.Trace(nil), runtime.Logger(nil)}, "the writer of Trace"},
	} {
		dev, err := runtime.Open(append(c.opts, runtime.Select("host"))...)
		if err == nil {
			check(t, dev.Close())
		}
		if !errors.Is(err, runtime.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}
