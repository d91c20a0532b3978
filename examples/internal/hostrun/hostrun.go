// Package hostrun runs kernels as plain Go, without a device and without
// generated code, for tests of the kernels themselves.
package hostrun

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	_ "github.com/kgen-go/kgen/dsl" // sets the hooks that run kernels
	"github.com/kgen-go/kgen/internal/dslhook"
)

// Range calls the Kernel method of a kernel for each work-item of a range.
func Range(t testing.TB, kernel any, global ...int) {
	t.Helper()
	l, n := launch(t, global)
	parallel(n, 1024, func(lo, hi int) { dslhook.RunItems(kernel, l, lo, hi) })
}

// NDRange runs the Kernel method of an nd-range kernel. The first half of sizes is the global
// range, and the second half is the work-group size. The global range is rounded up.
func NDRange(t testing.TB, kernel any, sizes ...int) {
	t.Helper()
	global, local := sizes[:len(sizes)/2], sizes[len(sizes)/2:]
	groups := 1
	for d, n := range local {
		global[d] = (global[d] + n - 1) / n * n
		groups *= global[d] / n
	}
	l, _ := launch(t, global)
	copy(l.Local[:], local)
	parallel(groups, 1, func(lo, hi int) {
		var s dslhook.Scratch
		for g := lo; g < hi; g++ {
			dslhook.RunGroup(kernel, l, g, &s)
		}
	})
}

func launch(t testing.TB, global []int) (l *dslhook.Launch, items int) {
	l = &dslhook.Launch{Rank: len(global), SubGroupSize: 32}
	copy(l.Global[:], global)
	l.Panicked = func(id [3]int, v any) { t.Errorf("work-item %v: %v", fmt.Sprint(id[:len(global)]), v) }
	items = 1
	for _, n := range global {
		items *= n
	}
	return l, items
}

// parallel() divides the numbers from 0 to n-1 among goroutines, each of which gets at least grain numbers.
func parallel(n, grain int, f func(lo, hi int)) {
	size := max(grain, (n+4*runtime.GOMAXPROCS(0)-1)/(4*runtime.GOMAXPROCS(0)))
	var wg sync.WaitGroup
	for lo := 0; lo < n; lo += size {
		wg.Go(func() { f(lo, min(lo+size, n)) })
	}
	wg.Wait()
}
