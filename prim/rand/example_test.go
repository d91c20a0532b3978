package rand_test

import (
	"context"
	"fmt"
	"log"

	"github.com/kgen-go/kgen/prim"
	"github.com/kgen-go/kgen/prim/rand"
	"github.com/kgen-go/kgen/runtime"
)

// device opens the device of the examples.
func device() *runtime.Device { return must(runtime.Open(runtime.Select("host"))) }

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// buffer returns a view of the elements.
func buffer[T any](dev *runtime.Device, xs ...T) runtime.View[T] {
	return must(runtime.BufferOf(dev, xs)).All()
}

// show prints a view.
func show[T any](q *runtime.Queue, v runtime.View[T]) {
	s := make([]T, v.Len())
	if err := v.CopyTo(context.Background(), q, s); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s)
}

func ExampleUniform() {
	dev := device()
	defer dev.Close()
	xs := make([]float32, 3)
	err := rand.Uniform(context.Background(), dev, rand.Stream{Seed: 1}, xs)
	fmt.Println(xs, err)
	// Output: [0.89025915 0.67199826 0.24740142] <nil>
}

// The second call goes on where the first has stopped.
func ExampleUniformOn() {
	dev := device()
	defer dev.Close()
	q, xs, s := dev.DefaultQueue(), buffer(dev, make([]float32, 3)...), rand.Stream{Seed: 1}
	must(rand.UniformOn(q, s, xs.Slice(0, 2)))
	s.Offset += 2
	must(rand.UniformOn(q, s, xs.Slice(2, 3)))
	show(q, xs)
	// Output: [0.89025915 0.67199826 0.24740142]
}

func ExampleNormal() {
	dev := device()
	defer dev.Close()
	xs := make([]float64, 2)
	err := rand.Normal(context.Background(), dev, rand.Stream{Seed: 1}, xs)
	fmt.Printf("%.6f %v\n", xs, err)
	// Output: [-0.457870 -0.431052] <nil>
}

// How many numbers there are is known on the device alone.
func ExampleNormalOn() {
	dev := device()
	defer dev.Close()
	q, xs, n := dev.DefaultQueue(), buffer(dev, make([]float32, 3)...), buffer[int64](dev, 2)
	must(rand.NormalOn(q, rand.Stream{Seed: 1}, xs, prim.Length(n)))
	show(q, xs)
	// Output: [-0.2962779 0.6269478 0]
}

func ExampleBits() {
	dev := device()
	defer dev.Close()
	key := make([]byte, 4)
	err := rand.Bits(context.Background(), dev, rand.Stream{Seed: 1}, key)
	fmt.Printf("%x %v\n", key, err)
	// Output: 701bf0a1 <nil>
}

// Two sequences of a seed.
func ExampleBitsOn() {
	dev := device()
	defer dev.Close()
	q, xs, ys := dev.DefaultQueue(), buffer(dev, make([]uint16, 3)...), buffer(dev, make([]uint16, 3)...)
	must(rand.BitsOn(q, rand.Stream{Seed: 1, Sequence: 1}, xs))
	must(rand.BitsOn(q, rand.Stream{Seed: 1, Sequence: 2}, ys))
	show(q, xs)
	show(q, ys)
	// Output:
	// [7186 39759 42825]
	// [1231 49523 15957]
}

// Throws of dice.
func ExampleIntN() {
	dev := device()
	defer dev.Close()
	dice := make([]int, 10)
	err := rand.IntN(context.Background(), dev, rand.Stream{Seed: 1}, 6, dice)
	fmt.Println(dice, err)
	// Output: [5 5 3 0 3 1 0 2 5 3] <nil>
}

func ExampleIntNOn() {
	dev := device()
	defer dev.Close()
	q, dice := dev.DefaultQueue(), buffer(dev, make([]int8, 10)...)
	must(rand.IntNOn(q, rand.Stream{Seed: 1}, 6, dice))
	show(q, dice)
	// Output: [5 4 1 4 1 0 2 2 5 1]
}

func ExampleShuffle() {
	dev := device()
	defer dev.Close()
	ys, err := rand.Shuffle(context.Background(), dev, rand.Stream{Seed: 1}, []rune("kernels"))
	fmt.Println(string(ys), err)
	// Output: nekslre <nil>
}

// Two orders of a stream.
func ExampleShuffleOn() {
	dev := device()
	defer dev.Close()
	q, xs, ys := dev.DefaultQueue(), buffer(dev, 1, 2, 3, 4, 5, 6, 7), buffer(dev, make([]int, 7)...)
	for i := range uint64(2) {
		must(rand.ShuffleOn(q, rand.Stream{Seed: 1, Offset: i}, xs, ys))
		show(q, ys)
	}
	// Output:
	// [4 5 1 7 6 3 2]
	// [6 7 5 2 3 1 4]
}
