package runtime_test

import (
	"context"
	"fmt"
	"log"
	"os"

	saxpygen "github.com/kgen-go/kgen/generated/examples/quickstart/saxpy"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// What is launched on a queue that records becomes a graph, which runs as often as one
// likes by one call each time.
func ExampleGraph() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	q := dev.DefaultQueue()

	x, err := runtime.BufferOf(dev, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	g := runtime.NewGraph(dev)
	if err := q.BeginRecording(g); err != nil {
		log.Fatal(err)
	}
	for range 2 {
		if _, err := (saxpygen.SAXPY{A: 1, X: x.All(), Y: x.All()}).ParallelFor(q, 3); err != nil {
			log.Fatal(err)
		}
	}
	if err := q.EndRecording(); err != nil {
		log.Fatal(err)
	}
	ex, err := g.Finalize()
	if err != nil {
		log.Fatal(err)
	}
	for range 3 {
		if _, err := q.Submit(ex); err != nil {
			log.Fatal(err)
		}
	}
	out := make([]float32, 3)
	err = x.CopyTo(ctx, q, out)
	fmt.Println(len(g.Nodes()), out, err)
	// Output: 2 [64 128 192] <nil>
}

// Nodes depend on each other by the memory that they use, and by edges of one's own.
func ExampleNode() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	x, err := runtime.NewBuffer[float32](dev, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	y, err := runtime.NewBuffer[float32](dev, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer y.Close()
	g := runtime.NewGraph(dev)
	fill, err := g.Add(runtime.Fill(x.All(), 1))
	if err != nil {
		log.Fatal(err)
	}
	other, err := g.Add(runtime.Fill(y.All(), 2))
	if err != nil {
		log.Fatal(err)
	}
	sum, err := g.Add(saxpygen.SAXPY{A: 1, X: x.All(), Y: y.All()}.Node(3))
	if err != nil {
		log.Fatal(err)
	}
	if err := g.MakeEdge(fill, other); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(g.Roots()), len(sum.Preds()), len(fill.Succs()))
	if err := g.WriteDOT(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 1 2 2
	// digraph kgen {
	// 	node [shape=box];
	// 	n0 [label="0: fill of 12 bytes"];
	// 	n1 [label="1: fill of 12 bytes"];
	// 	n2 [label="2: saxpy.SAXPY [3]"];
	// 	n0 -> n1;
	// 	n0 -> n2;
	// 	n1 -> n2;
	// }
}

// Nodes that nothing but the program's wish puts in an order.
func ExampleNodeOption() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	x, err := runtime.NewBuffer[float32](dev, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	g := runtime.NewGraph(dev)
	first, err := g.Add(runtime.Fill(x.Slice(0, 1), 1))
	if err != nil {
		log.Fatal(err)
	}
	second, err := g.Add(runtime.Fill(x.Slice(1, 2), 2), runtime.After(first))
	if err != nil {
		log.Fatal(err)
	}
	last, err := g.Add(runtime.Command{}, runtime.AfterLeaves()) // does nothing, but is behind all
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(second.Preds()[0] == first, len(last.Preds()), last.Preds()[0] == second)
	// Output: true 1 true
}

// A node of a graph gets other arguments.
func ExampleExecutableGraph() {
	ctx := context.Background()
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	q := dev.DefaultQueue()

	x, err := runtime.BufferOf(dev, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	g := runtime.NewGraph(dev)
	step := saxpygen.SAXPY{A: 1, X: x.All(), Y: x.All()}
	node, err := g.Add(step.Node(3))
	if err != nil {
		log.Fatal(err)
	}
	ex, err := g.Finalize(properties.Updatable())
	if err != nil {
		log.Fatal(err)
	}
	out := make([]float32, 3)
	for _, a := range []float32{1, 9} {
		step.A = a
		if err := ex.Update(node, step.Node(3)); err != nil {
			log.Fatal(err)
		}
		if _, err := q.Submit(ex); err != nil {
			log.Fatal(err)
		}
		err := x.CopyTo(ctx, q, out)
		fmt.Println(out, err)
	}
	// Output:
	// [2 4 6] <nil>
	// [20 40 60] <nil>
}

// Two launches become one, where that is right.
func ExampleFusionReport() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	x, err := runtime.NewBuffer[float32](dev, 64)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	g := runtime.NewGraph(dev)
	for range 2 {
		if _, err := g.Add(saxpygen.SAXPY{A: 1, X: x.All(), Y: x.All()}.Node(64)); err != nil {
			log.Fatal(err)
		}
	}
	ex, err := g.Finalize(properties.EnableFusion())
	if err != nil {
		log.Fatal(err)
	}
	report := ex.Report()
	fmt.Println(report.Fused)
	fmt.Print(report)
	// Output:
	// true
	// saxpy.SAXPY+saxpy.SAXPY: 0: saxpy.SAXPY [64], 1: saxpy.SAXPY [64]
}

// What each launch of a graph does.
func ExampleFusedLaunch() {
	dev, err := runtime.Open(runtime.Select("host"))
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()

	x, err := runtime.NewBuffer[float32](dev, 64)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	g := runtime.NewGraph(dev)
	for range 2 {
		if _, err := g.Add(saxpygen.SAXPY{A: 1, X: x.All(), Y: x.All()}.Node(64)); err != nil {
			log.Fatal(err)
		}
	}
	ex, err := g.Finalize() // without fusion
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range ex.Report().Launches {
		fmt.Println(l.Name, len(l.Nodes))
	}
	// Output:
	// saxpy.SAXPY 1
	// saxpy.SAXPY 1
}
