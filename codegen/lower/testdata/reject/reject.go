// Package reject holds kernels that kgen must refuse, each with the diagnostic
// that it must give.
package reject

import (
	"fmt"
	"sort"
	"strings"

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

type Goroutine struct{ Out []int }

func (k Goroutine) Kernel(it dsl.Item1) {
	go fact(3) // want KG102 `goroutines`
}

type Deferred struct{ Out []int }

func (k Deferred) Kernel(it dsl.Item1) {
	defer fmt.Println() // want KG103 `deferred`
	k.Out[0] = 1
}

type Maps struct{ Out []int }

func (k Maps) Kernel(it dsl.Item1) {
	m := map[int]int{} // want KG201 `no maps`
	k.Out[0] = m[1]    // want KG201 `no maps`
}

type Channels struct{ Out []int }

func (k Channels) Kernel(it dsl.Item1) {
	c := make(chan int) // want KG102 `channels`
	c <- 1              // want KG102 `channels`
}

type Makes struct {
	N   int
	Out []int
}

func (k Makes) Kernel(it dsl.Item1) {
	s := make([]int, k.N) // want KG204 `allocate`
	k.Out[0] = len(s)
}

type Appends struct{ Out []int }

func (k Appends) Kernel(it dsl.Item1) {
	k.Out = append(k.Out, 1) // want KG204 `append`
}

type Prints struct{ Out []int }

func (k Prints) Kernel(it dsl.Item1) {
	fmt.Println() // want KG304 `fmt.Println runs only on the host`
	println(1)    // want KG304 `println`
}

type Sorts struct{ Out []int }

func (k Sorts) Kernel(it dsl.Item1) {
	sort.Ints(k.Out) // want KG304 `sort.Ints`
}

type Dynamic struct {
	N   int
	Out []int
}

func one(x int) int { return x + 1 }
func two(x int) int { return x + 2 }

func (k Dynamic) Kernel(it dsl.Item1) {
	f := one
	if k.N > 3 {
		f = two // want KG302 `which function`
	}
	k.Out[0] = f(1)
}

type Stringer interface{ Name() string }

type Mixed struct {
	X, Out []int32
}

func (k Mixed) Kernel(it dsl.Item1) {
	var a [4]int32
	s := k.X
	if it.GlobalID() > 3 {
		s = a[:] // want KG203 `different variables or kinds of memory`
	}
	k.Out[0] = s[0]
}

type MixedPointers struct {
	Out []int32
	N   int
}

func (k MixedPointers) Kernel(it dsl.Item1) {
	var a, b int32 = 1, 2
	p := &a
	if k.N > 2 {
		p = &b // want KG203 `different variables`
	}
	*p += 3
	k.Out[0] = a + b
}

var counter int32

type Writes struct{ Out []int32 }

func (k Writes) Kernel(it dsl.Item1) {
	k.Out[0] = counter // want KG202 `counter is written`
}

func Bump() { counter++ }

var computed = len(strings.Fields("a b c"))

type Computed struct{ Out []int }

func (k Computed) Kernel(it dsl.Item1) {
	k.Out[0] = computed // want KG202 `not known when the kernel is generated`
}

type WrongForm struct{ Out []int32 }

func (k WrongForm) Kernel(it dsl.NDItem1) {
	n := it.LocalID()
	s := dsl.LocalSlice[int32](it, n) // want KG402 `constant`
	k.Out[0] = s[0]
}
