package check

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// hostPackages are those whose code can have no meaning on a device, so that one
// diagnostic names the call rather than many what it does inside, each with what
// to write instead; "" is the usual advice.
var hostPackages = map[string]string{
	"fmt":       printHint,
	"log":       printHint,
	"sort":      "sort on the host, or write a loop: insertion sort for a few elements, bitonic sort for a work-group",
	"sync":      "use sync/atomic, or work-group barriers",
	"math/rand": randHint, "math/rand/v2": randHint,
	"crypto/rand": randHint,
	"bufio":       "", "context": "", "errors": "", "io": "", "net": "", "os": "", "reflect": "",
	"runtime": "", "strconv": "", "strings": "", "syscall": "", "testing": "", "time": "", "unsafe": "",
}

const (
	printHint = "write results to a slice and print them on the host; panic(\"text\") reports a fault"
	randHint  = "use a generator of the work-item's own: r := rand.NewPCG(seed, uint64(it.GlobalLinearID())), of math/rand/v2"
)

func hostOnly(pkg string) bool {
	_, ok := hostPackages[pkg]
	return ok && pkg != "math/rand/v2"
}

// hostFunc reports whether a function of a package that is not the host's works
// on something that is: the generator that all goroutines share.
func hostFunc(pkg, name string, method bool) bool {
	return pkg == "math/rand/v2" && !method && token.IsExported(name) && !strings.HasPrefix(name, "New")
}

func hostHint(pkg string) string {
	if h := hostPackages[pkg]; h != "" {
		return h
	}
	return "call it on the host and pass the result"
}

// isStd reports whether a package whose code was not loaded is one of the
// standard library's that are about the host. What sync/atomic has and devices
// lack is no matter of the host.
func isStd(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return pkg != "" && pkg != "sync/atomic" && !strings.Contains(first, ".")
}

// withoutStack reports whether package lower knows what to call where a function of
// the standard library calls itself.
func withoutStack(fn *ssa.Function) bool {
	switch origin(fn).RelString(nil) {
	case "slices.pdqsortOrdered":
		if len(fn.TypeArgs()) == 0 { // the analyzers see it as it is declared
			return true
		}
		b, ok := fn.TypeArgs()[0].Underlying().(*types.Basic)
		return ok && b.Info()&types.IsInteger != 0
	case "slices.symMergeCmpFunc":
		return true
	}
	return false
}

func recursionHint(fn *ssa.Function) string {
	if pkgPath(fn) == "slices" {
		return "use slices.SortStableFunc, or slices.Sort of integers; floats may be sorted by their bits"
	}
	return "write it as a loop, with an explicit stack of fixed size if it needs one"
}
