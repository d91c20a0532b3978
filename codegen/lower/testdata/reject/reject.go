// Package reject holds kernels that kgen must refuse because of the values that
// they work on, each with the diagnostic that it must give.
package reject

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
)

type Dynamic struct {
	N   int
	Out []int
}

func one(x int) int { return x + 1 }
func two(x int) int { return x + 2 }

func (k Dynamic) Kernel(it dsl.Item1) {
	var a [9]int
	var v any = (*[2]int)(a[k.N:])
	if k.N > 3 {
		v = k.N // want KG302 `variable v of type any .* one of them holds a pointer to an array in a slice` hint `hold the slice`
	}
	if n, ok := v.(int); ok {
		k.Out[0] = n
	}
	v = "none"
	switch k.N {
	case 0:
		v = int(1)
	case 1:
		v = int8(1)
	case 2:
		v = int16(1)
	case 3:
		v = int32(1)
	case 4:
		v = int64(1)
	case 5:
		v = uint(1)
	case 6:
		v = uint8(1)
	case 7:
		v = uint16(1)
	case 8:
		v = uint32(1)
	case 9:
		v = uint64(1)
	case 10:
		v = uintptr(1)
	case 11:
		v = float32(1)
	case 12:
		v = float64(1)
	case 13:
		v = complex64(1)
	case 14:
		v = complex128(1)
	case 15:
		v = k.N < 2
	case 16:
		v = (*[1]int)(nil)
	case 17:
		v = (*[2]int)(nil)
	case 18:
		v = (*[3]int)(nil)
	case 19:
		v = (*[4]int)(nil)
	case 20:
		v = (*[5]int)(nil)
	case 21:
		v = (*[6]int)(nil)
	case 22:
		v = (*[7]int)(nil)
	case 23:
		v = (*[8]int)(nil)
	case 24:
		v = (*[9]int)(nil)
	case 25:
		v = (*[10]int)(nil)
	case 26:
		v = (*[11]int)(nil)
	case 27:
		v = (*[12]int)(nil)
	case 28:
		v = (*[13]int)(nil)
	case 29:
		v = (*[14]int)(nil)
	case 30:
		v = (*[15]int)(nil)
	case 31:
		v = (*[16]int)(nil) // want KG302 `more than 32` hint `fewer`
	}
	if v == nil {
		k.Out[1] = 1
	}
}

type Stringer interface{ Name() string }

type MixedPointers struct {
	Out []int32
	N   int
}

func (k MixedPointers) Kernel(it dsl.Item1) {
	var a [9]int32
	p := (*[2]int32)(a[k.N:])
	if k.N > 2 {
		p = (*[2]int32)(a[1:]) // want KG203 `the pointer p .*an array within the local variable a`
	}
	p[1] += 3
	k.Out[0] = a[2]
}

// MixedGroups has pointers to arrays within slices of work-group and private memory.
type MixedGroups struct {
	Out []int32
	N   int
}

func (k MixedGroups) Kernel(it dsl.NDItem1) {
	tile, other := dsl.Local[[64]int32](it), dsl.LocalSlice[int32](it, 64)
	l := it.LocalID()
	window := (*[2]int32)(tile[l/2:])
	for range k.N {
		window[0]++
		window = (*[2]int32)(other[l/2:]) // want KG203 `the pointer window .*within the work-group memory tile and .*within the work-group memory other`
	}
	var kept []int32
	for range k.N {
		own := dsl.PrivateAlloca[int32](it, MadeRows)
		own[0] += int32(len(kept))
		kept = own // want KG203 `the variable own of an earlier iteration`
	}
	windows := struct{ at *[2]int32 }{(*[2]int32)(tile[l/2:])}
	for range k.N {
		windows.at[0]++
		windows.at = (*[2]int32)(other[l/2:]) // want KG203 `a pointer in windows `
	}
	k.Out[0] = windows.at[0]
}

var counter int32

type Writes struct{ Out []int32 }

func (k Writes) Kernel(it dsl.Item1) {
	k.Out[0] = counter // want KG202 `counter is written`
}

func Bump() { counter++ }

var (
	marks  = []int32{1, 2, 3}
	copied = []int32{1, 2, 3}
	corner = &oblong{1, 2}
)

