// Package hostbench measures the host device beside loops that one writes by hand.
//
//	go test ./internal/bench/hostbench -run - -bench . -benchtime 21x
//
// Each round runs the plain loop, the kernels on all cores, and the kernels on one,
// one after the other, so that what else the machine does hits all three alike. The
// medians are reported, and what the kernels take beside the loop: in time, on one
// core, and in processor time, which says the most on a machine that does much else.
package hostbench

import (
	"context"
	"math/rand/v2"
	"os"
	goruntime "runtime"
	"slices"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/bench/cputime"
	"github.com/kgen-go/kgen/runtime"
)

// TestMain has host forms run under the race detector as well.
func TestMain(m *testing.M) {
	if os.Getenv("KGEN_HOST_FORM") == "" {
		os.Setenv("KGEN_HOST_FORM", "on")
	}
	os.Exit(m.Run())
}

// row is an example: a plain loop and what launches the kernels that do the same.
// check, if not nil, compares what both have made.
type row struct {
	name   string
	plain  func()
	kernel func() error
	check  func() error
}

// bench has what rows are made with.
type bench struct {
	testing.TB
	ctx context.Context
	dev *runtime.Device
	q   *runtime.Queue
	r   *rand.Rand
}

func newBench(tb testing.TB) *bench {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = dev.Close() })
	return &bench{tb, context.Background(), dev, dev.DefaultQueue(), rand.New(rand.NewPCG(1, 2))}
}

// wait waits for a launch.
func (b *bench) wait(ev runtime.Event, err error) error {
	if err != nil {
		return err
	}
	return ev.Wait(b.ctx)
}

// copyOf returns the slice in device memory.
func copyOf[T any](b *bench, s []T) *runtime.Buffer[T] {
	buf, err := runtime.BufferOf(b.dev, s)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = buf.Close() })
	return buf
}

func BenchmarkHost(b *testing.B) {
	for _, make := range rows {
		x := newBench(b)
		row := make(x, 1)
		b.Run(row.name, func(b *testing.B) { measure(b, row) })
	}
}

// measure runs rounds of the row.
func measure(b *testing.B, r row) {
	type times struct{ wall, cpu []time.Duration }
	var plain, all, one times
	clock := func(list *times, f func() error) {
		start := time.Now()
		used, _ := cputime.Used()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		end, _ := cputime.Used()
		list.wall, list.cpu = append(list.wall, time.Since(start)), append(list.cpu, end-used)
	}
	loop := func() error { r.plain(); return nil }
	if err := r.kernel(); err != nil { // makes the pipelines
		b.Fatal(err)
	}
	for range b.N {
		clock(&plain, loop)
		clock(&all, r.kernel)
		procs := goruntime.GOMAXPROCS(1)
		clock(&one, r.kernel)
		goruntime.GOMAXPROCS(procs)
	}
	p, a, o := median(plain.wall), median(all.wall), median(one.wall)
	b.ReportMetric(0, "ns/op") // is of all three
	b.ReportMetric(p*1e3, "plain-ms")
	b.ReportMetric(a*1e3, "host-ms")
	b.ReportMetric(o*1e3, "core-ms")
	b.ReportMetric(a/p, "host/plain")
	b.ReportMetric(o/p, "core/plain")
	if cpu := median(plain.cpu); cpu > 0 {
		b.ReportMetric(median(all.cpu)/cpu, "cpu/plain")
	}
}

// median returns the median in seconds.
func median(list []time.Duration) float64 {
	slices.Sort(list)
	return list[len(list)/2].Seconds()
}

// TestRows checks that the loops and the kernels do the same, on less.
func TestRows(t *testing.T) {
	for _, make := range rows {
		b := newBench(t)
		row := make(b, 16)
		t.Run(row.name, func(t *testing.T) {
			row.plain()
			if err := row.kernel(); err != nil {
				t.Fatal(err)
			}
			if err := row.check(); err != nil {
				t.Error(err)
			}
		})
	}
}
