package codegen

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// rowsOf makes rows of one code for several functions of a package.
func rowsOf(code, format string, names ...string) map[string]snippet {
	rows := map[string]snippet{}
	for _, n := range names {
		rows[n] = no(code, strings.ReplaceAll(format, "$", n))
	}
	return rows
}

func join(all ...map[string]snippet) map[string]snippet {
	rows := map[string]snippet{}
	for _, m := range all {
		maps.Copy(rows, m)
	}
	return rows
}

const sortable = "type by []int32\nfunc (b by) Len() int { return len(b) }\nfunc (b by) Less(i, j int) bool { return b[i] < b[j] }\nfunc (b by) Swap(i, j int) { b[i], b[j] = b[j], b[i] }"

// library has a kernel for each function and method that the packages export which
// kernels are promised. Those that have numbers for parameters and results, and no
// row here, are called with some.
var library = map[string]map[string]snippet{
	"math": {}, "math/bits": {}, "math/cmplx": {},
	"cmp": {
		"Compare": yes("k.Out[i] = int32(cmp.Compare(k.F[i], k.F[0]))"),
		"Less":    yes("k.B[i] = cmp.Less(k.F[i], k.F[0])"),
		"Or":      yes("k.Out[i] = cmp.Or(k.X[i], k.X[0], 3)"),
	},
	"slices": join(map[string]snippet{
		"All":              yes("for j, x := range slices.All(k.X) { k.Out[j] = x }"),
		"AppendSeq":        yes("s := slices.AppendSeq(k.Out[:1], slices.Values(k.X)); k.Out[i] = s[0]"),
		"Backward":         yes("for j, x := range slices.Backward(k.X) { k.Out[j] = x }"),
		"BinarySearch":     yes("n, ok := slices.BinarySearch(k.F, 3); k.Out[i] = int32(n); k.B[i] = ok"),
		"BinarySearchFunc": yes("n, _ := slices.BinarySearchFunc(k.F, k.X[i], func(f float32, x int32) int { return int(int32(f) - x) }); k.Out[i] = int32(n)"),
		"Chunk":            yes("for s := range slices.Chunk(k.X, 3) { k.Out[i] += s[0] }"),
		"Clip":             yes("k.Out[i] = int32(cap(slices.Clip(k.X[:3])))"),
		"Compact":          yes("k.Out[i] = int32(len(slices.Compact(k.X)))"),
		"CompactFunc":      yes("k.Out[i] = int32(len(slices.CompactFunc(k.X, func(a, b int32) bool { return a/2 == b/2 })))"),
		"Compare":          yes("k.Out[i] = int32(slices.Compare(k.X, k.Out))"),
		"CompareFunc":      yes("k.Out[i] = int32(slices.CompareFunc(k.X, k.F, func(a int32, b float32) int { return int(a) - int(b) }))"),
		"Contains":         yes("k.B[i] = slices.Contains(k.X, 3)"),
		"ContainsFunc":     yes("k.B[i] = slices.ContainsFunc(k.X, func(x int32) bool { return x > 3 })"),
		"Delete":           yes("k.Out[i] = int32(len(slices.Delete(k.X, 1, 3)))"),
		"DeleteFunc":       yes("k.Out[i] = int32(len(slices.DeleteFunc(k.X, func(x int32) bool { return x > 3 })))"),
		"Equal":            yes("k.B[i] = slices.Equal(k.X, k.Out)"),
		"EqualFunc":        yes("k.B[i] = slices.EqualFunc(k.X, k.F, func(a int32, b float32) bool { return float32(a) == b })"),
		"Grow":             yes("s := slices.Grow(k.X[:2], 2); k.Out[i] = int32(cap(s))"),
		"Index":            yes("k.Out[i] = int32(slices.Index(k.X, 3))"),
		"IndexFunc":        yes("k.Out[i] = int32(slices.IndexFunc(k.X, func(x int32) bool { return x > 3 }))"),
		"Insert":           yes("k.Out[i] = int32(len(slices.Insert(k.X[:2], 1, 7, 8)))"),
		"IsSorted":         yes("k.B[i] = slices.IsSorted(k.F)"),
		"IsSortedFunc":     yes("k.B[i] = slices.IsSortedFunc(k.F, cmp.Compare[float32])"),
		"Max":              yes("k.F[i] = slices.Max(k.F)"),
		"MaxFunc":          yes("k.F[i] = slices.MaxFunc(k.F, cmp.Compare[float32])"),
		"Min":              yes("k.F[i] = slices.Min(k.F)"),
		"MinFunc":          yes("k.F[i] = slices.MinFunc(k.F, cmp.Compare[float32])"),
		"Replace":          yes("k.Out[i] = int32(len(slices.Replace(k.X[:4], 1, 2, 7, 8)))"),
		"Reverse":          yes("slices.Reverse(k.F)"),
		"Sort":             yes("slices.Sort(k.F)"),
		"SortFunc":         yes("slices.SortFunc(k.F, cmp.Compare[float32])"),
		"SortStableFunc":   yes("slices.SortStableFunc(k.F, cmp.Compare[float32])"),
		"Values":           yes("for x := range slices.Values(k.X) { k.Out[i] += x }"),
		"Concat":           no("KG204", "s := slices.Concat(k.X, k.Out); k.Out[i] = s[0]"),
		"Repeat":           no("KG204", "s := slices.Repeat(k.X, 2); k.Out[i] = s[0]"),
		"SortedFunc":       no("KG204", "s := slices.SortedFunc(slices.Values(k.X), cmp.Compare[int32]); k.Out[i] = s[0]"),
		"SortedStableFunc": no("KG204", "s := slices.SortedStableFunc(slices.Values(k.X), cmp.Compare[int32]); k.Out[i] = s[0]"),
	},
		rowsOf("KG204", "s := slices.$(k.X); k.Out[i] = s[0]", "Clone"),
		rowsOf("KG204", "s := slices.$(slices.Values(k.X)); k.Out[i] = s[0]", "Collect", "Sorted")),
	"sort": join(map[string]snippet{
		"Find":                yes("n, ok := sort.Find(9, func(j int) int { return j - i }); k.Out[i] = int32(n); k.B[i] = ok"),
		"Float64s":            yes("sort.Float64s(k.D)"),
		"Float64sAreSorted":   yes("k.B[i] = sort.Float64sAreSorted(k.D)"),
		"Float64Slice.Len":    yes("k.Out[i] = int32(sort.Float64Slice(k.D).Len())"),
		"Float64Slice.Less":   yes("k.B[i] = sort.Float64Slice(k.D).Less(i, 0)"),
		"Float64Slice.Search": yes("k.Out[i] = int32(sort.Float64Slice(k.D).Search(1))"),
		"Float64Slice.Sort":   yes("sort.Float64Slice(k.D).Sort()"),
		"Float64Slice.Swap":   yes("sort.Float64Slice(k.D).Swap(i, 0)"),
		"Ints":                yes("var a [9]int; sort.Ints(a[:])"),
		"IntsAreSorted":       yes("var a [9]int; k.B[i] = sort.IntsAreSorted(a[:])"),
		"IntSlice.Len":        yes("var a [9]int; k.Out[i] = int32(sort.IntSlice(a[:]).Len())"),
		"IntSlice.Less":       yes("var a [9]int; k.B[i] = sort.IntSlice(a[:]).Less(i, 0)"),
		"IntSlice.Search":     yes("var a [9]int; k.Out[i] = int32(sort.IntSlice(a[:]).Search(1))"),
		"IntSlice.Sort":       yes("var a [9]int; sort.IntSlice(a[:]).Sort()"),
		"IntSlice.Swap":       yes("var a [9]int; sort.IntSlice(a[:]).Swap(i, 0)"),
		"IsSorted":            yes("k.B[i] = sort.IsSorted(by(k.X))", sortable),
		"Reverse":             yes("sort.Sort(sort.Reverse(by(k.X)))", sortable),
		"Search":              yes("k.Out[i] = int32(sort.Search(9, func(j int) bool { return k.X[j] > 3 }))"),
		"SearchFloat64s":      yes("k.Out[i] = int32(sort.SearchFloat64s(k.D, 2))"),
		"SearchInts":          yes("var a [9]int; k.Out[i] = int32(sort.SearchInts(a[:], 2))"),
		"Sort":                yes("sort.Sort(by(k.X))", sortable),
		"Stable":              yes("sort.Stable(by(k.X))", sortable),
	},
		rowsOf("KG304", "sort.$(k.X, func(a, b int) bool { return a < b })", "Slice", "SliceStable", "SliceIsSorted"),
		rowsOf("KG201", "sort.$([]string{\"a\", \"b\"})", "Strings"),
		rowsOf("KG201", "s := sort.StringSlice{\"a\", \"b\"}; s.Sort(); s.Swap(1, 0)", "StringSlice.Sort", "StringSlice.Swap"),
		map[string]snippet{
			"SearchStrings":      yes("k.Out[i] = int32(sort.SearchStrings([]string{\"a\", \"b\"}, \"abc\"[:i%3]))"),
			"StringsAreSorted":   yes("k.B[i] = sort.StringsAreSorted([]string{\"a\", \"b\"})"),
			"StringSlice.Len":    yes("s := sort.StringSlice{\"a\", \"b\"}; k.Out[i] = int32(s.Len())"),
			"StringSlice.Less":   yes("s := sort.StringSlice{\"a\", \"b\"}; k.B[i] = s.Less(i%2, 1)"),
			"StringSlice.Search": yes("s := sort.StringSlice{\"a\", \"b\"}; k.Out[i] = int32(s.Search(\"b\"))"),
		}),
	"unicode/utf16": {
		"AppendRune":  yes("b := utf16.AppendRune(make([]uint16, 0, 2), k.X[i]); k.Out[i] = int32(b[0])"),
		"Decode":      yes("k.Out[i] = utf16.Decode([]uint16{1, 2})[0]"),
		"DecodeRune":  yes("k.Out[i] = utf16.DecodeRune(k.X[i], k.X[0])"),
		"Encode":      no("KG204", "k.Out[i] = int32(utf16.Encode(k.X)[0])"),
		"EncodeRune":  yes("a, b := utf16.EncodeRune(k.X[i]); k.Out[i] = a ^ b"),
		"IsSurrogate": yes("k.B[i] = utf16.IsSurrogate(k.X[i])"),
		"RuneLen":     yes("k.Out[i] = int32(utf16.RuneLen(k.X[i]))"),
	},
	"hash/adler32": {
		"Checksum": yes("k.Out[i] = int32(adler32.Checksum([]byte(\"abc\")[i%3:]))"),
		"New":      yes("h := adler32.New(); h.Write([]byte(\"abc\")); b := h.Sum(make([]byte, 0, 4)); k.Out[i] = int32(b[0]) + int32(h.Sum32())"),
	},
	"unicode/utf8": {
		"AppendRune":             yes("b := utf8.AppendRune(make([]byte, 0, 4), k.X[i]); k.Out[i] = int32(b[0])"),
		"DecodeLastRune":         yes("r, n := utf8.DecodeLastRune([]byte(\"abc\")[:i]); k.Out[i] = r + int32(n)"),
		"DecodeLastRuneInString": yes("r, n := utf8.DecodeLastRuneInString(\"ab\\u00e9\"); k.Out[i] = r + int32(n)"),
		"DecodeRune":             yes("r, n := utf8.DecodeRune([]byte(\"abc\")[i:]); k.Out[i] = r + int32(n)"),
		"DecodeRuneInString":     yes("r, n := utf8.DecodeRuneInString(\"\\u00e9b\"); k.Out[i] = r + int32(n)"),
		"EncodeRune":             yes("b := make([]byte, 4); k.Out[i] = int32(utf8.EncodeRune(b, k.X[i]))"),
		"FullRune":               yes("k.B[i] = utf8.FullRune([]byte(\"abc\")[i:])"),
		"FullRuneInString":       yes("k.B[i] = utf8.FullRuneInString(\"\\u00e9\")"),
		"RuneCount":              yes("k.Out[i] = int32(utf8.RuneCount([]byte(\"abc\")[i:]))"),
		"RuneCountInString":      yes("k.Out[i] = int32(utf8.RuneCountInString(\"\\u00e9b\"))"),
		"RuneLen":                yes("k.Out[i] = int32(utf8.RuneLen(k.X[i]))"),
		"RuneStart":              yes("k.B[i] = utf8.RuneStart(byte(k.X[i]))"),
		"Valid":                  yes("k.B[i] = utf8.Valid([]byte(\"abc\")[i:])"),
		"ValidRune":              yes("k.B[i] = utf8.ValidRune(k.X[i])"),
		"ValidString":            yes("k.B[i] = utf8.ValidString(\"\\u00e9b\")"),
	},
	"encoding/binary": join(orders("BigEndian"), orders("LittleEndian"), orders("NativeEndian"), map[string]snippet{
		"AppendUvarint": yes("b := binary.AppendUvarint(make([]byte, 0, 10), k.U[i]); k.Out[i] = int32(len(b))"),
		"AppendVarint":  yes("b := binary.AppendVarint(make([]byte, 0, 10), k.L[i]); k.Out[i] = int32(len(b))"),
		"PutUvarint":    yes("var b [10]byte; k.Out[i] = int32(binary.PutUvarint(b[:], k.U[i]))"),
		"PutVarint":     yes("var b [10]byte; k.Out[i] = int32(binary.PutVarint(b[:], k.L[i]))"),
		"Uvarint":       yes("b := [10]byte{1}; k.U[i], _ = binary.Uvarint(b[i:])"),
		"Varint":        yes("b := [10]byte{1}; k.L[i], _ = binary.Varint(b[i:])"),
		"Append":        no("KG304", "b, _ := binary.Append(nil, binary.LittleEndian, k.X); k.Out[i] = int32(b[0])"),
		"Decode":        no("KG304", "_, _ = binary.Decode([]byte(\"abc\"), binary.LittleEndian, k.X)"),
		"Encode":        no("KG304", "_, _ = binary.Encode([]byte(\"abc\"), binary.LittleEndian, k.X)"),
		"Read":          no("KG304", "_ = binary.Read(nil, binary.LittleEndian, k.X)"),
		"ReadUvarint":   no("KG304", "_, _ = binary.ReadUvarint(nil)"),
		"ReadVarint":    no("KG304", "_, _ = binary.ReadVarint(nil)"),
		"Size":          no("KG304", "k.Out[i] = int32(binary.Size(k.X))"),
		"Write":         no("KG304", "_ = binary.Write(nil, binary.LittleEndian, k.X)"),
	}),
	"math/rand/v2": join(map[string]snippet{
		"New":                     yes("r := rand.New(rand.NewPCG(1, uint64(i))); k.U[i] = r.Uint64()"),
		"NewPCG":                  yes("k.U[i] = rand.NewPCG(1, uint64(i)).Uint64()"),
		"PCG.Seed":                yes("p := rand.NewPCG(1, 2); p.Seed(3, uint64(i)); k.U[i] = p.Uint64()"),
		"PCG.Uint64":              yes("var p rand.PCG; p.Seed(1, 2); k.U[i] = p.Uint64()"),
		"NewChaCha8":              yes("k.U[i] = rand.NewChaCha8([32]byte{1, 2, byte(i)}).Uint64()"),
		"ChaCha8.Seed":            yes("c := rand.NewChaCha8([32]byte{}); c.Seed([32]byte{byte(i)}); k.U[i] = c.Uint64()"),
		"ChaCha8.Uint64":          yes("c := rand.NewChaCha8([32]byte{}); k.U[i] = c.Uint64() + c.Uint64()"),
		"ChaCha8.Read":            yes("c := rand.NewChaCha8([32]byte{}); var b [13]byte; n, _ := c.Read(b[:]); k.Out[i] = int32(n) + int32(b[i%13])"),
		"NewZipf":                 yes("z := rand.NewZipf(rand.New(rand.NewPCG(1, uint64(i))), 1.5, 2, 100); k.U[i] = z.Uint64()"),
		"Zipf.Uint64":             yes("z := rand.NewZipf(rand.New(rand.NewPCG(1, uint64(i))), 1.5, 2, 100); k.U[i] = z.Uint64() + z.Uint64()"),
		"Rand.Shuffle":            yes("r := rand.New(rand.NewPCG(1, 2)); r.Shuffle(9, func(a, b int) { k.X[a], k.X[b] = k.X[b], k.X[a] })"),
		"Rand.Perm":               no("KG204", "p := rand.New(rand.NewPCG(1, 2)).Perm(9); k.Out[i] = int32(p[0])"),
		"Perm":                    no("KG304", "p := rand.Perm(9); k.Out[i] = int32(p[0])"),
		"Shuffle":                 no("KG304", "rand.Shuffle(9, func(a, b int) {})"),
		"N":                       no("KG304", "k.X[i] = rand.N(k.X[0])"),
		"PCG.AppendBinary":        no("KG204", "b, _ := rand.NewPCG(1, 2).AppendBinary(nil); k.Out[i] = int32(b[0])"),
		"PCG.MarshalBinary":       yes("b, _ := rand.NewPCG(1, 2).MarshalBinary(); k.Out[i] = int32(b[0])"),
		"PCG.UnmarshalBinary":     no("KG208", "_ = rand.NewPCG(1, 2).UnmarshalBinary(nil)"),
		"ChaCha8.AppendBinary":    no("KG204", "b, _ := rand.NewChaCha8([32]byte{}).AppendBinary(nil); k.Out[i] = int32(b[0])"),
		"ChaCha8.MarshalBinary":   yes("b, _ := rand.NewChaCha8([32]byte{}).MarshalBinary(); k.Out[i] = int32(b[0])"),
		"ChaCha8.UnmarshalBinary": no("KG208", "_ = rand.NewChaCha8([32]byte{}).UnmarshalBinary(nil)"),
	},
		rowsOf("KG304", "_ = rand.$()", "ExpFloat64", "Float32", "Float64", "Int", "Int32", "Int64", "NormFloat64", "Uint", "Uint32", "Uint64"),
		rowsOf("KG304", "_ = rand.$(3)", "Int32N", "Int64N", "IntN", "Uint32N", "Uint64N", "UintN")),
}

