package load

// This file lists functions of the standard library that only read the memory to which their
// arguments refer.

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/kgen-go/kgen/codegen/internal/gotypes"
)

// onlyReads reports whether fn only reads the memory to which its i-th argument leads. After fn has
// returned, only the results of fn may refer to the memory.
func onlyReads(fn *ssa.Function, i int) bool {
	if objectOf(fn) == nil {
		return false
	}
	path, name := PackageOf(fn), funcName(fn)
	if recv, method, ok := strings.Cut(name, "."); ok {
		return i > 0 && slices.Contains(methodsThatRead[path+"."+recv], method)
	}
	if !token.IsExported(name) || callsBack(fn) {
		return false
	}
	switch path {
	case "bytes", "hash/crc32", "hash/crc64", "math", "math/bits", "strings":
		return true
	case "errors":
		return name != "As" && name != "AsType"
	case "strconv":
		return !strings.HasPrefix(name, "Append")
	}
	return slices.ContainsFunc(readingFuncs[path], func(p string) bool { return strings.HasPrefix(name, p) })
}

// readingFuncs maps the path of a package to prefixes of function names. Functions of the package
// whose names have a listed prefix only read their arguments.
var readingFuncs = map[string][]string{
	"crypto/aes": {"NewCipher"}, "crypto/sha3": {"Sum"}, "crypto/subtle": {"ConstantTimeCompare"},
	"crypto/md5": {"Sum"}, "crypto/sha1": {"Sum"}, "crypto/sha256": {"Sum"}, "crypto/sha512": {"Sum"},
	"encoding/hex": {"EncodeToString", "Dump"},
	"fmt":          {"Print", "Sprint", "Fprint", "Errorf"},
	"hash/adler32": {"Checksum"},
	"log":          {"Print", "Fatal", "Panic"},
	"os":           {"WriteFile"},
	"slices": strings.Fields("All Backward BinarySearch Chunk Clone Collect Compare Concat Contains Equal Index IsSorted " +
		"Max Min Repeat Sorted Values"),
	"sync/atomic":  {"Load"},
	"unicode/utf8": {"Decode", "Full", "Rune", "Valid"},
}

// methodsThatRead lists methods that only read the memory to which their arguments point.
var methodsThatRead = map[string][]string{
	"bytes.Buffer":             {"Write"},
	"encoding/base32.Encoding": {"EncodeToString"},
	"encoding/base64.Encoding": {"EncodeToString"},
	"log.Logger":               {"Print", "Printf", "Println", "Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln"},
	"os.File":                  {"Write", "WriteAt"},
	"strings.Builder":          {"Write"},
}

// callsBack reports whether an argument or result of fn is a function whose parameters may contain
// pointers.
func callsBack(fn *ssa.Function) bool {
	var passes func(t types.Type, inner bool) bool
	passes = func(t types.Type, inner bool) bool {
		sig, ok := t.Underlying().(*types.Signature)
		if !ok {
			return inner && leadsToMemory(t)
		}
		for v := range sig.Params().Variables() {
			if passes(v.Type(), true) {
				return true
			}
		}
		return false
	}
	for _, vs := range []*types.Tuple{fn.Signature.Params(), fn.Signature.Results()} {
		for v := range vs.Variables() {
			if passes(v.Type(), false) {
				return true
			}
		}
	}
	return false
}

// followFormatted follows a value that is passed in an interface to a formatting function such as
// fmt.Print. followFormatted follows the value into the methods that return the value's text.
func (w *follower) followFormatted(at valueFlow, in ssa.CallInstruction, fn *ssa.Function) {
	switch PackageOf(fn) {
	case "fmt", "log", "errors":
	default:
		return
	}
	of := w.boxed
	if gotypes.HoldsInterface(w.g.Type(), nil) {
		of = slices.Concat(of, w.types)
	}
	var seen []types.Type
	for _, t := range of {
		w.followText(t, max(at.depth-1, 0), in, &seen) // the depth does not count the load from the slice of arguments
	}
}

// followText follows a value of type t into the formatting methods of t, of t's field types and of
// t's element type.
func (w *follower) followText(t types.Type, depth int, in ssa.CallInstruction, seen *[]types.Type) {
	if !leadsToMemory(t) || slices.ContainsFunc(*seen, func(u types.Type) bool { return types.Identical(t, u) }) {
		return
	}
	*seen = append(*seen, t)
	if types.IsInterface(t) {
		return // the value in an interface is followed separately
	}
	set := w.prog.MethodSets.MethodSet(t)
	for _, name := range []string{"String", "GoString", "Error", "Format", "Write", "Is", "Unwrap"} {
		sel := set.Lookup(nil, name)
		if sel == nil {
			continue
		}
		if fn := w.prog.MethodValue(sel); fn != nil && len(fn.Blocks) > 0 {
			w.followValue(fn.Params[0], depth)
		} else {
			w.recordEscape(in)
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		w.followText(u.Elem(), 0, in, seen)
	case *types.Slice:
		w.followText(u.Elem(), 0, in, seen)
	case *types.Array:
		w.followText(u.Elem(), 0, in, seen)
	case *types.Map:
		w.followText(u.Elem(), 0, in, seen)
	case *types.Struct:
		for f := range u.Fields() {
			w.followText(f.Type(), 0, in, seen)
		}
	}
}

// makesHash reports whether a function whose code is not loaded makes a hash. A hash only reads the
// bytes passed to its Write method, and does not keep them.
func makesHash(fn *ssa.Function) bool {
	switch PackageOf(fn) {
	case "crypto/md5", "crypto/sha1", "crypto/sha256", "crypto/sha512", "hash/adler32", "hash/crc32", "hash/crc64", "hash/fnv":
		return strings.HasPrefix(funcName(fn), "New")
	}
	return false
}
