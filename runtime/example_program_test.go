package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/examples/median/filter"
	blocksgen "github.com/kgen-go/kgen/generated/examples/blockmatmul/blocks"
	filtergen "github.com/kgen-go/kgen/generated/examples/median/filter"
	"github.com/kgen-go/kgen/runtime"
)

// Kernels are made ready before the first launch, with the values of their constants.
func ExampleProgram() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	p, err := runtime.NewProgram(dev, filtergen.Kernels()...)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := runtime.SetSpec(p, filter.Window, 5); err != nil {
		log.Fatal(err)
	}
	before := dev.Pipelines()
	exe, err := p.Build()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(dev.Pipelines()-before, exe.Has(filter.Window))

	_, err = runtime.SetSpec(p, filter.Window, 3) // too late
	fmt.Println(errors.Is(err, runtime.ErrSpecConst))
	// Output:
	// 1 true
	// true
}

// An executable launches with the values of its program.
func ExampleExecutable() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	in := []float32{1, 9, 2, 8, 3, 7, 4}
	for _, window := range []int{3, 5} {
		p, err := runtime.NewProgram(dev, filtergen.Kernels()...)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := runtime.SetSpec(p, filter.Window, window); err != nil {
			log.Fatal(err)
		}
		exe, err := p.Build()
		if err != nil {
			log.Fatal(err)
		}
		out := make([]float32, len(in))
		err = filtergen.RunMedian(ctx, dev, filter.Median{In: in, Out: out}, runtime.Range2{1, len(in)}, runtime.WithProgram(exe))
		fmt.Println(window, out, err)
	}
	// Output:
	// 3 [1 2 8 3 7 4 4] <nil>
	// 5 [1 2 3 7 4 4 4] <nil>
}

// The value that a constant has in a program, or in what was built of it.
func ExampleSpecs() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	p, err := runtime.NewProgram(dev, filtergen.Kernels()...)
	if err != nil {
		log.Fatal(err)
	}
	show := func(p runtime.Specs) {
		window, err := runtime.GetSpec(p, filter.Window)
		fmt.Println(window, err)
	}
	show(p)
	if _, err := runtime.SetSpec(p, filter.Window, 5); err != nil {
		log.Fatal(err)
	}
	exe, err := p.Build()
	if err != nil {
		log.Fatal(err)
	}
	show(exe)
	// Output:
	// 3 <nil>
	// 5 <nil>
}

// A value that was set sizes what the host makes, and launches.
func ExampleSpecValue() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	p, err := runtime.NewProgram(dev, filtergen.Kernels()...)
	if err != nil {
		log.Fatal(err)
	}
	window, err := runtime.SetSpec(p, filter.Window, 5)
	if err != nil {
		log.Fatal(err)
	}
	in := make([]float32, 2*window.Get())
	in[4], in[5], in[6] = 1, 2, 3
	out := make([]float32, len(in))
	err = filtergen.RunMedian(ctx, dev, filter.Median{In: in, Out: out}, runtime.Range2{1, len(in)}, runtime.WithSpecValue(window))
	fmt.Println(out, err)
	// Output: [0 0 0 0 1 1 1 0 0 0] <nil>
}

// One program of two, for kernels of two packages.
func ExampleJoin() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	first, err := runtime.NewProgram(dev, filtergen.Kernels()...)
	if err != nil {
		log.Fatal(err)
	}
	second, err := runtime.NewProgram(dev, blocksgen.Kernels()...)
	if err != nil {
		log.Fatal(err)
	}
	both, err := runtime.Join(first, second)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(both.Kernels()) == len(first.Kernels())+len(second.Kernels()))
	// Output: true
}

// A module that another compiler has made is checked before a driver sees it.
func ExampleLoadModule() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	words := []uint32{0x07230203, 0x00010500, 0, 1, 0} // the header, and nothing behind it
	desc := abi.Kernel{Name: "mine", Form: abi.Range, Rank: 1, ArgSize: 16}
	_, err = runtime.LoadModule(dev, words, desc)
	fmt.Println(errors.Is(err, runtime.ErrBuild))
	// Output: true
}
