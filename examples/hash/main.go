// Hash computes the SHA-256 checksums of many messages. The messages are the lines of a file, or
// random bytes.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/kgen-go/kgen/examples/hash/digest"
	"github.com/kgen-go/kgen/examples/internal/demo"
	digestgen "github.com/kgen-go/kgen/generated/examples/hash/digest"
	"github.com/kgen-go/kgen/runtime"
)

var (
	count  = demo.Int("n", 1<<17, 1, 1<<26, "messages to make up")
	length = demo.Int("len", 200, 0, 1<<16, "bytes that a made-up message has at most")
	lines  = flag.String("f", "", "hash the lines of this `file` instead")
	print  = flag.Bool("print", false, "print the checksums as sha256sum does")
)

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	k, err := messages()
	if err != nil {
		return err
	}
	n := len(k.End)
	if n == 0 {
		return fmt.Errorf("no messages")
	}
	demo.Line("messages", "%d, %d bytes in all", n, len(k.Text))
	k.Sums = make([]digest.Sum, n)
	if err := hash(ctx, dev, k); err != nil {
		return err
	}

	// A plain loop computes the expected checksums on the processor, which may have instructions for SHA-256.
	want := make([]digest.Sum, n)
	d, _ := demo.Time(func() error {
		begin := 0
		for i, end := range k.End {
			want[i] = sha256.Sum256(k.Text[begin:end])
			begin = end
		}
		return nil
	})
	demo.Rate("plain Go", d, float64(n), "hashes")
	begin := 0
	for i, end := range k.End {
		if k.Sums[i] != want[i] {
			return fmt.Errorf("message %d, of %d bytes: %x, want %x", i, end-begin, k.Sums[i], want[i])
		}
		if *print {
			fmt.Printf("%x  %s\n", k.Sums[i], k.Text[begin:end])
		}
		begin = end
	}
	demo.Line("check", "ok: all %d checksums are crypto/sha256's", n)
	return nil
}

// hash() computes the checksums on the device.
func hash(ctx context.Context, dev *runtime.Device, k digest.SHA256) error {
	q := dev.DefaultQueue()
	text, err := runtime.BufferOf(dev, k.Text)
	if err != nil {
		return err
	}
	defer text.Close()
	end, err := runtime.BufferOf(dev, k.End)
	if err != nil {
		return err
	}
	defer end.Close()
	sums, err := runtime.NewBuffer[digest.Sum](dev, len(k.Sums))
	if err != nil {
		return err
	}
	defer sums.Close()
	launch := digestgen.SHA256{Text: text.All(), End: end.All(), Sums: sums.All()}
	d, err := demo.Best(3, func() error {
		return launch.Run(ctx, q, runtime.Range1(len(k.Sums)))
	})
	if err != nil {
		return err
	}
	demo.Rate("kernel", d, float64(len(k.Sums)), "hashes")
	return sums.CopyTo(ctx, q, k.Sums)
}

// messages() returns a kernel with the messages to hash.
func messages() (k digest.SHA256, err error) {
	add := func(m []byte) {
		k.Text = append(k.Text, m...)
		k.End = append(k.End, len(k.Text))
	}
	if *lines != "" {
		data, err := os.ReadFile(*lines)
		if err != nil {
			return k, err
		}
		for line := range bytes.Lines(data) {
			add(bytes.TrimSuffix(line, []byte("\n")))
		}
		return k, nil
	}
	r := rand.New(rand.NewPCG(1, 2))
	message := make([]byte, *length)
	for range *count {
		m := message[:r.IntN(*length+1)]
		for i := range m {
			m[i] = byte(r.Uint32())
		}
		add(m)
	}
	return k, nil
}
