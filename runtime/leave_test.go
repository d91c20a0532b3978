package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/devtest"
	"github.com/kgen-go/kgen/internal/endless/endlessgen"
	"github.com/kgen-go/kgen/runtime"
)

// endlessLaunches are launches that never end, of about n work-items, by their kernels.
var endlessLaunches = map[string]func(dev *runtime.Device, n int, opt runtime.LaunchOption) (runtime.Event, error){
	"Alone": func(dev *runtime.Device, n int, opt runtime.LaunchOption) (runtime.Event, error) {
		return endlessgen.Alone{Seeds: endlessgen.AloneSeeds{From: ones(dev, n), To: zeros(dev, n), Rounds: rounds(dev, n)}}.SingleTask(dev.DefaultQueue(), opt)
	},
	"Search": func(dev *runtime.Device, n int, opt runtime.LaunchOption) (runtime.Event, error) {
		return endlessgen.Search{Seeds: endlessgen.SearchSeeds{From: ones(dev, n), To: zeros(dev, n), Rounds: rounds(dev, n)}}.ParallelFor(dev.DefaultQueue(), runtime.Range1(n), opt)
	},
	"Count": func(dev *runtime.Device, n int, opt runtime.LaunchOption) (runtime.Event, error) {
		return endlessgen.Count{N: 1 << 30, Out: rounds(dev, n)}.ParallelFor(dev.DefaultQueue(), runtime.Range2{n / 16, 16}, opt)
	},
	"Wait": func(dev *runtime.Device, n int, opt runtime.LaunchOption) (runtime.Event, error) {
		to := make([]uint32, n)
		for i := range to {
			to[i] = uint32(i % 2) // what every other work-item begins with
		}
		return endlessgen.Wait{Seeds: endlessgen.WaitSeeds{From: ones(dev, n), To: must(runtime.BufferOf(dev, to)).All(), Rounds: rounds(dev, n)}, Scratch: dsl.LocalLen[int32](16)}.
			ParallelFor(dev.DefaultQueue(), runtime.NDRange1{Global: runtime.Range1(n), Local: runtime.Range1(16)}, opt)
	},
	"Meet": func(dev *runtime.Device, n int, opt runtime.LaunchOption) (runtime.Event, error) {
		return endlessgen.Meet{N: -1, Values: rounds(dev, n), Scratch: dsl.LocalLen[int32](16)}.
			ParallelFor(dev.DefaultQueue(), runtime.NDRange1{Global: runtime.Range1(n), Local: runtime.Range1(16)}, opt)
	},
}

func ones(dev *runtime.Device, n int) runtime.View[uint32] {
	s := make([]uint32, n)
	for i := range s {
		s[i] = 1
	}
	return must(runtime.BufferOf(dev, s)).All()
}

func zeros(dev *runtime.Device, n int) runtime.View[uint32] {
	return must(runtime.BufferOf(dev, make([]uint32, n))).All()
}

func rounds(dev *runtime.Device, n int) runtime.View[int32] {
	return must(runtime.BufferOf(dev, make([]int32, n))).All()
}

// leave starts the endless launch, and asks it to end.
func leave(t *testing.T, dev *runtime.Device, kernel string, n int) {
	ends, end := context.WithCancel(context.Background())
	defer end()
	ev := must(endlessLaunches[kernel](dev, n, runtime.WithContext(ends)))
	dev.DefaultQueue().Flush()
	time.Sleep(20 * time.Millisecond)
	if ev.Done() {
		t.Fatalf("it has ended: %+v", ev.Record())
	}
	end()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := ev.Wait(ctx); !errors.Is(err, runtime.ErrCanceled) {
		t.Error(err)
	}
	if !ev.Done() {
		t.Fatal("it does not end")
	}
	if f := ev.Record(); !f.Cancelled || f.Set {
		t.Errorf("the record is %+v", f)
	}
	for _, k := range endlessgen.Kernels() {
		if strings.HasSuffix(k.Name(), "."+kernel) && !dev.Cancels(k) {
			t.Error("it is said not to end soon")
		}
	}
}

func TestLeaveHost(t *testing.T) {
	if raceEnabled {
		t.Setenv("KGEN_HOST_FORM", "on")
	}
	dev := devtest.Host(t)
	for kernel := range endlessLaunches {
		t.Run(kernel, func(t *testing.T) { leave(t, dev, kernel, 1024) })
	}
}

func TestLeaveVulkan(t *testing.T) {
	dev := devtest.Vulkan(t)
	// It ends loops after 65,535 rounds: only large launches take long.
	lavapipe := strings.Contains(dev.Name(), "llvmpipe")
	for kernel := range endlessLaunches {
		n := 1 << 10
		if lavapipe {
			n = 1 << 18
		}
		switch {
		case lavapipe && kernel == "Alone":
			continue
		case lavapipe && kernel == "Meet":
			n = 1 << 16
		}
		t.Run(kernel, func(t *testing.T) { leave(t, dev, kernel, n) })
	}
}
