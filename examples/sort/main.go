// Sort sorts the 32-bit keys of a file, or random keys.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/prim/sort"
	"github.com/kgen-go/kgen/runtime"
)

var (
	count = demo.Int("n", 1<<18, 1, 1<<30, "keys to make up if there is no file")
	file  = flag.String("file", "", "a file, taken for little-endian keys of 32 bits")
	out   = flag.String("o", "", "where to write the sorted keys, if anywhere")
)

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	keys, err := readKeys()
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return fmt.Errorf("there are no keys")
	}
	demo.Line("keys", "%d", len(keys))
	got, d, err := sortKeys(ctx, dev, keys)
	if err != nil {
		return err
	}
	demo.Rate("kernels", d, float64(len(keys)), "keys")
	want := slices.Clone(keys)
	d, _ = demo.Time(func() error { slices.Sort(want); return nil })
	demo.Rate("plain Go", d, float64(len(keys)), "keys")
	if *out != "" {
		b := make([]byte, 0, 4*len(got))
		for _, k := range got {
			b = binary.LittleEndian.AppendUint32(b, k)
		}
		if err := os.WriteFile(*out, b, 0o666); err != nil {
			return err
		}
	}
	for i, k := range got {
		if k != want[i] {
			return fmt.Errorf("key %d is %#x, want %#x", i, k, want[i])
		}
	}
	demo.Line("check", "ok: as slices.Sort")
	return nil
}

// readKeys reads the file, or makes up keys.
func readKeys() ([]uint32, error) {
	if *file == "" {
		r := rand.New(rand.NewPCG(1, 2))
		keys := make([]uint32, max(*count, 0))
		for i := range keys {
			keys[i] = r.Uint32()
		}
		return keys, nil
	}
	b, err := os.ReadFile(*file)
	if err != nil {
		return nil, err
	}
	keys := make([]uint32, len(b)/4)
	for i := range keys {
		keys[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return keys, nil
}

// sortKeys returns the keys in order and the time that the kernels took.
func sortKeys(ctx context.Context, dev *runtime.Device, keys []uint32) ([]uint32, time.Duration, error) {
	in, err1 := runtime.BufferOf(dev, keys)
	out, err2 := runtime.NewBuffer[uint32](dev, len(keys))
	if err := errors.Join(err1, err2); err != nil {
		return nil, 0, err
	}
	q, got := dev.DefaultQueue(), make([]uint32, len(keys))
	d, err := demo.Best(2, func() error { // the first run makes the pipelines
		ev, err := sort.KeysOn(q, in.All(), out.All())
		if err != nil {
			return err
		}
		return ev.Wait(ctx)
	})
	return got, d, errors.Join(err, out.CopyTo(ctx, q, got), in.Close(), out.Close())
}
