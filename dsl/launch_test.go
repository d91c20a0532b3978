package dsl_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/internal/dslhook"
)

// ndLaunch describes an nd-range launch of rank len(global).
func ndLaunch(global, local []int) *dslhook.Launch {
	l := &dslhook.Launch{Rank: len(global), SubGroupSize: 8}
	copy(l.Global[:], global)
	copy(l.Local[:], local)
	l.Panicked = func(id [3]int, v any) { panic(fmt.Sprintf("work-item %v: %v", id, v)) }
	return l
}

func groupCount(l *dslhook.Launch) int {
	n := 1
	for d := range l.Rank {
		n *= l.Global[d] / l.Local[d]
	}
	return n
}

// runND runs the groups of a launch on several goroutines.
func runND(kernel any, l *dslhook.Launch) {
	groups := make(chan int)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			var s dslhook.Scratch
			for g := range groups {
				dslhook.RunGroup(kernel, l, g, &s)
			}
		})
	}
	for g := range groupCount(l) {
		groups <- g
	}
	close(groups)
	wg.Wait()
}

func mustEqual[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

type fault struct {
	id [3]int
	v  any
}

// faults collects what a launch reports.
type faults struct {
	mu   sync.Mutex
	list []fault
}

func (f *faults) add(id [3]int, v any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, fault{id, v})
}
