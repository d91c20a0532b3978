// Package helper has functions for kernels of another package, some of which
// cannot run on a device. It has no kernels, so nothing is wrong with it.
package helper

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

func Double(x int) int { return 2 * x }

func Counts(xs []int) int {
	m := map[int]int{}
	for _, x := range xs {
		m[x]++
	}
	return len(m)
}

func Deep(xs []int) int { return deeper(xs) + 1 }

func deeper(xs []int) int {
	c := make(chan int, 1)
	c <- len(xs)
	return <-c
}

func Factorial(n int) int {
	if n < 2 {
		return 1
	}
	return n * Factorial(n-1)
}

func Shout(s string) int { return len(strings.ToUpper(s)) }

// Sorted calls a standard function that calls itself, but not in kernels.
func Sorted(xs []int) { slices.SortFunc(xs, cmp.Compare[int]) }

// Name is all right for numbers.
func Name[T any](x T) int {
	switch x := any(x).(type) {
	case int:
		return x
	case []T:
		return len(fmt.Sprint(x))
	default:
		panic(fmt.Sprint("no number: ", x))
	}
}

func Appended[T any](x T) []T { return append([]T(nil), x) }

// Sized makes what its callers say, which may be constant.
func Sized[T any](n int) []T { return make([]T, n) }

type Stack struct{ n int }

func (s *Stack) Len() int { return s.n }

func (s *Stack) Print() { _ = fmt.Sprint(s.n) }

func Host() { defer recover(); go Host() }
