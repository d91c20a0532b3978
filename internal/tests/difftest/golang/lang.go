package golang

import (
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"sort"

	"github.com/kgen-go/kgen/dsl"
)

// LoopVars has closures and pointers that refer to variables of three-part for statements. In Go,
// each iteration of a three-part for statement has new variables.
type LoopVars struct{ Out []int }

func (k LoopVars) Kernel(it dsl.Item1) {
	n := it.GlobalID()
	s := 0
	for i, j := 0, n; i < 10; i, j = i+1, j-1 {
		step := func() { s += i * j; i++ }
		step()
		if s%3 == 1 {
			continue
		}
		p := &j
		*p += 2
		step()
	}
	for i := 0; i < 4; i++ {
		func() {
			for j := i; j < 5; j++ {
				bump(&j)
				s = s*3 + i + j
			}
		}()
	}
	for i := n; ; {
		inc := func() int { i += 3; return i }
		if inc() > 20 {
			s += i
			break
		}
	}
	k.Out[n] = s
}

func bump(p *int) { *p++ }

// Deferred has deferred calls, which run when their function returns.
type Deferred struct{ Out, Log []int }

type logger struct {
	at  []int
	end int
}

func (l *logger) add(n int) {
	l.at[l.end%len(l.at)] = n
	l.end++
}

func several(l *logger, i int) (r int, ok bool) {
	defer l.add(1)
	defer func() { r *= 2 }()
	if i%2 == 0 {
		n := i
		defer func(n int) { l.add(n * 100); r += n }(n + 1)
		n += 50
		if i%4 == 0 {
			return n, true
		}
	} else {
		defer l.add(7)
	}
	switch {
	case i > 10:
		defer func() { r, ok = -r, !ok }()
	case i == 3:
		return 3, false
	}
	for j := range i {
		if j == 5 {
			return j, true
		}
	}
	defer clear(l.at[:1])
	return i, i > 2
}

func nested(l *logger, i int) {
	defer func() {
		defer l.add(i)
		l.add(-i)
	}()
	if i > 5 {
		return
	}
	l.add(9)
}

func (k Deferred) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	l := &logger{at: k.Log[i*8 : i*8+8]}
	r, ok := several(l, i)
	nested(l, i)
	if ok {
		r += 1000
	}
	k.Out[i] = r*10 + l.end
}

// DeferredNil defers a method of an interface value that may be nil. The method is looked up at the defer statement.
type DeferredNil struct {
	Mode int
	Out  []int
}

type ender interface{ close(n int) }

func (l logger) close(n int) { l.at[l.end] = n }

func (k DeferredNil) Kernel(it dsl.Item1) {
	var e ender
	switch k.Mode {
	case 0:
		e = logger{at: k.Out, end: 2}
	case 1:
		e = &logger{at: k.Out, end: 1}
	}
	k.Out[0] = 1
	defer e.close(k.Mode + 4)
	k.Out[3] = 2
}

// BitsFault calls the functions of package math/bits that divide, and that may panic. gc replaces
// calls of functions of math/bits by instructions.
type BitsFault struct {
	Mode    int
	X, Y, Z []uint64
}

func wideQuotient(hi, lo, y uint64) uint64 {
	q, _ := bits.Div64(hi, lo, y)
	return q
}

func (k BitsFault) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x, y := k.X[i], k.Y[i]
	switch k.Mode {
	case 0:
		k.Z[i] = wideQuotient(x, 5, y)
	case 1:
		q, r := bits.Div32(uint32(x), 7, uint32(y))
		k.Z[i] = uint64(q ^ r)
	case 2:
		k.Z[i] = bits.Rem64(x, 5, y)
	case 3:
		q, _ := bits.Div(uint(x), 5, uint(y))
		k.Z[i] = uint64(q) + uint64(bits.Rem32(uint32(x), 4, uint32(y)))
	}
}

// Strings uses operations on strings that are known at compile time.
type Strings struct{ Out []int }

const greeting = "h\u00e9llo \xff\u2192 \U0001F600!"

func weigh(s string, by int) (n int) {
	for i, r := range s {
		n = n*31 + i*by + int(r)
		if r == '!' {
			break
		}
	}
	for range s {
		n++
	}
	return n
}

func (k Strings) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	n := weigh(greeting, i) + weigh("plain", i)*7 + weigh("", i)
	b, r := []byte(greeting), []rune(greeting)
	b[i%len(b)] ^= 0x20
	r[0], r[i%len(r)] = r[i%len(r)], r[0]
	for _, c := range b {
		n = n*3 + int(c)
	}
	for _, c := range r {
		n = n*5 + int(c)
	}
	var into [8]byte
	n += copy(into[1:], "0123456789"[3:][:4])
	n += int(into[i%8])
	k.Out[i] = n
}

