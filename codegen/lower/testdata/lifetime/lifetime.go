// Package lifetime holds kernels with pointers to the variables of loops. Those
// whose names begin with Old keep one of an earlier iteration, and are refused.
package lifetime

import "github.com/kgen-go/kgen/dsl"

type OldPointer struct{ Out []int32 }

func (k OldPointer) Kernel(it dsl.Item1) {
	var p *int32
	for j := range int32(5) {
		x := j * 10
		if j == int32(it.GlobalID()%5) {
			p = &x
		}
		x++
	}
	k.Out[it.GlobalID()] = *p
}

type OldField struct{ Out []int32 }

type holder struct{ p *int32 }

func (h *holder) set(p *int32) { h.p = p }

func (k OldField) Kernel(it dsl.Item1) {
	var h holder
	for j := range int32(3) {
		x := j
		if j == 1 {
			h.set(&x)
		}
	}
	k.Out[0] = *h.p
}

type OldSlice struct{ Out []int32 }

func (k OldSlice) Kernel(it dsl.Item1) {
	var last []int32
	for j := range int32(3) {
		a := [2]int32{j, j}
		if last != nil {
			k.Out[j] = last[1]
		}
		last = a[:]
	}
}

type Fresh struct{ Out []int32 }

func (k Fresh) Kernel(it dsl.Item1) {
	var y int32
	for j := range int32(4) {
		x := j
		var p *int32
		if j%2 == 0 {
			p = &x
		}
		if p != nil {
			*p += 3
		}
		var h holder
		if j > 1 {
			h.set(&x)
		}
		if h.p != nil {
			*h.p += x
		}
		add := func(n int32) { x += n }
		add(2)
		y += x
	}
	k.Out[0] = y
}

type FoundLast struct{ Out []int32 }

func (k FoundLast) Kernel(it dsl.Item1) {
	for i := range 3 {
		var p *int32
		for j := range int32(4) {
			x := j * 2
			if j == int32(it.GlobalID()) {
				p = &x
				break
			}
		}
		if p != nil {
			k.Out[i] = *p
		}
	}
}

type box struct{ p *[4]int32 }

func boxed() box {
	var a [4]int32
	return box{&a}
}

// OldInStruct keeps a struct with a pointer to a variable of its own.
type OldInStruct struct{ Out []int32 }

func (k OldInStruct) Kernel(it dsl.Item1) {
	var kept box
	for i := range k.Out {
		b := boxed()
		b.p[0] = int32(i) + 1
		if i == 0 {
			kept = b
		}
		k.Out[i] = kept.p[0]
	}
}

// OldInArray keeps an array with a slice of a variable of its own.
type OldInArray struct{ Out []int32 }

func (k OldInArray) Kernel(it dsl.Item1) {
	var kept [1][]int32
	for i := range k.Out {
		var a [4]int32
		a[0] = int32(i) + 1
		b := [1][]int32{a[:]}
		if i == 0 {
			kept = b
		}
		k.Out[i] = kept[0][0]
	}
}

// UsesStruct has the struct anew in each iteration.
type UsesStruct struct{ Out []int32 }

func (k UsesStruct) Kernel(it dsl.Item1) {
	for i := range k.Out {
		b := boxed()
		b.p[0] = int32(i) + 1
		c := b
		k.Out[i] = c.p[0]
	}
}

// OldBytes keeps the bytes of a string that an earlier iteration has made.
type OldBytes struct{ Out []int32 }

func (k OldBytes) Kernel(it dsl.Item1) {
	var last []byte
	for j := range int32(3) {
		b := []byte("abc")
		b[0] += byte(j)
		if last != nil {
			k.Out[j] = int32(last[0])
		}
		last = b
	}
}

// NewBytes has them changed within an iteration only.
type NewBytes struct{ Out []int32 }

func (k NewBytes) Kernel(it dsl.Item1) {
	for j := range int32(3) {
		b := []byte("abc")
		b[0] += byte(j)
		k.Out[j] = int32(b[0])
	}
}
