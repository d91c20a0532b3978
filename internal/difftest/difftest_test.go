package difftest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/runtime"
)

// TestDevices runs every case on the host device and on the Vulkan device, and
// compares.
func TestDevices(t *testing.T) {
	host, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	dev, err := runtime.Open(runtime.Select("vulkan"))
	if err != nil {
		if os.Getenv("KGEN_REQUIRE_VULKAN") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	defer func() {
		if err := dev.Close(); err != nil {
			t.Error(err) // validation messages, with KGEN_VALIDATE=1
		}
	}()
	flushed = !dev.Info().Subnormals
	t.Logf("comparing %s with %s", dev.Name(), host.Name())
	ctx := context.Background()
	for i, c := range cases {
		t.Run(fmt.Sprintf("%s/%d", c.name, i), func(t *testing.T) {
			want, hostErr := c.run(ctx, host)
			got, devErr := c.run(ctx, dev)
			compareFaults(t, devErr, hostErr)
			if d := Diff(got, want, !dev.Info().Subnormals); d != "" {
				t.Errorf("%s", d)
			}
		})
	}
}

// compareFaults compares what the launches returned.
func compareFaults(t *testing.T, got, want error) {
	t.Helper()
	var f, g *runtime.Fault
	if !errors.As(want, &g) {
		if want != nil {
			t.Fatalf("host: %v", want)
		}
		if got != nil {
			t.Fatalf("device: %v, host: no error", got)
		}
		return
	}
	if !errors.As(got, &f) {
		t.Fatalf("device: %v, host: %v", got, want)
	}
	if f.Error() != g.Error() && !strings.HasPrefix(f.Error(), g.Error()) {
		t.Errorf("device: %v\nhost:   %v", f, g)
	}
}
