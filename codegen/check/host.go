package check

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/load"
)

// hostPackages maps the path of a host package to a hint. The code of a host package can never run
// on a device. A call of a function in a host package has a single diagnostic, instead of many
// diagnostics for the code inside the package. An empty string in hostPackages stands for the usual
// hint.
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
	strconvHint = "convert it on the host and pass the result; AppendInt, AppendUint, AppendFloat and AppendBool write to bytes, " +
		"and Atoi, ParseInt, ParseUint and ParseFloat read them: strconv.Atoi(string(b))"
	randHint = "use a generator of the work-item's own: r := rand.NewPCG(seed, uint64(it.GlobalLinearID())), of math/rand/v2"
)

func hostOnly(pkg string) bool {
	_, ok := hostPackages[pkg]
	return ok && !someHosts[pkg]
}

// someHosts lists packages with some functions that run only on the host. Kernels may call the
// other functions of these packages.
var someHosts = map[string]bool{"encoding/binary": true, "errors": true, "iter": true, "math/rand": true, "math/rand/v2": true, "sort": true, "strconv": true, "strings": true}

// needsHost is called for a package with functions that are forbidden in kernels. needsHost reports
// whether the package's functions need files, clocks, goroutines, reflection or state of the
// program, which devices do not have. If a package's functions need only a heap, needsHost returns
// false, because kgen might support these functions in the future.
func needsHost(pkg string) bool {
	if yet, ok := notYet[pkg]; ok {
		return !yet
	}
	first, _, _ := strings.Cut(pkg, "/")
	return !notYet[first]
}

// notYet maps a package to true if kernels could in principle call the package's functions. A key
// of notYet is a package path or the first element of package paths. The entry for a whole path has
// priority over the entry for the path's first element.
var notYet = map[string]bool{
	"bytes": true, "compress": true, "container": true, "crypto": true, "encoding": true, "hash": true, "html": true, "image": true,
	"index": true, "maps": true, "math": true, "path": true, "regexp": true, "slices": true, "strconv": true, "strings": true, "text": true,
	"unicode": true,

	"crypto/fips140": false, "crypto/rand": false, "crypto/subtle": false, "crypto/tls": false, "crypto/x509": false,
	"encoding/binary": false, "encoding/gob": false, "encoding/json": false, "encoding/xml": false, "hash/maphash": false,
	"html/template": false, "math/rand": false, "math/rand/v2": false, "path/filepath": false, "text/template": false,
}

// hostFunc reports whether function o of package pkg is forbidden in kernels, although other
// functions of the package are allowed. hostFunc returns true if the function makes strings, needs
// the host, or is not supported yet. For example, a function needs the host if it uses reflection,
// a reader, a writer, or the random generator that all goroutines share.
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
	case "crypto/sha3":
		return token.IsExported(name) && !slices.Contains([]string{"Sum224", "Sum256", "Sum384", "Sum512"}, name)
	case "crypto/subtle":
		return name == "WithDataIndependentTiming"
	case "strconv":
		return !method && token.IsExported(name) && !slices.Contains(strconvFuncs, name)
	case "strings":
		if recv := o.Signature.Recv(); recv != nil {
			of := load.TypeName(recv.Type())
			return of == "Builder" || of == "Replacer"
		}
		return slices.Contains(makeStrings, name)
	}
	return false
}

// strconvFuncs lists the functions of package strconv that kernels can call.
var strconvFuncs = strings.Fields("AppendBool AppendFloat AppendInt AppendUint Atoi IsGraphic IsPrint ParseFloat ParseInt ParseUint")

// makeStrings lists the functions of package strings that allocate memory.
var makeStrings = strings.Fields(`
	Clone Fields FieldsFunc Join Map NewReplacer Repeat Replace ReplaceAll Split SplitAfter SplitAfterN SplitN
	Title ToLower ToLowerSpecial ToTitle ToTitleSpecial ToUpper ToUpperSpecial ToValidUTF8`)

func hostHint(pkg string) string {
	if h := hostPackages[pkg]; h != "" {
		return h
	}
	return "call it on the host and pass the result"
}

// isStd reports whether pkg is a package of the standard library, whose code kgen does not load.
// For sync/atomic, isStd returns false, because the functions of sync/atomic do not run only on the
// host.
func isStd(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return pkg != "sync/atomic" && slices.Contains(stdRoots, first)
}

// stdRoots are the first elements of the standard library's import paths. The list stdRoots is
// necessary because a path without a dot in the first element may also belong to another module
// than the standard library.
var stdRoots = strings.Fields(`
	archive bufio bytes cmd cmp compress container context crypto database debug embed encoding errors
	expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin
	reflect regexp runtime simd slices sort strconv strings structs sync syscall testing text time
	unicode unique unsafe vendor weak`)

const recursionHint = "write it as a loop, with an explicit stack of fixed size if it needs one"
