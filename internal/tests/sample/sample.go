// Package sample decides which part of a long test runs. With -short, as in "make test", a
// representative part runs. With -short, no part runs if another test finds the same mistakes.
// Without -short, as in "make deep" and in "go test" without flags, the complete test runs.
package sample

import (
	"hash/fnv"
	"testing"
)

// Of returns the number of cases that a test runs. With -short Of returns shortCount, and otherwise fullCount.
func Of(fullCount, shortCount int) int {
	if testing.Short() {
		return shortCount
	}
	return fullCount
}

// Deep skips the test if the flag -short is set. The command "make deep" runs the test. otherTests
// names tests that find the same mistakes and also run with -short.
func Deep(t testing.TB, otherTests string) {
	t.Helper()
	if testing.Short() {
		t.Skip(otherTests + ": without -short")
	}
}

// Has reports whether a test runs the case with the given name. Without -short, Has returns true. With -short, Has
// returns true for about one of n cases. The choice depends only on the name, so the sample does not change when cases
// are added.
func Has(name string, n int) bool {
	if !testing.Short() {
		return true
	}
	h := fnv.New32a()
	h.Write([]byte(name)) // never returns an error
	return h.Sum32()%uint32(n) == 0
}
