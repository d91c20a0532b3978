package natskgen

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// BenchmarkJobs is the way of jobs of two slices with a server and workers in this process: a
// submission, a kernel on the host device, and a wait. Bytes are those of the job and its result.
func BenchmarkJobs(b *testing.B) {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: b.TempDir(), NoSigs: true, NoLog: true})
	if err != nil {
		b.Fatal(err)
	}
	s.Start()
	defer s.WaitForShutdown()
	defer s.Shutdown()
	if !s.ReadyForConnections(overall) {
		b.Fatal("the server does not start")
	}
	nc, err := nats.Connect(s.ClientURL())
	if err != nil {
		b.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		b.Fatal(err)
	}
	dev, err := openHost()
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	for _, n := range []int{64, 2_000_000} {
		b.Run(fmt.Sprintf("%dB", 8*n), func(b *testing.B) {
			ctx, cancel := context.WithCancel(b.Context())
			name := fmt.Sprint("bench", n, "-", b.N)
			c, err := Open[axpy, []float32](ctx, js, name)
			if err != nil {
				b.Fatal(err)
			}
			var all sync.WaitGroup
			all.Go(func() { Serve(ctx, js, name, onHost(dev), Parallel(2)) })
			defer all.Wait()
			defer cancel()
			defer c.Close()
			job := newAxpy(1, n)
			b.SetBytes(int64(12 * n))
			var flight sync.WaitGroup
			slots := make(chan bool, 4) // jobs at once
			for b.Loop() {
				slots <- true
				flight.Go(func() {
					defer func() { <-slots }()
					if got, err := c.Do(ctx, job); err != nil || len(got) != n {
						b.Error(err)
					}
				})
			}
			flight.Wait()
		})
	}
}
