// Package sample says how much of a long test runs. With -short, as make test runs the tests, it is
// a part that stands for the rest, or nothing where another test finds the same mistakes. Without, as
// in make deep and plain go test, it is all.
package sample

import (
	"hash/fnv"
	"testing"
)

// Of returns how many cases a test runs: full, or with -short the other number.
func Of(full, short int) int {
	if testing.Short() {
		return short
	}
	return full
}

// Deep leaves the whole test to runs without -short, as make deep does. The text says which tests
// find such mistakes with -short.
func Deep(t testing.TB, instead string) {
	t.Helper()
	if testing.Short() {
		t.Skip(instead + ": without -short")
	}
}

// Has reports whether a test runs the case: any without -short, about one of n with it. Names alone
// decide, so the sample stays the same when cases are added.
func Has(name string, n int) bool {
	if !testing.Short() {
		return true
	}
	h := fnv.New32a()
	h.Write([]byte(name)) // which returns no error
	return h.Sum32()%uint32(n) == 0
}