// orders has rows for a byte order.
func orders(name string) map[string]snippet {
	rows := map[string]snippet{
		name + ".String":   yes("k.Out[i] = int32(len(binary." + name + ".String()))"),
		name + ".GoString": yes("k.Out[i] = int32(len(binary." + name + ".GoString()))"),
	}
	for _, bits := range []string{"16", "32", "64"} {
		order := "binary." + name
		rows[name+".Uint"+bits] = yes("b := [9]byte{1, 2}; k.U[i] = uint64(" + order + ".Uint" + bits + "(b[i%2:]))")
		rows[name+".PutUint"+bits] = yes("var b [9]byte; " + order + ".PutUint" + bits + "(b[i%2:], uint" + bits + "(i)); k.Out[i] = int32(b[3])")
		rows[name+".AppendUint"+bits] = yes("b := " + order + ".AppendUint" + bits + "(make([]byte, 0, 8), uint" + bits + "(i)); k.Out[i] = int32(b[1])")
	}
	return rows
}

// exported returns the signatures of what a package exports for kernels to call, by
// the name of the function, or of the type or variable and its method.
func exported(pkg *types.Package) map[string]*types.Signature {
	all := map[string]*types.Signature{}
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		if f, ok := o.(*types.Func); ok {
			all[name] = f.Signature()
			continue
		}
		if _, constant := o.(*types.Const); constant || types.IsInterface(o.Type()) {
			continue
		}
		for m := range types.NewMethodSet(types.NewPointer(o.Type())).Methods() {
			if f := m.Obj().(*types.Func); f.Exported() {
				all[name+"."+f.Name()] = f.Signature()
			}
		}
	}
	return all
}

