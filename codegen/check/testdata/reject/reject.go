// Package reject holds kernels with what no kernel may have, each with the
// diagnostic that it must give.
package reject

import (
	"fmt"
	"iter"
	"math/rand"
	"os"
	"sort"
	"strings"
	"sync"
	"unsafe"

	"github.com/kgen-go/kgen/dsl"
)

type Recursive struct{ Out []int }

func fact(n int) int {
	if n < 2 {
		return 1
	}
	return n * fact(n-1) // want KG301 `fact calls itself`
}

func (k Recursive) Kernel(it dsl.Item1) { k.Out[it.GlobalID()] = fact(5) }

type Mutual struct{ Out []int }

func even(n int) bool {
	return n == 0 || odd(n-1)
}

func odd(n int) bool {
	return n != 0 && even(n-1) // want KG301 `even calls itself`
}

func (k Mutual) Kernel(it dsl.Item1) {
	if even(it.GlobalID()) {
		k.Out[0] = 1
	}
}

type ByValue struct{ Out []int }

func forever(n int) int {
	return forever(n) // want KG301 `forever calls itself`
}

func apply(f func(int) int, n int) int { return f(n) }

func (k ByValue) Kernel(it dsl.Item1) { k.Out[0] = apply(forever, 1) }

type Generic struct{ Out []int }

func again[T any](x T) T {
	return again(x) // want KG301 `again`
}

func (k Generic) Kernel(it dsl.Item1) { k.Out[0] = again(1) + int(again(float32(2))) }

type Goroutine struct{ Out []int }

func (k Goroutine) Kernel(it dsl.Item1) {
	go fact(3)                // want KG102 `goroutines`
	go func() { k.f(1) }()    // want KG102 `goroutines`
	go func() { println() }() // want KG102 `goroutines`
}

func (k Goroutine) f(int) {}

type Deferred struct{ Out []int }

func (k Deferred) Kernel(it dsl.Item1) {
	defer fmt.Sprint() // want KG304 `fmt.Sprint`
	k.Out[0] = 1
	recover() // want KG105 `recover`
	for range forever2 {
		defer k.later() // want KG103 `range over a function`
	}
}

func (k Deferred) later() {}

func forever2(yield func() bool) {
	for yield() {
	}
}

type Maps struct{ Out []int }

func (k Maps) Kernel(it dsl.Item1) {
	m := map[int]int{} // want KG207 `no maps`
	m[1] = 2           // want KG207 `no maps`
	k.Out[0] = m[1]    // want KG207 `no maps`
	for i := range m { // want KG207 `no maps`
		k.Out[i] = 1
	}
	delete(m, 1) // want KG207 `no maps`
	clear(m)     // want KG207 `no maps`
}

type Channels struct{ Out []int }

func (k Channels) Kernel(it dsl.Item1) {
	c := make(chan int) // want KG104 `channels`
	c <- 1              // want KG104 `channels`
	k.Out[0] = <-c      // want KG104 `channels`
	close(c)            // want KG104 `channels`
	select {            // want KG104 `channels`
	case c <- 1:
	default:
	}
	for range c { // want KG104 `channels`
	}
}

type Appends struct{ Out []int }

func (k Appends) Kernel(it dsl.Item1) {
	var s, t []int
	for i := range k.Out {
		s = append(s, i)     // want KG204 `append`
		t = append(t[:0], 1) // want KG204 `append`
	}
	s = append([]int{}, s...) // want KG204 `append`
	u := append(k.Out[:1], s...)
	k.Out[0] = len(s) + len(t) + len(u)
}

type Deep struct{ Out []int }

func inner(n int) []int {
	return append([]int(nil), n) // want KG204 `allocate`
}

func outer(n int) int { return len(inner(n)) }

func (k Deep) Kernel(it dsl.Item1) {
	k.Out[0] = outer(it.GlobalID())
	k.Out[1] = outer(1)
}

type Prints struct{ Out []int }

func (k Prints) Kernel(it dsl.Item1) {
	_ = fmt.Sprint(1)            // want KG304 `fmt.Sprint runs only on the host`
	fmt.Fprintln(os.Stderr, "a") // want KG304 `fmt.Fprintln runs only on the host`
	println(1)
}

type Host struct{ Out []int }

var mu sync.Mutex

func (k Host) Kernel(it dsl.Item1) {
	sort.Slice(k.Out, nil)              // want KG304 `sort.Slice`
	k.Out[0] = rand.Int()               // want KG304 `math/rand|rand.Int`
	k.Out[1] = len(strings.Fields("a")) // want KG304 `strings.Fields is not supported in kernels yet`
	mu.Lock()                           // want KG304 `Lock runs only on the host`
	next, _ := iter.Pull(numbers)       // want KG304 `iter.Pull runs only on the host`
	k.Out[3], _ = next()
	os.Exit(1) // want KG304 `os.Exit`
	f := os.Getpid
	k.Out[2] = f() // want KG304 `os.Getpid`
}

func numbers(yield func(int) bool) { yield(1) }

type Unsafe struct{ Out []int }

func (k Unsafe) Kernel(it dsl.Item1) {
	p := unsafe.Pointer(&k.Out[0]) // want KG205 `cannot convert`
	n := uintptr(3)
	n += uintptr(it.GlobalID())
	*(*int32)(p) = 2                         // want KG205 `cannot convert`
	k.Out[1] = unsafe.Slice(&k.Out[0], 4)[3] // want KG205 `unsafe.Slice`
	k.Out[2] = int(n)
}

type Bodiless struct{ Out []int }

func nowhere(n int) int

func (k Bodiless) Kernel(it dsl.Item1) {
	k.Out[0] = nowhere(1) // want KG303 `nowhere has no Go body`
	k.Out[1] = known(1)
}

func known(n int) int

// Accepted has nothing that is wrong: what stands in code that is never reached,
// in code of the host, or behind a condition that the code itself decides.
type Accepted struct{ Out []int }

const debug = false

func width[T any](x T) int {
	switch any(x).(type) {
	case int32:
		return 4
	case int:
		return 8
	default:
		panic(fmt.Sprintf("%T", x))
	}
}

func (k Accepted) Kernel(it dsl.Item1) {
	if debug {
		fmt.Println(k)
	}
	k.Out[0] = width(1) + width(int32(2))
	k.Out[1] = apply(func(n int) int { return apply(func(n int) int { return n + 1 }, n) }, 3)
}

// Run is for the host alone.
func (k Accepted) Run() {
	defer fmt.Println(map[int]int{})
	go k.Run()
}
