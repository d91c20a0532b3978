package demo

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/shard"
)

// MainGroup is like Main, for examples that run on several devices. MainGroup opens every GPU, or
// the devices that the flag -device lists with commas between them, such as "host,host".
func MainGroup(run func(ctx context.Context, g *shard.Group) error) {
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(flag.CommandLine.Output(), "%q is no flag\n", flag.Arg(0))
		flag.Usage()
		os.Exit(2)
	}
	if err := startGroup(run); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
		os.Exit(1)
	}
}

func startGroup(run func(ctx context.Context, g *shard.Group) error) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	g, err := openGroup()
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, g.Close())
		for _, d := range g.Devices() {
			err = errors.Join(err, d.Close())
		}
	}()
	for i, d := range g.Devices() {
		Line(fmt.Sprintf("device %d", i), "%v", d)
	}
	return run(ctx, g)
}

// openGroup opens the devices that the flag -device lists, or every GPU.
func openGroup() (*shard.Group, error) {
	if *device == "" {
		return shard.Open()
	}
	var devs []*runtime.Device
	for _, name := range strings.Split(*device, ",") {
		d, err := runtime.Open(runtime.Select(name))
		if err != nil {
			return nil, err
		}
		devs = append(devs, d)
	}
	return shard.Of(devs...)
}