// numeric makes a kernel that calls a function with numbers and uses all that it
// returns, if it is one of numbers.
func numeric(call string, sig *types.Signature) (snippet, bool) {
	var args, results []string
	for p := range sig.Params().Variables() {
		b, ok := p.Type().(*types.Basic)
		if !ok || b.Info()&types.IsNumeric == 0 {
			return snippet{}, false
		}
		arg := b.Name() + "(k.D[i])"
		if b.Info()&types.IsComplex != 0 {
			arg = "complex(k.D[i], 2)"
		}
		args = append(args, arg)
	}
	body := ""
	for r := range sig.Results().Variables() {
		b, ok := r.Type().(*types.Basic)
		if !ok {
			return snippet{}, false
		}
		name := fmt.Sprint("r", len(results))
		results = append(results, name)
		switch {
		case b.Info()&types.IsBoolean != 0:
			body += "; k.B[i] = " + name
		case b.Info()&types.IsComplex != 0:
			body += fmt.Sprintf("; k.D[i] += real(%[1]s) + imag(%[1]s)", name)
		default:
			body += "; k.D[i] += float64(" + name + ")"
		}
	}
	if len(results) == 0 {
		return snippet{}, false
	}
	return yes(strings.Join(results, ", ") + " := " + call + "(" + strings.Join(args, ", ") + ")" + body), true
}

