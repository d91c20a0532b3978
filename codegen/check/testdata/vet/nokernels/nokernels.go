// Package nokernels has no kernels, though one type looks like one.
package nokernels

type Item1 struct{}

type Popcorn struct{}

func (Popcorn) Kernel(Item1) {
	m := map[int]int{}
	go func() { m[1] = 2 }()
}
