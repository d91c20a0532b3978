package check

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/load"
)

// hostPackages are those whose code can have no meaning on a device, so that one
// diagnostic names the call rather than many what it does inside, each with what
// to write instead; "" is the usual advice.
var hostPackages = map[string]string{
	"fmt":       printHint,
	"log":       printHint,
	"sort":      "use slices.SortFunc, or sort.Sort",
	"sync":      "use sync/atomic, or work-group barriers",
	"math/rand": randHint, "math/rand/v2": randHint,
	"crypto/rand": randHint, "encoding/binary": "use the methods of binary.LittleEndian and binary.BigEndian",
	"iter":   "range over the function, or keep what comes next in a struct with a method that returns it",
	"errors": "return a bool, or a number that says what is wrong; panic(\"text\") reports a fault",
	"bufio":  "", "context": "", "io": "", "net": "", "os": "", "reflect": "",
	"runtime": "", "strconv": strconvHint, "strings": stringsHint, "syscall": "", "testing": "", "time": "", "unsafe": "",
}

const (
	printHint   = "fmt.Printf, Println, Print and println print from kernels, too; panic(\"text\") reports a fault"
	stringsHint = "keep bytes in a slice: b = append(b, text...); or call it on the host and pass the result"
	strconvHint = "convert it on the host and pass the result; AppendInt, AppendUint, AppendFloat and AppendBool write to bytes"
	randHint    = "use a generator of the work-item's own: r := rand.NewPCG(seed, uint64(it.GlobalLinearID())), of math/rand/v2"
)

func hostOnly(pkg string) bool {
	_, ok := hostPackages[pkg]
	return ok && !someHosts[pkg]
}

// someHosts are packages of which some functions are the host's.
var someHosts = map[string]bool{"encoding/binary": true, "errors": true, "iter": true, "math/rand": true, "math/rand/v2": true, "sort": true, "strconv": true, "strings": true}

// hostFunc reports whether a function of a package that is not the host's works
// on something that is: the generator that all goroutines share, reflection, readers
// and writers, or strings that are made.
func hostFunc(o *ssa.Function, pkg string) bool {
	name, method := o.Name(), o.Signature.Recv() != nil || o.Parent() != nil
	switch pkg {
	case "math/rand", "math/rand/v2":
		return !method && token.IsExported(name) && !strings.HasPrefix(name, "New")
	case "encoding/binary":
		return !method && slices.Contains([]string{"Append", "Decode", "Encode", "Read", "Size", "Write"}, name)
	case "errors":
		return !method && name != "New" && name != "Unwrap" && name != "Join" && name != "AsType"
	case "iter":
		return name == "Pull" || name == "Pull2"
	case "sort":
		return !method && strings.HasPrefix(name, "Slice")
	case "strconv":
		return !method && token.IsExported(name) && !slices.Contains([]string{"AppendBool", "AppendFloat", "AppendInt", "AppendUint", "IsGraphic", "IsPrint"}, name)
	case "strings":
		if recv := o.Signature.Recv(); recv != nil {
			of := load.TypeName(recv.Type())
			return of == "Builder" || of == "Replacer"
		}
		return slices.Contains(makeStrings, name)
	}
	return false
}

// makeStrings are the functions of package strings that allocate.
var makeStrings = strings.Fields(`
	Clone Fields FieldsFunc Join Map NewReplacer Repeat Replace ReplaceAll Split SplitAfter SplitAfterN SplitN
	Title ToLower ToLowerSpecial ToTitle ToTitleSpecial ToUpper ToUpperSpecial ToValidUTF8`)

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
	return pkg != "sync/atomic" && slices.Contains(stdRoots, first)
}

// stdRoots are the first elements of the standard library's import paths. A path
// without a dot may also be that of somebody's module.
var stdRoots = strings.Fields(`
	archive bufio bytes cmd cmp compress container context crypto database debug embed encoding errors
	expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin
	reflect regexp runtime simd slices sort strconv strings structs sync syscall testing text time
	unicode unique unsafe vendor weak`)

const recursionHint = "write it as a loop, with an explicit stack of fixed size if it needs one"
