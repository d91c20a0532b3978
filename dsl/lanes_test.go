//go:build !race

package dsl_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/dslhook"
)

// A scratch that its owner drops takes its coroutines with it.
func TestScratchReleasesLanes(t *testing.T) {
	// The lanes of earlier tests must be gone, or they would go while we count.
	before := runtime.NumGoroutine()
	for quiet := 0; quiet < 20; quiet++ {
		runtime.GC()
		time.Sleep(time.Millisecond)
		if n := runtime.NumGoroutine(); n < before {
			before, quiet = n, 0
		}
	}
	func() {
		var s dslhook.Scratch
		k := treeSum{make([]int, 256), make([]int, 1)}
		dslhook.RunGroup(k.Kernel, ndLaunch([]int{256}, []int{256}), 0, &s)
		if n := runtime.NumGoroutine(); n < before+256 {
			t.Errorf("%d goroutines while 256 lanes are kept", n)
		}
	}()
	deadline := time.Now().Add(10 * time.Second)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}
