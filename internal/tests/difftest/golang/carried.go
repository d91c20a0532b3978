package golang

import "github.com/kgen-go/kgen/dsl"

// Again compares errors with the errors of the previous iteration.
type Again struct{ In, Out []int32 }

// Kernel keeps two.
func (k Again) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	var err, last error
	own := &syntaxError{int(x), "abc"}
	for j := range int32(5) {
		last = err
		if x&j == 1 {
			err = rangeError(j)
		} else if x&j == 2 {
			err = own
		}
		if last != nil && last == err {
			k.Out[i] += j
		}
		if s, ok := last.(*syntaxError); ok {
			s.at++
			k.Out[i] += int32(s.at) * 10
		}
	}
}

// Swapped has slice variables that are swapped in a loop.
type Swapped struct{ In, Out []int32 }

// Kernel reslices the swapped variables to shorter slices.
func (k Swapped) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	x := k.In[i]
	a, b := [3]int32{x, 1, 2}, [3]int32{4, 5, x}
	s, t := a[:], b[:2]
	for j := range int32(6) {
		s, t = t, s
		if x&j == 0 {
			s = s[:len(s)-1]
		}
		if len(s) == 0 {
			s = a[1:]
		}
		s[0] += j
		if x&j == 2 {
			t = append(s[:1], t[0])
		}
		if len(t) == 0 {
			t = k.In[i:]
			break
		}
	}
	for _, y := range s {
		k.Out[i] = k.Out[i]*3 + y
	}
	k.Out[i] += int32(cap(t)&3) + t[0]
}
