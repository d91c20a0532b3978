// Pathtracer renders the scene of kgen's example pathtracer, and writes a PNG. Any number of
// processes on any number of machines render tiles of the picture.
//
//	go run ./examples/pathtracer                            # a server in this process, three workers
//	go run ./examples/pathtracer -server nats://host:4222 -workers 0
//	go run ./examples/pathtracer -server nats://host:4222 -work   # a worker, on each machine
//
// The first command starts a NATS server on loopback and three worker processes. The other commands
// use a server that is running, such as nats-server -js, and workers that are started with -work.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/kgen-go/kgen/examples/pathtracer/light"
	"github.com/kgen-go/kgen/natskgen"
	"github.com/kgen-go/kgen/natskgen/examples/pathtracer/tile"
	tilegen "github.com/kgen-go/kgen/natskgen/generated/examples/pathtracer/tile"
	"github.com/kgen-go/kgen/runtime"
)

var (
	url     = flag.String("server", "", "the NATS server, such as nats://host:4222; without it, one in this process")
	workers = flag.Int("workers", 3, "how many worker processes to start")
	work    = flag.Bool("work", false, "be a worker: render tiles until an interrupt")
	device  = flag.String("device", "", `device of a worker: "host", "vulkan", or an index or a part of the name (default: a GPU if there is one, else the host)`)
	height  = flag.Int("n", 360, "rows of pixels, from 1 to 8192; there are 16 columns for 9 rows")
	samples = flag.Int("samples", 64, "paths for each pixel, from 1 to 32768")
	side    = flag.Int("tile", 64, "rows and columns of a tile, from 8 to 1024")
	out     = flag.String("o", "pathtracer.png", "where to write the picture")
)

// The constant `queue` is the queue's name, which all processes use.
const queue = "pathtracer"

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	do := render
	if *work {
		do = serve
	}
	if err := do(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
		os.Exit(1)
	}
}

// check returns an error if a flag is out of range.
func check() error {
	for _, f := range []struct {
		name            string
		is, least, most int
	}{{"n", *height, 1, 1 << 13}, {"samples", *samples, 1, 1 << 15}, {"tile", *side, 8, 1 << 10}, {"workers", *workers, 0, 256}} {
		if f.is < f.least || f.is > f.most {
			return fmt.Errorf("-%s is a number from %d to %d", f.name, f.least, f.most)
		}
	}
	if flag.NArg() > 0 {
		return fmt.Errorf("%q is no flag", flag.Arg(0))
	}
	if *url == "" && *work {
		return errors.New("a worker needs -server")
	}
	if *url == "" && *workers == 0 {
		return errors.New("a server in this process has no workers but its own: -workers is at least 1 without -server")
	}
	return nil
}

// connect connects to the server, and returns its JetStream. The connection survives a restart of the server.
func connect(url string) (jetstream.JetStream, *nats.Conn, error) {
	nc, err := nats.Connect(url, nats.MaxReconnects(-1))
	if err != nil {
		return nil, nil, fmt.Errorf("the server %s: %w", url, err)
	}
	js, err := jetstream.New(nc)
	return js, nc, err
}

