package bench

import (
	"fmt"
	"math"
	"time"

	"github.com/kgen-go/kgen/internal/bench/kernels"
	"github.com/kgen-go/kgen/runtime"
)

// besideSteps is the number of batches in one run of copyBesideWork. For each batch the run makes one copy and
// launches one kernel.
const besideSteps = 8

// copyBesideWork measures copies from pinned memory to the device while a kernel runs. While the kernel computes
// on one of two buffers, the next batch is copied to the other buffer. The row's remark compares the measured
// time with the time of the same copies and kernels without overlap.
var copyBesideWork = Work{Group: "Transfers", Name: "copies beside kernels", Sizes: [4]int{1 << 10, 1 << 15, 1 << 22, 1 << 24}, Make: func(b *Bench, n int) (*Job, error) {
	var bufs [2]*devMemory[float32]
	for i := range bufs {
		m, err := memoryFor[float32](b, n)
		if err != nil {
			return nil, err
		}
		bufs[i] = m
	}
	h, err := runtime.NewHostBuffer[float32](b.dev, n)
	if err != nil {
		return nil, err
	}
	b.closers = append(b.closers, func() { _ = h.Close() })
	for i := range h.Slice() {
		h.Slice()[i] = float32(i & 0xffff)
	}
	const x, y = 0.75, 0.5
	upload := func(i int) error {
		_, err := b.q.Enqueue(runtime.Copy(bufs[i%2].all(), h.All()))
		return err
	}
	compute := func(i int) error {
		_, err := runtime.LaunchKernel(b.q, suiteKernel("FMA"), runtime.Range1(n), []any{float32(x), float32(y), bufs[i%2].all()})
		return err
	}
	// timeSteps submits the steps, waits for them, and returns the elapsed time.
	timeSteps := func(steps ...func(int) error) (time.Duration, error) {
		begin := time.Now()
		for i := range besideSteps {
			for _, f := range steps {
				if err := f(i); err != nil {
					return 0, err
				}
			}
			b.q.Flush()
		}
		err := b.q.Wait(b.ctx)
		return time.Since(begin), err
	}
	var both, alone time.Duration
	runs := 0
	run := func(times int) error {
		for range times {
			copied, err1 := timeSteps(upload)
			computed, err2 := timeSteps(compute)
			took, err3 := timeSteps(func(i int) error { return upload(i + 1) }, compute)
			if err := firstSet(err1, err2, err3); err != nil {
				return err
			}
			both, alone, runs = both+took, alone+copied+computed, runs+1
		}
		return nil
	}
	want := func(int) float64 { // every chain converges to y/(1-x)
		return kernels.Chains * y / (1 - x)
	}
	return &Job{Size: fmt.Sprintf("%s, %d times", bytesOf(4*n), besideSteps), Amount: 1, Unit: Launches, Runs: 1, Sum: bufs[1].checksums, Digits: 1e-5,
		CUDA: []CUDAPeer{{"CUDA", "beside"}},
		Contestants: []Contestant{{kgen, run, func() error { return firstSet(bufs[0].fillPoison(), bufs[1].fillPoison()) }, func() error {
			return firstSet(bufs[0].checkNear(0, func(i int) float64 { return float64(i & 0xffff) })(), bufs[1].checkNear(1e-5, want)())
		}}},
		Measured: func() (time.Duration, string) {
			part := float64(both) / math.Max(1, float64(alone))
			d := both / time.Duration(max(1, runs*besideSteps))
			both, alone, runs = 0, 0, 0
			return d, fmt.Sprintf("%.2f of what copies and kernels take alone", part)
		}}, nil
}}