func Mark() {
	marks[0]++
	copy(copied, marks)
	corner.a = 2
}

type WritesParts struct{ Out []int32 }

func (k WritesParts) Kernel(it dsl.Item1) {
	k.Out[0] = marks[0]             // want KG202 `marks is written`
	k.Out[1] = copied[0]            // want KG202 `copied is written`
	k.Out[2] = int32(corner.area()) // want KG202 `corner is written`
}

var (
	frame = &oblong{1, 2}
	ranks = []int32{1, 2, 3}
	ages  = []int32{4, 5, 6}
)

func grow(o *oblong) { o.a++ }

type WritesThrough struct{ In, Out []int32 }

func (k WritesThrough) Kernel(it dsl.Item1) {
	grow(frame) // want KG202 `frame is written at .*reject.go`
	var own [3]int32
	s := own[:]
	if k.In[0] > 2 {
		s = ranks // want KG202 `ranks is written`
	}
	s[1] = 4
	t := k.Out
	if k.In[0] > 4 {
		t = ages // want KG202 `ages is written`
	}
	t[0] = int32(frame.a) + ranks[1] + ages[0]
}

func Endless() { io.EOF = nil }

type WrittenElsewhere struct{ Out []int32 }

func (k WrittenElsewhere) Kernel(it dsl.Item1) {
	if io.EOF == nil { // want KG202 `EOF is written`
		k.Out[0] = 1
	}
}

var computed = len(os.Getenv("HOME"))

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

type TooLarge struct{ Out []int32 }

func (k TooLarge) Kernel(it dsl.NDItem1) {
	var a [1 << 33]int8 // want KG206 `too large for a work-item's memory`
	a[it.GlobalID()] = 1
	tile := dsl.Local[[1 << 33]int8](it) // want KG206 `too large for work-group memory`
	k.Out[0] = int32(a[it.GlobalID()]) + int32(tile[0])
}

type DeferLoop struct{ Out []int32 }

func (k DeferLoop) Kernel(it dsl.Item1) {
	for i := range 3 {
		defer func() { k.Out[i] = 1 }() // want KG103 `in a loop`
	}
	defer atomic.AddInt32(&k.Out[0], 1) // want KG103 `result`
}

type AppendFull struct{ Out []int32 }

func (k AppendFull) Kernel(it dsl.Item1) {
	s := append([]int32{1, 2}, k.Out...)
	t := append(s[:2:2], 3) // want KG204 `append`
	k.Out[0] = t[0]
}

type OwnCombiner struct {
	Out []int32
}

func third(x, y int32) int32 { return x + y/3 }

func (k OwnCombiner) Kernel(it dsl.NDItem1) {
	v := k.Out[it.GlobalID()]
	v = dsl.ReduceOverGroup(it.Group(), v, dsl.Plus)
	k.Out[it.GlobalID()] = dsl.InclusiveScanOverGroup(it.SubGroup(), v, third) // want KG302 `functions of package dsl alone`
}

type ComparesParts struct{ Out []int32 }

func (k ComparesParts) Kernel(it dsl.Item1) {
	var a [4]int32
	p, q := (*[2]int32)(a[1:]), (*[2]int32)(a[k.Out[0]:])
	if p == q { // want KG203 `pointers to an array in a slice`
		k.Out[0] = 1
	}
}

type Foreign struct{ Out []int }

func (k Foreign) Kernel(it dsl.Item1) {
	k.Out[0] = runtime.MemProfileRate // want KG202 `MemProfileRate is not known`
}

func appended(fs ...func(int) int) int {
	fs = append(fs, one) // want KG204 `capacity is 2`
	return fs[0](1)
}

type Rounds struct{ Out []int }

func (k Rounds) Kernel(it dsl.Item1) {
	k.Out[0] = appended(one, two)
	fs := [...]func(int) int{one, two}
	for i := range it.GlobalID() { // the rounds are not known
		k.Out[i] = fs[i](i)
	}
	ss := fs[k.Out[0]:] // want KG201 `which elements`
	ss[0](1)
	text := "abc"[k.Out[0]:]
	k.Out[1] = len(text + "d") // want KG208 `cannot join`
	bs := []byte(text)         // want KG208 `cannot convert`
	bs[0] = 1
	k.Out[2] = int([]byte(text)[0]) // which only looks at them
}

