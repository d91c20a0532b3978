// Pipeline develops a photo by six edits of each pixel. Each edit is a kernel. A graph runs the
// edits separately, fused into one launch, or fused without intermediate pictures in memory. The
// program compares the results, times and memory traffic of the three ways.
package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/examples/pipeline/develop"
	developgen "github.com/kgen-go/kgen/generated/examples/pipeline/develop"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

var (
	size   = demo.Int("n", 400, 1, 1<<12, "rows of the photo; there are 3 columns for 2 rows")
	rounds = demo.Int("rounds", 9, 1, 1<<16, "how often each way runs, by turns")
	out    = flag.String("o", "pipeline.png", "where to write the photo, beside what the camera measured")
)

// Parameters of the edits.
const (
	gain                 = 3
	red, green, blue     = 1.3, 1.05, 0.8
	contrast, saturation = 0.6, 1.4
	vignette             = 0.5
	levels               = 256
)

func main() { demo.Main(run) }

// The type `view` is a picture in the device's memory.
type view = runtime.View[develop.Pixel]

// The type `way` is a graph that runs the six edits in one of the three ways that the program compares.
type way struct {
	name  string
	graph *runtime.ExecutableGraph
	moved int // number of bytes that the graph loads and stores
	out   view
	times []time.Duration
}

// edits() returns the launches of the edits. There are seven pictures, and each edit reads a
// picture and writes the next picture.
func edits(r runtime.Range2, pictures []view) []runtime.Command {
	in, out := pictures, pictures[1:]
	return []runtime.Command{
		developgen.Expose{Gain: gain, In: in[0], Out: out[0]}.Node(r),
		developgen.Balance{Red: red, Green: green, Blue: blue, In: in[1], Out: out[1]}.Node(r),
		developgen.Contrast{Amount: contrast, In: in[2], Out: out[2]}.Node(r),
		developgen.Saturate{Amount: saturation, In: in[3], Out: out[3]}.Node(r),
		developgen.Vignette{Amount: vignette, In: in[4], Out: out[4]}.Node(r),
		developgen.Print{Levels: levels, In: in[5], Out: out[5]}.Node(r),
	}
}

// plain() applies the six edits in plain Go.
func plain(source []develop.Pixel, rows, columns int) []develop.Pixel {
	out := make([]develop.Pixel, len(source))
	for i, p := range source {
		p = p.Scale(gain, gain, gain).Scale(red, green, blue).Contrast(contrast).Saturate(saturation)
		out[i] = p.Vignette(vignette, i/columns, i%columns, rows, columns).Print(levels)
	}
	return out
}

// finalize() makes an executable graph of launches.
func finalize(dev *runtime.Device, launches []runtime.Command, props ...properties.Property) (*runtime.ExecutableGraph, error) {
	g := runtime.NewGraph(dev)
	for _, l := range launches {
		if _, err := g.Add(l); err != nil {
			return nil, err
		}
	}
	return g.Finalize(props...)
}

// ways() returns three ways to edit a picture. Only the last way stores no intermediate pictures.
func ways(dev *runtime.Device, r runtime.Range2, source view, between, out []view) ([]*way, error) {
	// Only the fused launch uses these views, and each work-item of the launch uses only its own pixels.
	var internal []view
	for _, v := range between {
		internal = append(internal, v.With(properties.AccessScope(properties.ScopeWorkItem),
			properties.FusionInternalMemory(), properties.NoInit()))
	}
	picture := source.Len() * int(unsafe.Sizeof(develop.Pixel{})) // size of a picture in bytes
	list := []*way{
		{name: "unfused", moved: 12 * picture, out: out[0]}, // each edit loads one picture and stores one
		{name: "fused", moved: 7 * picture, out: out[1]},    // loads the first picture, and stores the others
		{name: "internal", moved: 2 * picture, out: out[2]}, // loads the first picture, and stores the last
	}
	for i, w := range list {
		var props []properties.Property
		if w.name != "unfused" {
			props = append(props, properties.RequireFusion())
		}
		if w.name == "internal" {
			between = internal
		}
		if dev.Info().Backend == "host" {
			w.moved = list[0].moved // the host device runs fused launches one by one
		}
		var err error
		w.graph, err = finalize(dev, edits(r, slices.Concat([]view{source}, between, out[i:i+1])), props...)
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// blurred() returns a graph of the edits and a blur. The blur cannot be fused with the edits.
func blurred(dev *runtime.Device, r runtime.Range2, pictures []view, out view) (*runtime.ExecutableGraph, error) {
	launches := append(edits(r, pictures), developgen.Blur{In: pictures[6], Out: out}.Node(r))
	return finalize(dev, launches, properties.EnableFusion())
}

func run(ctx context.Context, dev *runtime.Device) error {
	rows, columns := *size, *size*3/2
	source, r := scene(rows, columns), runtime.Range2{rows, columns}
	demo.Line("photo", "%d x %d; times are medians of %d", columns, rows, *rounds)
	var v []view // views of the source, five pictures in between, three results, and a blurred picture
	for range 10 {
		b, err := runtime.NewBuffer[develop.Pixel](dev, len(source))
		if err != nil {
			return err
		}
		defer b.Close()
		v = append(v, b.All())
	}
	q := dev.DefaultQueue()
	if err := v[0].CopyFrom(ctx, q, source); err != nil {
		return err
	}
	list, err := ways(dev, r, v[0], v[1:6], v[6:9])
	if err != nil {
		return err
	}
	soft, err := blurred(dev, r, v[:7], v[9])
	if err != nil {
		return err
	}
	fmt.Printf("\ninternal:\n%v\nwith a blur behind:\n%v\n", list[2].graph.Report(), soft.Report())

	for round := range *rounds + 1 { // the first run warms up
		for _, w := range list {
			d, err := demo.Time(func() error { return submit(ctx, q, w.graph) })
			if err != nil {
				return err
			}
			if round > 0 {
				w.times = append(w.times, d)
			}
		}
	}
	var want, got []develop.Pixel
	d, _ := demo.Time(func() error { want = plain(source, rows, columns); return nil })
	demo.Rate("plain Go", d, float64(len(source)), "pixels")
	for _, w := range list {
		slices.Sort(w.times)
		median := w.times[len(w.times)/2]
		demo.Line(w.name, "%10v  %s, %.1f MB of memory", median.Round(median/1000+1),
			demo.PerSecond(float64(len(source)), median, "pixels"), float64(w.moved)/1e6)
		got = make([]develop.Pixel, len(source))
		if err := w.out.CopyTo(ctx, q, got); err != nil {
			return err
		}
		if !slices.EqualFunc(got, want, sameBits) {
			return fmt.Errorf("%s: the photo is not the plain loop's", w.name)
		}
	}
	if dev.Info().Backend == "host" {
		demo.Line("note", "the host device runs the edits of a fused launch one by one, which saves nothing")
	}
	demo.Line("check", "ok: the three photos are the plain loop's, bit for bit")
	if err := demo.WritePNG(*out, sideBySide(rows, columns, source, got)); err != nil {
		return err
	}
	demo.Line("picture", "%s", *out)
	return nil
}

// submit() runs a graph and waits for it.
func submit(ctx context.Context, q *runtime.Queue, g *runtime.ExecutableGraph) error {
	ev, err := q.Submit(g)
	if err != nil {
		return err
	}
	return ev.Wait(ctx)
}