// Appends builds slices by append within a known capacity.
type Appends struct {
	In, Out []int
	Text    []byte
}

func evens(buf []int, in []int) []int {
	for _, n := range in {
		if n%2 == 0 {
			buf = append(buf, n)
		}
	}
	return buf
}

func (k Appends) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	in := k.In[i*8 : i*8+8]
	s := evens(make([]int, 0, 32), in)
	s = append(s, in[:3]...)
	s = append(s[:1], s...) // source and destination overlap
	s = append(s, s...)
	s = append(s, len(s), cap(s))
	var arr [16]int
	t := append(arr[:2:4], i, i+1)
	arr[1] = 5
	sum := 0
	for j, n := range s {
		sum = sum*3 + j*n
	}
	for _, n := range t {
		sum = sum*3 + n
	}
	sum += arr[2] - arr[3]
	out := k.Out[i*4 : i*4 : i*4+4]
	out = append(out, sum, len(s), len(t))
	k.Out[i*4+3] = len(out)
	text := append(make([]byte, 0, 12), "no. "...)
	text = append(text, byte('0'+i%10))
	copy(k.Text[i*5:], text)
}

// Iterators uses range loops over functions.
type Iterators struct{ In, Out []int }

func upTo(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; i < n; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

func filter[T any](seq iter.Seq[T], keep func(T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v := range seq {
			if keep(v) && !yield(v) {
				return
			}
		}
	}
}

func (k Iterators) Kernel(it dsl.Item1) {
	n := it.GlobalID()
	s := 0
outer:
	for i := range filter(upTo(n), func(i int) bool { return i%3 != 1 }) {
		for j, v := range slices.Backward(k.In) {
			switch {
			case v == 5:
				continue outer
			case v == 9:
				break outer
			}
			s += i*v + j
		}
	}
	for v := range slices.Values(k.In) {
		s = s*2 + v
	}
	k.Out[n] = s + found(k.In, n)
}

func found(in []int, n int) int {
	for i, v := range slices.All(in) {
		if v == n {
			return i
		}
	}
	return -1
}

// TypeSwitches has branches that depend on type parameters.
type TypeSwitches struct{ Out []int }

func size[T any](x T) int {
	switch v := any(x).(type) {
	case int32:
		return 4 + int(v)
	case int, uint:
		return 8
	case interface{ Len() int }:
		return v.Len()
	case fmt.Stringer:
		return len(v.String())
	default:
		panic(fmt.Sprintf("%T", x))
	}
}

type named struct{ n int }

func (named) String() string { return "named" }

func (k TypeSwitches) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = size(i) + size(int32(i))*10 + size(uint(1))*100 + size(sort.IntSlice(k.Out))*1000 + size(named{i})*100000
}

// ToArrays converts slices to arrays.
type ToArrays struct{ In, Out []int32 }

func (k ToArrays) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	var own [8]int32
	copy(own[:], k.In[i:])
	a := [4]int32(own[i%4:])
	own[i%8] = -1
	b := [2]int32(k.In[i:])
	p := (*[2]int32)(k.Out[i*2:])
	*p = [2]int32{a[0] + a[3]*10, b[1] + own[2]}
}

// Complexes has complex numbers as arguments.
type Complexes struct {
	In    []complex64
	By    complex128
	Pairs []struct {
		Z [2]complex64
		N int32
	}
	Out []complex128
}

func (k Complexes) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	z := complex128(k.In[i]) + k.By
	k.Pairs[i].Z[1] += k.In[i]
	k.Pairs[i].N = int32(real(z))
	k.Out[i] = z * complex128(k.Pairs[i].Z[0])
	k.In[i] = -k.In[i]
}

// SwapLoops swaps neighbouring elements of a private array, in loops that count up and down.
type SwapLoops struct{ In, Out []int32 }

func (k SwapLoops) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	var s [64]int32
	for j := range s {
		s[j] = k.In[(i+j)%len(k.In)]
	}
	for j := 63; j > 0; j-- {
		a, b := s[j], s[j-1]
		s[j], s[j-1] = max(a, b), min(a, b)
	}
	for n := range 20 {
		for j := n; j > 0 && s[j] < s[j-1]; j-- {
			s[j], s[j-1] = s[j-1], s[j]
		}
	}
	for j := range 63 {
		if s[j]%3 == 1 {
			s[j+1], s[j] = s[j], s[j+1]
		}
	}
	for j, v := range s {
		k.Out[i] = k.Out[i]*3 + v*int32(j)
	}
}
