package check

import "strings"

// hostPackages are those whose code can have no meaning on a device, so that one
// diagnostic names the call rather than many what it does inside, each with what
// to write instead; "" is the usual advice.
var hostPackages = map[string]string{
	"fmt":         printHint,
	"log":         printHint,
	"sort":        "use package slices' generic functions",
	"sync":        "use sync/atomic, or work-group barriers",
	"math/rand":   randHint,
	"crypto/rand": randHint,
	"bufio":       "", "context": "", "errors": "", "io": "", "net": "", "os": "", "reflect": "",
	"runtime": "", "strconv": "", "strings": "", "syscall": "", "testing": "", "time": "", "unsafe": "",
}

const (
	printHint = "write results to a slice and print them on the host; panic(\"text\") reports a fault"
	randHint  = "use a generator by value, seeded by the work-item's id"
)

func hostOnly(pkg string) bool {
	_, ok := hostPackages[pkg]
	return ok
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