// serve runs a worker that renders tiles on a device. A job's result contains the pixels of its tile.
func serve(ctx context.Context) error {
	if err := check(); err != nil {
		return err
	}
	var opts []runtime.OpenOption
	if *device != "" {
		opts = append(opts, runtime.Select(*device))
	}
	dev, err := runtime.Open(opts...)
	if err != nil {
		return err
	}
	defer dev.Close()
	js, nc, err := connect(*url)
	if err != nil {
		return err
	}
	defer nc.Close()
	fmt.Printf("worker %d on %v\n", os.Getpid(), dev)
	err = natskgen.Serve(ctx, js, queue, func(ctx context.Context, p part) ([]light.Vec, error) {
		k := p.Kernel
		k.Tile = make([]light.Vec, p.Rows*p.Columns)
		err := tilegen.RunRender(ctx, dev, k, runtime.Range2{p.Rows, p.Columns})
		return k.Tile, err
	}, natskgen.Parallel(2)) // one tile is sent while another one is rendered
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// A part is a job. It consists of a tile's size and of a kernel whose field Tile is not set. The
// kernel is not embedded, so that the job itself is not a kernel.
type part struct {
	Kernel        tile.Render
	Rows, Columns int
}

// parts() returns a job for each tile of the picture.
func parts(h, w int) (all []part) {
	for y := 0; y < h; y += *side {
		for x := 0; x < w; x += *side {
			k := tile.Render{Top: y, Left: x, Height: h, Width: w, Samples: *samples, Bounces: 8}
			all = append(all, part{k, min(*side, h-y), min(*side, w-x)})
		}
	}
	return all
}

// render() submits the tiles and puts the picture together.
func render(ctx context.Context) error {
	if err := check(); err != nil {
		return err
	}
	at := *url
	if at == "" {
		s, dir, err := embed()
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		defer s.WaitForShutdown()
		defer s.Shutdown()
		at = s.ClientURL()
	}
	js, nc, err := connect(at)
	if err != nil {
		return err
	}
	defer nc.Close()
	client, err := natskgen.Open[part, []light.Vec](ctx, js, queue)
	if err != nil {
		return err
	}
	defer client.Close()
	stop, err := start(at)
	if err != nil {
		return err
	}
	defer stop()
	began := time.Now()
	img, err := picture(ctx, client)
	if err != nil {
		return err
	}
	d := time.Since(began)
	h, w := *height, *height*16/9
	fmt.Printf("rendered   %v, %.1f million paths/s\n", d.Round(time.Millisecond), float64(h*w**samples)/d.Seconds()/1e6)
	f, err := os.Create(*out)
	if err != nil {
		return err
	}
	err = cmp.Or(png.Encode(f, img), f.Close())
	if err == nil {
		fmt.Printf("picture    %s (%d x %d)\n", *out, w, h)
	}
	return err
}

// embed starts a server on loopback that stores its data in a temporary folder.
func embed() (*server.Server, string, error) {
	dir, err := os.MkdirTemp("", "pathtracer")
	if err != nil {
		return nil, "", err
	}
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true})
	if err == nil {
		s.Start()
		if !s.ReadyForConnections(30 * time.Second) {
			err = errors.New("the server in this process does not start")
		}
	}
	if err != nil {
		os.RemoveAll(dir)
	}
	return s, dir, err
}

// start() starts the worker processes, and returns a function that ends them.
func start(url string) (stop func(), err error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var started []*exec.Cmd
	stop = func() {
		for _, c := range started {
			c.Process.Kill()
			c.Wait()
		}
	}
	for range *workers {
		c := exec.Command(exe, "-work", "-server", url, "-device", *device)
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		if err := c.Start(); err != nil {
			stop()
			return nil, err
		}
		started = append(started, c)
	}
	return stop, nil
}

// picture() returns the whole picture. While it waits, it shows the number of finished tiles.
func picture(ctx context.Context, client *natskgen.Client[part, []light.Vec]) (image.Image, error) {
	h, w := *height, *height*16/9
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	all := parts(h, w)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var waits sync.WaitGroup
	var mu sync.Mutex
	finished := 0
	for _, p := range all {
		job, err := client.Submit(ctx, p)
		if err != nil {
			return nil, err
		}
		waits.Go(func() {
			pixels, err := job.Wait(ctx)
			if err == nil && len(pixels) != p.Rows*p.Columns {
				err = fmt.Errorf("a tile has %d pixels, not %d", len(pixels), p.Rows*p.Columns)
			}
			if err != nil {
				cancel(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			for i, v := range pixels {
				img.SetRGBA(p.Kernel.Left+i%p.Columns, p.Kernel.Top+i/p.Columns, color.RGBA{level(v.X), level(v.Y), level(v.Z), 255})
			}
			finished++
			progress(os.Stdout, finished, len(all))
		})
	}
	waits.Wait()
	return img, context.Cause(ctx)
}

// level() converts the brightness of a colour to a value for a screen.
func level(v float32) uint8 { return uint8(255*math.Sqrt(float64(min(v, 1))) + 0.5) }

// progress() prints a progress bar, which replaces the previous one.
func progress(w io.Writer, n, of int) {
	const width = 40
	bar := make([]byte, width)
	for i := range bar {
		bar[i] = '.'
		if i < width*n/of {
			bar[i] = '#'
		}
	}
	fmt.Fprintf(w, "\rtiles      [%s] %d/%d", bar, n, of)
	if n == of {
		fmt.Fprintln(w)
	}
}
