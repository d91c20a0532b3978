//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"testing"

	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// TestClock: a timestamp becomes a time between the submission that wrote it and its end, whichever
// way the clocks are compared.
func TestClock(t *testing.T) {
	d := open(t)
	if !d.info.Timestamps {
		need.Missing(t, need.Vulkan, "the device writes no timestamps")
	}
	if err := d.Time(); err != nil {
		t.Fatal(err)
	}
	t.Logf("calibrated: %v, a tick of %v ns, %d bits", d.phys.Calibrated, d.clock.period, d.clock.bits)
	ways := map[string]func() error{"by submissions": d.clock.compareBySubmits}
	if d.phys.Calibrated {
		ways["by the driver"] = d.clock.compareClocks
	}
	pool, r := d.vk.CreateQueryPool(1)
	if r < 0 {
		t.Fatal(r)
	}
	defer func() {
		d.gone.Add(1)
		d.vk.DestroyQueryPool(pool)
	}()
	for name, compare := range ways {
		if err := compare(); err != nil {
			t.Fatal(err)
		}
		const tries = 100
		slack := d.clock.deviation + 50_000 // ns
		t.Logf("%s: within %d ns", name, d.clock.deviation)
		good := 0
		for range tries {
			before := hal.Now()
			ticket, err := d.queue.submitAlone(func(e *encoder) error {
				if err := e.openPart(); err != nil {
					return err
				}
				e.commands.ResetQueries(pool, 0, 1)
				e.commands.Timestamp(vkx.PipelineStageBottomOfPipeBit, pool, 0)
				return nil
			})
			if err == nil {
				err = ticket.Wait(background)
			}
			if err != nil {
				t.Fatal(err)
			}
			after := hal.Now()
			var ticks [1]uint64
			if r := d.vk.Timestamps(pool, 0, ticks[:]); r < 0 {
				t.Fatal(r)
			}
			if at := d.clock.hostTime(ticks[0]); before-slack <= at && at <= after+slack {
				good++
			}
		}
		if good < tries*9/10 {
			t.Errorf("%s: %d of %d timestamps lie between the submission and its end", name, good, tries)
		}
	}
}

// TestClockWraps: only the valid bits of timestamps count, which start again at zero.
func TestClockWraps(t *testing.T) {
	c := &clock{period: 2, bits: 36, ticks: 1<<36 - 10, now: 1000}
	for _, x := range []struct {
		ticks uint64
		want  int64
	}{{1<<36 - 10, 1000}, {1<<36 - 5, 1010}, {5, 1030}, {1<<36 - 20, 980}, {5 | 1<<40, 1030}} {
		if got := c.hostTime(x.ticks); got != x.want {
			t.Errorf("%d ticks: %d, want %d", x.ticks, got, x.want)
		}
	}
}
