package difftest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	_ "github.com/kgen-go/kgen/checked"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/runtime"
)

// TestChecked runs the cases in the host device's checked mode: it leaves what the
// host device leaves, and finds nothing in kernels without mistakes. Without -every-case these are
// the first cases of every second name.
func TestChecked(t *testing.T) {
	host := devtest.Host(t)
	dev := devtest.Host(t, runtime.Checked(3))
	ctx := context.Background()
	seen := map[string]int{}
	for i, c := range cases {
		if seen[c.name]++; (seen[c.name] > 1 || len(seen)%sample.Of(4, 96) != 1) && !*everyCase {
			continue // the interpreter is slow
		}
		t.Run(fmt.Sprintf("%s/%d", c.name, i), func(t *testing.T) {
			got, err := c.run(ctx, dev)
			if e := new(runtime.CheckError); errors.As(err, &e) {
				for _, f := range e.Findings {
					// The corpus relies on memory that is zero, on purpose.
					if f.Kind != runtime.FindUnwritten {
						t.Error(err)
					}
				}
				return
			}
			want, hostErr := c.run(ctx, host)
			compareFaults(t, err, hostErr)
			if d := Diff(got, want, false); d != "" {
				t.Errorf("%s", d)
			}
		})
	}
}
