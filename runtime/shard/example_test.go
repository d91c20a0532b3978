package shard_test

import (
	"context"
	"fmt"
	"log"

	plategen "github.com/kgen-go/kgen/generated/examples/heat/plate"
	saxpygen "github.com/kgen-go/kgen/generated/examples/quickstart/saxpy"
	"github.com/kgen-go/kgen/prim/reduce"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/shard"
)

// twoHosts returns a group of the host device twice, as a program has it in a test. A program for
// GPUs calls shard.Open.
func twoHosts() *shard.Group {
	a, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	b, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	g, err := shard.Of(a, b)
	if err != nil {
		log.Fatal(err)
	}
	return g
}

// A kernel over all devices: each computes its block.
func Example() {
	ctx, g := context.Background(), twoHosts()
	x, err := shard.Scatter(ctx, g, []float32{1, 2, 3, 4, 5})
	if err != nil {
		log.Fatal(err)
	}
	y, err := shard.New[float32](g, x.Len())
	if err != nil {
		log.Fatal(err)
	}
	err = shard.Each(ctx, g, func(p shard.Part) error {
		_, err := saxpygen.SAXPY{A: 2, X: x.On(p), Y: y.On(p)}.ParallelFor(p.Queue, runtime.Range1(x.LenOn(p)))
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	ys := make([]float32, y.Len())
	err = y.Gather(ctx, ys)
	fmt.Println(ys, x.Cuts(), err)
	// Output: [2 4 6 8 10] [0 3 5] <nil>
}

// Steps of a stencil: after each, the devices exchange the rows at the edges of their blocks.
func ExampleArray_Exchange() {
	ctx, g := context.Background(), twoHosts()
	const h, w = 6, 3
	plate := make([]float32, h*w)
	plate[2*w+1] = 100
	shape := []shard.Option{shard.Shape(h, w), shard.Halo(1)}
	a, err := shard.Scatter(ctx, g, plate, shape...)
	if err != nil {
		log.Fatal(err)
	}
	b, err := shard.New[float32](g, h*w, shape...)
	if err != nil {
		log.Fatal(err)
	}
	err = shard.Each(ctx, g, func(p shard.Part) error {
		x, y := a, b
		for range 2 {
			in, out := x.Around(p), y.Around(p)
			step := plategen.Step{W: w, Rate: 0.25, In: in, Out: out}
			if _, err := step.ParallelFor(p.Queue, runtime.Range2{in.Len() / w, w}); err != nil {
				return err
			}
			if err := y.Exchange(p); err != nil {
				return err
			}
			x, y = y, x
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	err = a.Gather(ctx, plate)
	for y := range h {
		fmt.Println(plate[y*w : (y+1)*w])
	}
	fmt.Println(err)
	// Output:
	// [0 0 0]
	// [0 0 0]
	// [0 12.5 0]
	// [0 0 0]
	// [0 6.25 0]
	// [0 0 0]
	// <nil>
}

// Two steps of a stencil for each exchange. Each step makes one more row of a halo wrong, so the halo has two rows. The
// variables x and y are variables of the function, because each device swaps them.
func ExampleHalo() {
	ctx, g := context.Background(), twoHosts()
	const h, w, halo = 8, 3, 2
	plate := make([]float32, h*w)
	plate[3*w+1] = 100
	shape := []shard.Option{shard.Shape(h, w), shard.Halo(halo)}
	a, err := shard.Scatter(ctx, g, plate, shape...) // with the rows of the halos
	if err != nil {
		log.Fatal(err)
	}
	b, err := shard.Scatter(ctx, g, plate, shape...)
	if err != nil {
		log.Fatal(err)
	}
	err = shard.Each(ctx, g, func(p shard.Part) error {
		x, y := a, b
		for step := range 4 {
			if step > 0 && step%halo == 0 {
				if err := x.Exchange(p); err != nil {
					return err
				}
			}
			in, out := x.Around(p), y.Around(p)
			k := plategen.Step{W: w, Rate: 0.25, In: in, Out: out}
			if _, err := k.ParallelFor(p.Queue, runtime.Range2{in.Len() / w, w}); err != nil {
				return err
			}
			x, y = y, x
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	err = a.Gather(ctx, plate)
	for y := range h {
		fmt.Print(plate[y*w+1], " ")
	}
	fmt.Println(err)
	// Output: 0 1.171875 0 2.34375 0 1.5625 0 0 <nil>
}

// A sum whose bits do not depend on the devices: of blocks of four elements, in their order.
func ExampleReduceBlocks() {
	ctx, g := context.Background(), twoHosts()
	x, err := shard.Scatter(ctx, g, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}, shard.Blocks(4))
	if err != nil {
		log.Fatal(err)
	}
	sums, err := shard.ReduceBlocks(ctx, x, func(p shard.Part, block, out runtime.View[float32]) error {
		_, err := reduce.SumOn(p.Queue, block, out)
		return err
	})
	fmt.Println(sums, err)
	// Output: [10 26 9] <nil>
}

// The rows of an array added up, in their order, and the sum on each device.
func ExampleAllReduce() {
	ctx, g := context.Background(), twoHosts()
	rows, err := shard.Scatter(ctx, g, []float32{1, 2, 10, 20, 100, 200}, shard.Shape(3, 2))
	if err != nil {
		log.Fatal(err)
	}
	sum, err := shard.NewCopies[float32](g, 2)
	if err != nil {
		log.Fatal(err)
	}
	err = shard.AllReduce(ctx, rows, sum, func(p shard.Part, into, from runtime.View[float32]) error {
		_, err := saxpygen.SAXPY{A: 1, X: from, Y: into}.ParallelFor(p.Queue, runtime.Range1(into.Len()))
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	last := make([]float32, 2)
	err = sum.Gather(ctx, g.Len()-1, last)
	fmt.Println(last, err)
	// Output: [111 222] <nil>
}

// All elements on each device, for kernels that read elements of other devices' blocks.
func ExampleAllGather() {
	ctx, g := context.Background(), twoHosts()
	x, err := shard.Scatter(ctx, g, []int32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	all, err := shard.Broadcast(ctx, g, make([]int32, 3))
	if err != nil {
		log.Fatal(err)
	}
	if err := shard.AllGather(ctx, x, all); err != nil {
		log.Fatal(err)
	}
	got := make([]int32, 3)
	err = all.Gather(ctx, 1, got)
	fmt.Println(got, err)
	// Output: [1 2 3] <nil>
}

// Doubles the elements of a block on each device, and then gives all blocks to all devices.
func ExampleCopies_Collect() {
	ctx, g := context.Background(), twoHosts()
	x, err := shard.Scatter(ctx, g, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	all, err := shard.NewCopies[float32](g, 3)
	if err != nil {
		log.Fatal(err)
	}
	err = shard.Each(ctx, g, func(p shard.Part) error {
		k := saxpygen.SAXPY{A: 1, X: x.On(p), Y: x.On(p)}
		if _, err := k.ParallelFor(p.Queue, runtime.Range1(x.LenOn(p))); err != nil {
			return err
		}
		return all.Collect(p, x)
	})
	if err != nil {
		log.Fatal(err)
	}
	got := make([]float32, 3)
	err = all.Gather(ctx, 1, got)
	fmt.Println(got, err)
	// Output: [2 4 6] <nil>
}

// Weights that are measured: the devices' shares of later arrays follow from their speed.
func ExampleGroup_Measure() {
	ctx, g := context.Background(), twoHosts()
	if err := g.Supports(saxpygen.Kernels()...); err != nil { // before anything is launched
		log.Fatal(err)
	}
	x, err := shard.NewCopies[float32](g, 1<<16)
	if err != nil {
		log.Fatal(err)
	}
	weights, err := g.Measure(ctx, func(p shard.Part) error {
		_, err := saxpygen.SAXPY{A: 1, X: x.On(p), Y: x.On(p)}.ParallelFor(p.Queue, runtime.Range1(x.Len()))
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	err = g.SetWeights(weights...)
	fmt.Println(len(g.Weights()), err)
	// Output: 2 <nil>
}

// An error names its device.
func ExampleError() {
	ctx, g := context.Background(), twoHosts()
	x, err := shard.New[float32](g, 4)
	if err != nil {
		log.Fatal(err)
	}
	err = shard.Each(ctx, g, func(p shard.Part) error {
		if p.Index == 1 {
			return fmt.Errorf("no work for %d elements", x.LenOn(p))
		}
		return nil
	})
	e := err.(*shard.Error)
	fmt.Println(e.Index, e.Err)
	// Output: 1 no work for 2 elements
}
