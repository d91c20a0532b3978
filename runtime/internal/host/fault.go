package host

import (
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// textPattern describes the text of a run-time error, with # in place of each number.
type textPattern struct {
	text string
	kind abi.FaultKind
	// swapsValues says that the first number in the text is the fault's value B, and the second
	// number is the value A.
	swapsValues bool
}

// textPatterns lists gc's texts (runtime/error.go, boundsErrorFmts), with # for a number. The texts with
// only one number are gc's texts for negative values.
var textPatterns = []textPattern{
	{"index out of range [#] with length #", abi.FaultIndex, false},
	{"index out of range [#]", abi.FaultIndex, false},
	{"slice bounds out of range [:#] with length #", abi.FaultSliceLen, false},
	{"slice bounds out of range [:#] with capacity #", abi.FaultSliceCap, false},
	{"slice bounds out of range [:#]", abi.FaultSliceCap, false},
	{"slice bounds out of range [#:#]", abi.FaultSliceOrder, false},
	{"slice bounds out of range [#:]", abi.FaultSliceOrder, false},
	{"slice bounds out of range [::#] with length #", abi.FaultSlice3Len, false},
	{"slice bounds out of range [::#] with capacity #", abi.FaultSlice3Cap, false},
	{"slice bounds out of range [::#]", abi.FaultSlice3Cap, false},
	{"slice bounds out of range [:#:#]", abi.FaultSlice3Max, false},
	{"slice bounds out of range [:#:]", abi.FaultSlice3Max, false},
	{"slice bounds out of range [#:#:]", abi.FaultSlice3Order, false},
	{"slice bounds out of range [#::]", abi.FaultSlice3Order, false},
	{"cannot convert slice with length # to array or pointer to array with length #", abi.FaultSliceToArray, true},
	{"integer divide by zero", abi.FaultDivide, false},
	{"negative shift amount", abi.FaultShift, false},
	{"invalid memory address or nil pointer dereference", abi.FaultNil, false},
}

// classifyPanic converts a recovered panic to a fault with its kind, values and message.
func classifyPanic(v any) hal.Fault {
	err, ok := v.(runtime.Error)
	if !ok {
		return hal.Fault{Set: true, Kind: abi.FaultPanic, Message: abi.PlainMessage(panicText(v))}
	}
	text := strings.TrimPrefix(err.Error(), "runtime error: ")
	shape, numbers, unsigned := takeNumbers(text)
	for _, p := range textPatterns {
		if p.text != shape {
			continue
		}
		if p.swapsValues {
			numbers[0], numbers[1] = numbers[1], numbers[0]
		}
		return hal.Fault{Set: true, Kind: p.kind, A: numbers[0], B: numbers[1], Unsigned: unsigned}
	}
	return hal.Fault{Set: true, Kind: abi.FaultPanic, Message: abi.PlainMessage(err.Error())}
}

// panicText returns the text that gc prints for a panic. panicText leaves out the addresses that gc
// prints for some values (printpanicval in runtime/panic.go, and printanycustomtype in
// runtime/error.go).
func panicText(v any) string {
	text := fmt.Sprint(v)
	switch v.(type) {
	case error, fmt.Stringer:
		return text
	}
	t := reflect.TypeOf(v)
	switch k := t.Kind(); {
	case k == reflect.String && t.PkgPath() != "":
		return t.String() + `("` + text + `")`
	case k == reflect.Complex64, k == reflect.Complex128:
		if t.PkgPath() != "" {
			return t.String() + text
		}
	case reflect.Bool <= k && k <= reflect.Float64:
		if t.PkgPath() != "" {
			return t.String() + "(" + text + ")"
		}
	case k != reflect.String:
		return "(" + t.String() + ")"
	}
	return text
}

// takeNumbers replaces the numbers in s by # and returns at most two of them. The result `unsigned`
// is true if a number is too large for an int64.
func takeNumbers(s string) (shaped string, numbers [2]int64, unsigned bool) {
	var shape strings.Builder
	n := 0
	for i := 0; i < len(s); {
		j := i
		if s[j] == '-' {
			j++
		}
		for j < len(s) && '0' <= s[j] && s[j] <= '9' {
			j++
		}
		v, err := strconv.ParseInt(s[i:j], 10, 64)
		if u, uerr := strconv.ParseUint(s[i:j], 10, 64); err != nil && uerr == nil {
			v, err, unsigned = int64(u), nil, true
		}
		if err != nil || n == len(numbers) {
			shape.WriteByte(s[i])
			i++
			continue
		}
		numbers[n] = v
		n++
		shape.WriteByte('#')
		i = j
	}
	return shape.String(), numbers, unsigned
}

// notKernel lists prefixes of packages whose frames are above the kernel's frames on the stack.
var notKernel = []string{"runtime.", "internal/", "sync/atomic.", "math.", "math/bits.", "github.com/kgen-go/kgen/dsl.", "github.com/kgen-go/kgen/dsl/"}

// panicPosition returns the source position where the work-item panicked. panicPosition must be
// called while the stack still contains the frames that panicked. Go's run-time positions have no
// columns, so the column comes from the kernel's sites, if a site is on the line.
func panicPosition(k *abi.Kernel, args []hal.SliceArg, fault *hal.Fault) string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs[:])])
	panicking := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic" || f.Function == "runtime.sigpanic":
			panicking = true
		case panicking && f.Function != "" && !hasAnyPrefix(f.Function, notKernel):
			return sitePosition(k, args, fault, f.File, f.Line)
		}
		if !more {
			return ""
		}
	}
}

func hasAnyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// sitePosition returns the position of the kernel's site on the given line, or file:line if
// there is none. sitePosition prefers sites with the fault's kind and limit.
func sitePosition(k *abi.Kernel, args []hal.SliceArg, f *hal.Fault, file string, line int) string {
	file = filepath.ToSlash(file)
	best, score := "", 0
	for i := range k.Sites {
		s := &k.Sites[i]
		name, l, ok := splitPos(s.Pos)
		if !ok || l != line || path.Base(name) != path.Base(file) {
			continue
		}
		n := 2
		if file == name || strings.HasSuffix(file, "/"+name) {
			n += 4
		}
		if s.Kind == f.Kind {
			n += 8
			if is, known := siteLimit(s, args); known && (f.Unsigned || f.A >= 0) { // Go's text for a negative value has no limit
				n--
				if is == f.B {
					n += 2
				}
			}
		}
		if n > score {
			best, score = s.Pos, n
		}
	}
	if best != "" {
		return best
	}
	return path.Base(file) + ":" + strconv.Itoa(line)
}

// siteLimit returns the value B of the site's faults, if that value is known.
func siteLimit(s *abi.Site, args []hal.SliceArg) (int64, bool) {
	if s.Limit >= 0 {
		return s.Limit, s.Limit > 0
	}
	for _, a := range args {
		if int64(a.Param) == -1-s.Limit {
			return int64(a.Len), true
		}
	}
	return 0, true // an empty slice has length 0
}

// splitPos splits file:line:col.
func splitPos(pos string) (file string, line int, ok bool) {
	i := strings.LastIndexByte(pos, ':')
	if i < 0 {
		return "", 0, false
	}
	j := strings.LastIndexByte(pos[:i], ':')
	if j < 0 {
		return "", 0, false
	}
	line, err := strconv.Atoi(pos[j+1 : i])
	return pos[:j], line, err == nil
}