// TestLibrary has kernels call all that the standard library's packages for kernels
// export: each function compiles, or gives its diagnostic.
func TestLibrary(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports}, slices.Collect(maps.Keys(library))...)
	if err != nil || len(pkgs) != len(library) {
		t.Fatal(len(pkgs), err)
	}
	for _, p := range pkgs {
		rows, names := library[p.PkgPath], exported(p.Types)
		for row := range rows {
			if names[row] == nil {
				t.Errorf("%s has no %s", p.PkgPath, row)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			t.Run(p.PkgPath+"."+name, func(t *testing.T) {
				s, ok := rows[name]
				if !ok {
					call := p.Types.Name() + "." + name
					if method, isRand := strings.CutPrefix(name, "Rand."); isRand {
						call = "rand.New(rand.NewPCG(1, uint64(i)))." + method
					}
					if s, ok = numeric(call, names[name]); !ok {
						t.Fatal("no row")
					}
				}
				diags := compileSnippet(t, s.source())
				switch {
				case s.code == "" && len(diags) > 0:
					t.Errorf("%v\nin %s", diags, s.body)
				case s.code != "" && len(diags) == 0:
					t.Errorf("no diagnostic, want %s\nin %s", s.code, s.body)
				case s.code != "" && (diags[0].Code.String() != s.code || diags[0].Hint == ""):
					t.Errorf("got %v, want %s\nin %s", diags, s.code, s.body)
				}
			})
		}
	}
}
