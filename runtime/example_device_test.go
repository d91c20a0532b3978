package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	_ "github.com/kgen-go/kgen/checked"
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/wrong"
	"github.com/kgen-go/kgen/internal/tests/wrong/wronggen"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/model"
	"github.com/kgen-go/kgen/runtime/internal/model/modelgen"
)

// A device says what it is and what it has.
func ExampleDevice() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	info := dev.Info()
	fmt.Println(info.Backend, info.Type == runtime.HostCPU, dev.Has(properties.FP64))
	fmt.Println(dev.Compatible(modelgen.Kernels()...))
	// Output:
	// host true true
	// <nil>
}

// What there is, and why there is no more.
func ExampleDevices() {
	gpu := false
	for _, info := range runtime.Devices() {
		switch info.Type {
		case runtime.DiscreteGPU, runtime.IntegratedGPU, runtime.VirtualGPU:
			gpu = true
		case runtime.HostCPU:
			fmt.Println("the host is a device")
		}
	}
	if !gpu {
		for _, why := range runtime.MissingDevices() {
			fmt.Fprintln(os.Stderr, why)
		}
	}
	// Output: the host is a device
}

// Devices stand in the list by their types: a lower one is better.
func ExampleDeviceType() {
	types := []runtime.DeviceType{runtime.VulkanCPU, runtime.HostCPU, runtime.DiscreteGPU}
	slices.Sort(types)
	fmt.Println(types[0] == runtime.DiscreteGPU, types[1])
	// Output: true host
}

// A program is tested on a device that lacks something.
func ExampleOpenOption() {
	dev, err := runtime.Open(
		runtime.Select("host"),
		runtime.MaskAspects(properties.FP64),
		runtime.CloseTimeout(time.Second),
	)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(dev.Has(properties.FP64), dev.Close())
	// Output: false <nil>
}

// A program is tested on a smaller device.
func ExampleLimits() {
	dev, err := runtime.Open(runtime.Select("host"), runtime.OverrideLimits(runtime.Limits{LocalMemory: 1024}))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	n := dev.Info().Limits.LocalMemory / 4
	for _, n := range []int{n, n + 1} {
		k := model.GroupSum{X: make([]int32, 2), Out: make([]int32, 1), Scratch: dsl.LocalLen[int32](n)}
		err := modelgen.RunGroupSum(context.Background(), dev, k, runtime.NDRange1{Global: 2, Local: 2})
		fmt.Println(n, errors.Is(err, runtime.ErrMemoryAllocation))
	}
	// Output:
	// 256 false
	// 257 true
}

// Where comparisons flush, x == 0 is true for a subnormal x.
func ExampleSubnormals() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	kept := dev.Info().Subnormals
	fmt.Println(kept.Arithmetic, kept.Comparisons)
	// Output: true true
}

// The results are the same on every device, and whichever way it takes.
func ExampleFloat16() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	by := dev.Info().Float16
	fmt.Println(by.Widen, by.Narrow, by.Arithmetic)
	// Output: false false false
}

// What the device decides is told to a logger, at debug level.
func ExampleLogger() {
	var text strings.Builder
	logger := slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug}))
	dev, err := runtime.Open(runtime.Select("host"), runtime.Logger(logger))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	fmt.Println(strings.Contains(text.String(), "level=DEBUG"), strings.Contains(text.String(), "host"))
	// Output: true true
}

// In checked mode, the host device finds what no compiler sees. The program imports
// package checked. The kernel is
//
//	func (k InPlace) Kernel(it dsl.Item1) {
//		i := it.GlobalID()
//		if i > 0 {
//			k.Y[i] = k.Y[i-1] + k.X[i]
//		}
//	}
func ExampleCheckError() {
	dev, err := runtime.Open(runtime.Select("host"), runtime.Checked(1))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	k := wrong.InPlace{Flat: wrong.Flat{X: make([]int32, 4), Y: make([]int32, 4)}}
	err = wronggen.RunInPlace(context.Background(), dev, k, 4)
	var check *runtime.CheckError
	if errors.As(err, &check) {
		fmt.Println(check.Kernel, check.Findings[0].Kind == runtime.FindRace)
	}
	// Output: wrong.InPlace true
}

// Findings as lines that an editor follows.
func ExampleFinding() {
	report := func(err error) {
		var check *runtime.CheckError
		if !errors.As(err, &check) {
			return
		}
		for _, f := range check.Findings {
			fmt.Printf("%s: %s\n", f.Pos, f.Message)
			if f.Other != "" {
				fmt.Printf("%s: the other one\n", f.Other)
			}
		}
	}
	report(&runtime.CheckError{Kernel: "blur.Blur", Findings: []runtime.Finding{
		{Kind: runtime.FindDivergence, Pos: "blur/kernel.go:18:4", Other: "blur/kernel.go:20:4", Message: "divergent barriers"},
	}})
	// Output:
	// blur/kernel.go:18:4: divergent barriers
	// blur/kernel.go:20:4: the other one
}

// A test that lets one kind of finding pass.
func ExampleFindingKind() {
	serious := func(err error) bool {
		var check *runtime.CheckError
		return errors.As(err, &check) && slices.ContainsFunc(check.Findings, func(f runtime.Finding) bool {
			return f.Kind != runtime.FindUnwritten
		})
	}
	fmt.Println(serious(&runtime.CheckError{Findings: []runtime.Finding{{Kind: runtime.FindUnwritten}}}))
	fmt.Println(serious(&runtime.CheckError{Findings: []runtime.Finding{{Kind: runtime.FindRace}}}))
	// Output:
	// false
	// true
}

// Times of a launch: in the queue of the program, in that of the device, and on it.
func ExampleProfile() {
	dev, err := runtime.Open(runtime.Select("host"), runtime.Profiling())
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	x, err := runtime.BufferOf(dev, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	ev, err := modelgen.SAXPY{A: 2, X: x.All(), Y: x.All()}.ParallelFor(dev.DefaultQueue(), 3)
	if err != nil {
		log.Fatal(err)
	}
	if err := ev.Wait(context.Background()); err != nil {
		log.Fatal(err)
	}
	p, err := ev.Profile()
	if err != nil {
		log.Fatal(err)
	}
	waited, handed, ran := p.Submitted.Sub(p.Queued), p.Start.Sub(p.Submitted), p.End.Sub(p.Start)
	fmt.Println(waited >= 0, handed >= 0, ran == p.Duration())
	// Output: true true true
}

// Products of matrices that the device's sub-groups have. The host has none, and its kernels with matrices run there all
// the same.
func ExampleMatrixProduct() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	for _, p := range dev.Info().Matrices {
		fmt.Println(p) // such as 16x16x16 half.Float16 → float32 on an H100
	}
	fmt.Println(len(dev.Info().Matrices))
	fmt.Println(runtime.MatrixProduct{M: 16, N: 16, K: 16, Elem: "half.Float16", Of: "float32"})
	// Output:
	// 0
	// 16x16x16 half.Float16 → float32
}