type shape interface{ area() int }

type square int

func (s square) area() int { return int(s * s) }

type oblong struct{ a, b int }

func (o oblong) area() int { return o.a * o.b }

type step struct {
	name string
	f    func(int) int
}

var (
	shapes  = [...]shape{square(3), oblong{1, 2}}
	circled = [...]shape{&ring{len(os.Args)}}
	steps   = []step{{"one", one}, {"two", two}}
	errOdd  = fmt.Errorf("odd")
)

// many holds as many different things.
var many = [...]shape{
	thing[[0]int]{},
	thing[[1]int]{},
	thing[[2]int]{},
	thing[[3]int]{},
	thing[[4]int]{},
	thing[[5]int]{},
	thing[[6]int]{},
	thing[[7]int]{},
	thing[[8]int]{},
	thing[[9]int]{},
	thing[[10]int]{},
	thing[[11]int]{},
	thing[[12]int]{},
	thing[[13]int]{},
	thing[[14]int]{},
	thing[[15]int]{},
	thing[[16]int]{},
	thing[[17]int]{},
	thing[[18]int]{},
	thing[[19]int]{},
	thing[[20]int]{},
	thing[[21]int]{},
	thing[[22]int]{},
	thing[[23]int]{},
	thing[[24]int]{},
	thing[[25]int]{},
	thing[[26]int]{},
	thing[[27]int]{},
	thing[[28]int]{},
	thing[[29]int]{},
	thing[[30]int]{},
	thing[[31]int]{},
	thing[[32]int]{},
}

type thing[T any] struct{}

func (thing[T]) area() int { return 1 }

type ring struct{ r int }

func (r *ring) area() int { return r.r }

func half(n int) (int, error) {
	if n%2 != 0 {
		return 0, errOdd // want KG202 `errOdd is not known`
	}
	return n / 2, nil
}

type coded struct{ code int }

func (coded) Error() string { return "coded" }

func oneThird(n int) (int, error) {
	if n%3 != 0 {
		return 0, coded{n}
	}
	return n / 3, nil
}

type Elements struct{ Out []int }

func (k Elements) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[0] = shapes[1].area() + shapes[i%2].area()
	own := [8]int{1, 2, 3}
	boxes := [2]any{(*[2]int)(own[i&3:]), 5}
	k.Out[1] = boxes[i&1].(*[2]int)[1] // want KG201 `as one holds a pointer to an array in a slice`
	k.Out[2] = many[i].area()          // want KG201 `more than 32`
	k.Out[3] = circled[0].area()       // want KG202 `circled is not known`
	if _, err := half(i); err != nil {
		k.Out[4] = 1
	}
	if _, err := oneThird(i); err != nil {
		k.Out[5] = 1
	}
}

// Kept makes strings of bytes that change before the strings are used.
type Kept struct {
	B   []byte
	Out []int32
}

func (k Kept) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	var own [4]byte
	s, t := string(k.B[:4]), string(own[:])
	k.B[i] = 'x'
	if s == "abcd" { // want KG208 `may have changed`
		k.Out[i] = 1
	}
	if t == "abcd" {
		k.Out[i] = 2
	}
	own[i&3]++
	k.Out[i] += int32(t[i&3]) // want KG208 `may have changed`
	u := string(own[1:])
	for j := range 3 {
		if u < "b" { // want KG208 `may have changed`
			own[j]++
		}
		if string(own[j:]) < u { // want KG208 `may have changed`
			break
		}
	}
	tile := dsl.Local[[4]byte](it)
	v := string(tile[:])
	if v == "a" {
		k.Out[i]++
	}
	it.Barrier()
	if v == "b" { // want KG208 `may have changed`
		k.Out[i]++
	}
	w := "none"
	if k.Out[i] > 3 {
		w = string(own[:2]) // want KG208 `cannot be kept in a variable`
	}
	if w == "some" {
		k.Out[i]++
	}
	k.Out[i] += int32(len(min(string(own[:]), "x"))) // want KG208 `cannot be one of several`
}
