//go:build race

package host

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/dslhook"
)

// raceKernels are kernels with a data race between the two lines that say so, and
// some without.
var raceKernels = map[string]func(x []int){
	"range": func(x []int) {
		launchItems(9, func(it dsl.Item1) {
			i := it.GlobalID()
			x[i] = i        // first
			x[(i+1)%9] = -i // second
		})
	},
	"groups": func(x []int) {
		launchGroups(8, 4, func(it dsl.NDItem1) {
			if it.LocalID() == 0 {
				x[0] += it.GroupID() // first second
			}
		})
	},
	"neighbours": func(x []int) {
		launchGroups(8, 8, func(it dsl.NDItem1) {
			tile := dsl.Local[[8]int](it)
			l := it.LocalID()
			tile[l] = l          // first
			x[l] = tile[(l+1)%8] // second
		})
	},
	"too late": func(x []int) {
		launchGroups(8, 8, func(it dsl.NDItem1) {
			tile := dsl.Local[[8]int](it)
			l := it.LocalID()
			for r := range 3 {
				tile[l] = l + r // first
				it.Barrier()
				x[l] += tile[(l+1)%8] // second
			}
		})
	},
	"sub-group barrier": func(x []int) {
		launchGroups(8, 8, func(it dsl.NDItem1) {
			tile := dsl.Local[[8]int](it)
			l := it.LocalID()
			tile[l] = l // first
			it.SubGroup().Barrier()
			x[l] = tile[l^4] // second
		})
	},
	"reduction too late": func(x []int) {
		launchGroups(8, 8, func(it dsl.NDItem1) {
			l := it.LocalID()
			sum := dsl.ReduceOverGroup(it.Group(), l, dsl.Plus)
			x[l] = sum   // first
			x[l^1] = sum // second
		})
	},
	"clean": func(x []int) {
		var total int
		launchGroups(32, 8, func(it dsl.NDItem1) {
			tile := dsl.Local[[8]int](it)
			l, i := it.LocalID(), it.GlobalID()
			for r := range 3 {
				tile[l] = l + r
				it.Barrier()
				x[i] += tile[(l+1)%8]
				it.Barrier()
			}
			tile[l] = i
			it.SubGroup().Barrier()
			x[i] += tile[l^1]
			s := dsl.InclusiveScanOverGroup(it.SubGroup(), dsl.ReduceOverGroup(it.Group(), i, dsl.Plus), dsl.Maximum)
			x[i] += dsl.ShiftGroupLeft(it.SubGroup(), s, 1) + dsl.GroupBroadcast(it.Group(), s, l)
			dsl.AtomicAdd(&total, x[i])
			if dsl.AnyOfGroup(it.Group(), l == 3) && l == 5 {
				return
			}
			x[i] = dsl.ExclusiveScanOverGroup(it.Group(), x[i], dsl.Plus)
		})
		launchItems(32, func(it dsl.Item1) { x[it.GlobalID()]++ })
	},
}

func launchItems(n int, kernel func(dsl.Item1)) {
	l := &dslhook.Launch{Rank: 1, Global: [3]int{n}, Panicked: func([3]int, any) {}}
	runParallel(n, 8, newStopper(nil), func() (func(lo, hi int), func()) {
		return func(lo, hi int) { dslhook.RunItems(kernel, l, lo, hi) }, func() {}
	})
}

func launchGroups(n, local int, kernel func(dsl.NDItem1)) {
	l := &dslhook.Launch{Rank: 1, Global: [3]int{n}, Local: [3]int{local}, SubGroupSize: 4, Panicked: func([3]int, any) {}}
	runParallel(n/local, 8, newStopper(nil), func() (func(lo, hi int), func()) {
		s := new(dslhook.Scratch)
		return func(lo, hi int) {
			for g := lo; g < hi; g++ {
				dslhook.RunGroup(kernel, l, g, s)
			}
		}, func() {}
	})
}

// TestRaces: a data race between work-items is a report with both lines. Reports
// fail the process, so that each kernel runs in one of its own.
func TestRaces(t *testing.T) {
	if name, ok := os.LookupEnv("KGEN_TEST_RACE"); ok {
		raceKernels[name](make([]int, 64))
		return
	}
	source, err := os.ReadFile("race_test.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(source), "\n")
	for name := range raceKernels {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestRaces$")
			cmd.Env = append(os.Environ(), "KGEN_TEST_RACE="+name)
			out, err := cmd.CombinedOutput()
			if name == "clean" {
				if err != nil {
					t.Errorf("%v\n%s", err, out)
				}
				return
			}
			if err == nil || !strings.Contains(string(out), "WARNING: DATA RACE") {
				t.Fatalf("no report: %v\n%s", err, out)
			}
			for _, mark := range []string{"first", "second"} {
				if !reported(lines, string(out), name, mark) {
					t.Errorf("the line marked %s is not in the report:\n%s", mark, out)
				}
			}
		})
	}
}

// reported says whether the report names the line of the kernel that has the mark.
func reported(lines []string, out, name, mark string) bool {
	in := false
	for i, line := range lines {
		if strings.Contains(line, strconv.Quote(name)+": func") {
			in = true
		}
		if in && regexp.MustCompile(`// .*\b`+mark+`\b`).MatchString(line) {
			return strings.Contains(out, "race_test.go:"+strconv.Itoa(i+1)+" ")
		}
	}
	return false
}
