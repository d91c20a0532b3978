package lifetime

import "github.com/kgen-go/kgen/dsl"

// Loops over functions are lowered round by round: each round has variables of its own,
// until the loop runs again.

func next(x int32) int32   { return x + 1 }
func double(x int32) int32 { return x * 2 }

type OldRound struct{ Out []int32 }

func (k OldRound) Kernel(it dsl.Item1) {
	keep := func() int32 { return -1 }
	for i := range int32(4) {
		for _, g := range [...]func(int32) int32{next, double} {
			y := g(i)
			if i == 1 && y == 2 {
				keep = func() int32 { return y }
			}
		}
	}
	k.Out[0] = keep()
}

type OldWithinRound struct{ Out []int32 }

func (k OldWithinRound) Kernel(it dsl.Item1) {
	for _, g := range [...]func(int32) int32{next, double} {
		prev := func() int32 { return 7 }
		for i := range int32(4) {
			y := g(i)
			k.Out[i] += prev()
			prev = func() int32 { return y }
		}
	}
}

type OldRoundCalled struct{ Out []int32 }

func (k OldRoundCalled) Kernel(it dsl.Item1) {
	h := next
	for n := range int32(3) {
		for i, g := range [...]func(int32) int32{next, double, next} {
			y := g(n) + int32(i)
			k.Out[n] += h(y)
			if i == 1 {
				h = func(x int32) int32 { return x*10 + y }
			}
		}
	}
}

type OldRoundSet struct{ Out []int32 }

func (k OldRoundSet) Kernel(it dsl.Item1) {
	var h func(int32) int32
	show := func(x int32) { k.Out[x] = h(x) }
	set := func(f func(int32) int32) { h = f }
	set(next)
	for n := range int32(3) {
		for i, g := range [...]func(int32) int32{next, double, next} {
			y := g(n) + int32(i)
			show(y)
			if k.Out[i] == 1 {
				set(func(x int32) int32 { return x*10 + y })
			}
		}
	}
}

type OldRoundPointers struct{ Out []int32 }

func (k OldRoundPointers) Kernel(it dsl.Item1) {
	var ps [3]*int32
	for n := range int32(3) {
		for i, g := range [...]func(int32) int32{next, double, next} {
			y := g(n) + int32(i)
			if n == 0 {
				ps[i] = &y
			}
			*ps[i] += y
			k.Out[i] += y
		}
	}
}

type OldRoundOfCall struct{ Out []int32 }

func (k OldRoundOfCall) Kernel(it dsl.Item1) {
	keep := next
	for n := range int32(3) {
		if f := k.round(n); n == 1 {
			keep = f
		}
	}
	k.Out[0] = keep(1)
}

func (k OldRoundOfCall) round(n int32) func(int32) int32 {
	for i, g := range [...]func(int32) int32{next, double} {
		y := g(n)
		if k.Out[i] > n {
			return func(x int32) int32 { return x + y }
		}
	}
	return double
}

type Rounds struct{ Out []int32 }

func (k Rounds) Kernel(it dsl.Item1) {
	for n := range int32(3) {
		h := next
		show := func() { k.Out[0] += h(n) }
		for i, g := range [...]func(int32) int32{next, double, next} {
			y := g(n) + int32(i)
			show()
			if k.Out[i] == 1 {
				h = func(x int32) int32 { return x*10 + y }
			}
		}
		show()
		f := OldRoundOfCall(k).round(n)
		k.Out[n] += f(n)
	}
}
