package endless

import "slices"

// A Case is a kernel launch that either ends by itself or runs until it is cancelled.
type Case struct {
	Kernel        string
	Endless       bool
	Global, Local int
	Slices        [][]uint32 // slices of the kernel, in order
	N             int        // field N of the kernel
	Want          []uint32   // expected contents of the last slice at the end
}

// seeds() returns the slices of a value of type Seeds with n searches, and their expected iteration
// counts. Search i has i%7 iterations, or never ends if endless(i) is true.
func seeds(n int, endless func(i int) bool) (s [][]uint32, rounds []uint32) {
	s = [][]uint32{make([]uint32, n), make([]uint32, n), make([]uint32, n)}
	for i := range n {
		x := uint32(i + 1)
		s[0][i] = x
		for range i % 7 {
			x = next(x)
		}
		s[1][i] = x
		if endless(i) {
			s[1][i] = 0
		}
		rounds = append(rounds, uint32(i%7))
	}
	return s, rounds
}

// Cases returns launches of the kernels whose ranges have at most one dimension.
func Cases() []Case {
	const n, group = 40, 8
	var out []Case
	for _, who := range []struct {
		endless bool
		is      func(i int) bool
	}{{false, func(int) bool { return false }}, {true, func(int) bool { return true }}, {true, func(i int) bool { return i%4 == 0 }}} {
		s, rounds := seeds(n, who.is)
		out = append(out, Case{Kernel: "Search", Endless: who.endless, Global: n, Slices: s, Want: rounds},
			Case{Kernel: "Alone", Endless: who.endless, Global: 1, Slices: s, Want: make([]uint32, n)})
		var shifted []uint32
		for i := range rounds {
			shifted = append(shifted, rounds[i/group*group+(i+1)%group])
		}
		out = append(out, Case{Kernel: "Wait", Endless: who.endless, Global: n, Local: group, Slices: s, Want: shifted})
	}
	var values, left []uint32
	for i := range n {
		values = append(values, uint32(i))
		left = append(left, uint32(i))
		if i%group == group-1 || i/group == 1 {
			left[i] = Leaver
		}
	}
	return append(out, Case{Kernel: "Meet", Global: n, Local: group, N: 5, Slices: [][]uint32{values}, Want: meet(values, group, 5)},
		Case{Kernel: "Meet", Global: n, Local: group, N: 10000, Slices: [][]uint32{left}, Want: meet(left, group, 10000)},
		Case{Kernel: "Meet", Endless: true, Global: n, Local: group, N: -1, Slices: [][]uint32{values}})
}

// meet() computes the values that the kernel Meet leaves after the given number of iterations.
func meet(values []uint32, group, rounds int) []uint32 {
	out := slices.Clone(values)
	scratch := make([]uint32, len(out)) // the elements of work-items that do not take part stay zero
	for n := range rounds {
		for i, v := range out {
			if v < Leaver {
				scratch[i] = v + uint32(n)
			}
		}
		for i := range out {
			if values[i] < Leaver {
				out[i] = scratch[i/group*group+(i+1)%group]
			}
		}
	}
	return out
}
