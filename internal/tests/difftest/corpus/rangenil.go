package corpus

import "github.com/kgen-go/kgen/dsl"

// RangeNil ranges over nil pointers to arrays. If only the indices are used, the loop does not access the
// array.
type RangeNil struct {
	In  []int32
	Out []int32
}

type arrays struct {
	A [3]int32
	P *[5]int32
}

func (k RangeNil) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a := [4]int32{1, 2, 3, 4}
	var p *[4]int32
	var h *arrays
	full := arrays{}
	if k.In[i] > 2 {
		p, h = &a, &full
		full.P = &[5]int32{7}
	}
	n := int32(0)
	for j := range *p {
		n = n*3 + int32(j)
	}
	for j := range *p {
		n = n*3 + int32(j)
	}
	for range *p {
		n += 100
	}
	for j := range h.A {
		n = n*5 + int32(j)
	}
	for j := range *h.P {
		n = n*7 ^ int32(j)
	}
	for j := range *at(&n, p) {
		n += int32(j)
	}
	k.Out[i] = n
	if k.In[i] == 3 {
		p = nil
	}
	for j, _ := range p {
		n += int32(j)
	}
	k.Out[i] = n
	for _, x := range *p {
		n -= x
	}
	k.Out[i] = n
}

func at(n *int32, p *[4]int32) *[4]int32 {
	*n += 1000
	return p
}
