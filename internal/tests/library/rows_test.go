package library

import (
	"maps"
	"strings"
)

// Types of elements: four of each, as there are four kinds of memory.
var (
	anything = []string{"Int32", "Float64", "Uint8", "Pair"}
	ordered  = []string{"Int32", "Float64", "Uint8", "Uint64"}
)

// each makes rows of one text for several functions, whose names stand for $.
func each(make func(name string) row, names ...string) map[string]row {
	rows := map[string]row{}
	for _, n := range names {
		rows[n] = make(n)
	}
	return rows
}

func join(all ...map[string]row) map[string]row {
	rows := map[string]row{}
	for _, m := range all {
		maps.Copy(rows, m)
	}
	return rows
}

const (
	allocates = "it allocates, and how much is not known when the kernel is built"
	notYet    = "it is not supported yet"
	reflects  = "it looks at types when it runs"
	global    = "it has state of the whole program"
)

// table has a row for each function and method that packages export. Those that have
// numbers for parameters and results, and no row here, are called with some.
var table = map[string]map[string]row{
	"math": join(each(func(name string) row {
		return yes("r.f(math." + name + "(n, x))").ofMuchCode()
	}, "Jn", "Yn"), each(func(name string) row {
		return yes("r.f(math." + name + "(x))").ofMuchCode()
	}, "J0", "J1", "Y0", "Y1"), map[string]row{
		"Ldexp": yes("r.f(math.Ldexp(x, n)); r.f(math.Ldexp(x, int(int16(u))>>5)); r.f(math.Ldexp(x, int(v)))"),
		"Pow10": yes("r.f(math.Pow10(int(int16(u)) >> 5)); r.f(math.Pow10(n))"),
		"Inf":   yes("r.f(math.Inf(n))"),
	}),
	"math/bits": join(
		each(func(name string) row {
			t := strings.Replace(name, "Div", "uint", 1)
			return yes("d := " + t + "(u)>>(w%32) | 1; q, rem := bits." + name + "(" + t + "(v)%d, " + t + "(w), d); r.u(uint64(q)); r.u(uint64(rem))")
		}, "Div", "Div32", "Div64"),
		each(func(name string) row {
			t := strings.Replace(name, "Rem", "uint", 1)
			return yes("r.u(uint64(bits." + name + "(" + t + "(v), " + t + "(w), " + t + "(u)|1)))")
		}, "Rem", "Rem32", "Rem64"),
		each(func(name string) row {
			return yes("r.u(uint64(bits." + name + "(" + strings.Replace(name, "RotateLeft", "uint", 1) + "(u), n*13))); r.u(uint64(bits." + name + "(" + strings.Replace(name, "RotateLeft", "uint", 1) + "(u), int(v))))")
		}, "RotateLeft", "RotateLeft8", "RotateLeft16", "RotateLeft32", "RotateLeft64"),
	),
	"math/cmplx": {},
	"bytes":      bytesRows,
	"strings":    stringsRows, "strconv": strconvRows, "encoding/hex": hexRows, "hash/fnv": fnvRows,
	"encoding/base32": baseRows("base32", "0123456789abcdefghijklmnopqrstuv"), "crypto/sha512": shaRows("sha512", "512", "384", "512_224", "512_256"),
	"crypto/sha256": shaRows("sha256", "256", "224"), "crypto/md5": sumRows("md5"), "crypto/sha1": sumRows("sha1"),
	"crypto/sha3": sha3Rows, "crypto/aes": aesRows, "crypto/subtle": subtleRows,
	"hash/crc64": crc64Rows, "math/rand": rand1Rows,
	"encoding/base64": baseRows("base64", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
	"container/list":  listRows, "container/ring": ringRows, "image/color": colorRows,
	"cmp": {
		"Compare": yes("r.i(cmp.Compare(x, y)); r.i(cmp.Compare(u, v)); r.i(cmp.Compare(int8(u), int8(v))); r.i(cmp.Compare(a, b))"),
		"Less":    yes("r.b(cmp.Less(x, y)); r.b(cmp.Less(u, v)); r.b(cmp.Less(int16(u), int16(v))); r.b(cmp.Less(a, b))"),
		"Or":      yes("r.u(cmp.Or(u&1, v&1, w)); r.f(cmp.Or(x, y)); r.u(cmp.Or[uint64]()); r.i(int(cmp.Or(Pair{A: int32(u & 1)}, Pair{B: 3}).B))"),
	},
	"slices":          slicesRows,
	"sort":            sortRows,
	"unicode/utf8":    utf8Rows,
	"unicode/utf16":   utf16Rows,
	"encoding/binary": join(orders("BigEndian"), orders("LittleEndian"), orders("NativeEndian"), varints),
	"math/rand/v2":    randRows,
	"sync/atomic":     atomicRows,
	"hash/crc32": {
		"Checksum":     yes("r.u(uint64(crc32.Checksum(s, crc32.IEEETable))); r.u(uint64(crc32.Checksum(s[:max(n, 0)], crc32.MakeTable(crc32.Castagnoli))))").with("Uint8"),
		"ChecksumIEEE": yes("r.u(uint64(crc32.ChecksumIEEE(s))); r.u(uint64(crc32.ChecksumIEEE(s[:max(n, 0)])))").with("Uint8"),
		"MakeTable":    yes("t := crc32.MakeTable(crc32.Koopman); r.u(uint64(t[u%256])); r.b(crc32.MakeTable(crc32.IEEE) == crc32.IEEETable)"),
		"New":          yes("h := crc32.New(crc32.MakeTable(crc32.Koopman)); h.Write(s); h.Write(s[3:5]); r.u(uint64(h.Sum32())); add(h.Sum(s[:4])); h.Reset(); r.i(h.Size() + h.BlockSize()); r.u(uint64(h.Sum32()))").with("Uint8"),
		"NewIEEE":      yes("h := crc32.NewIEEE(); h.Write(s); r.u(uint64(h.Sum32()))").with("Uint8"),
		"Update":       yes("r.u(uint64(crc32.Update(uint32(u), crc32.MakeTable(crc32.Castagnoli), s)))").with("Uint8"),
	},
	"hash/adler32": {
		"Checksum": yes("r.u(uint64(adler32.Checksum(s))); r.u(uint64(adler32.Checksum(s[:max(n, 0)])))").with("Uint8"),
		"New":      yes("h := adler32.New(); h.Write(s); h.Write(s[3:5]); r.u(uint64(h.Sum32())); add(h.Sum(s[:4])); h.Reset(); r.i(h.Size() + h.BlockSize()); r.u(uint64(h.Sum32()))").with("Uint8"),
	},
	"github.com/kgen-go/kgen/dsl/math32": join(map[string]row{
		"Inf":       yes("r.f32(math32.Inf(n))"),
		"FastFMA":   {why: "its subnormals are the device's; package subnormals has it"},
		"HasFMA":    {why: "it is about the device; package subnormals has it"},
		"FastFMA64": {why: "it may round twice; package subnormals has it"},
		"HasFMA64":  {why: "it is about the device; package subnormals has it"},
	}, each(func(name string) row {
		return row{why: "its bits are the device's; package ulps measures them"}
	}, "FastSin", "FastCos", "FastTan", "FastExp", "FastExp2", "FastLog", "FastLog2", "FastPow", "FastRsqrt", "FastTanh")),
}

var slicesRows = join(map[string]row{
	"All":              yes("for j, e := range slices.All(s) { if j == 17 { break }; r.i(j); put(e) }").with(anything...),
	"AppendSeq":        yes("add(slices.AppendSeq(s[:3], slices.Values(s[n+4:][:3])))").with(anything...),
	"Backward":         yes("for j, e := range slices.Backward(s) { if j == n { continue }; r.i(j); put(e) }").with(anything...),
	"BinarySearch":     yes("j, ok := slices.BinarySearch(s, mk(u)); r.i(j); r.b(ok); slices.Reverse(s); j, ok = slices.BinarySearch(s, s[n+3]); r.i(j); r.b(ok)").with(ordered...),
	"BinarySearchFunc": yes("j, ok := slices.BinarySearchFunc(s, v, func(e E, v uint64) int { return order(e, mk(v)) }); r.i(j); r.b(ok)").with(anything...),
	"Chunk":            yes("for c := range slices.Chunk(s, max(n, 1)) { add(c) }").with(anything...),
	"Clip":             yes("add(slices.Clip(s[:n+4]))").with(anything...),
	"Compact":          yes("add(slices.Compact(s))").with(anything...),
	"CompactFunc":      yes("add(slices.CompactFunc(s, func(a, b E) bool { return order(a, b) <= 0 }))").with(anything...),
	"Compare":          yes("r.i(slices.Compare(s[:5], s[5:])); r.i(slices.Compare(s[:9], s[:n+3])); s[3] = s[6]; s[4] = s[7]; r.i(slices.Compare(s[3:5], s[6:8]))").with(ordered...),
	"CompareFunc":      yes("r.i(slices.CompareFunc(s[:n+3], s[:6], order)); r.i(slices.CompareFunc(s, s[1:], func(a, b E) int { return -order(a, b) }))").with(anything...),
	"Contains":         yes("r.b(slices.Contains(s, mk(u))); r.b(slices.Contains(s[:n+3], s[8]))").with(anything...),
	"ContainsFunc":     yes("r.b(slices.ContainsFunc(s[n+3:], func(e E) bool { return order(e, mk(v)) > 0 }))").with(anything...),
	"Delete":           yes("add(slices.Delete(s, 3, n+6)); add(slices.Delete(s, 2, 2))").with(anything...),
	"DeleteFunc":       yes("add(slices.DeleteFunc(s, func(e E) bool { return order(e, mk(u)) < 0 }))").with(anything...),
	"Equal":            yes("r.b(slices.Equal(s[:n+3], s[:6])); s[3] = s[6]; r.b(slices.Equal(s[2:4], s[5:7])); r.b(slices.Equal(s[3:4], s[6:7]))").with(anything...),
	"EqualFunc":        yes("r.b(slices.EqualFunc(s[:4], s[1:5], func(a, b E) bool { return order(a, b) <= 0 }))").with(anything...),
	"Grow":             yes("add(slices.Grow(s, 5)[:23]); add(slices.Grow(s[:n+3], 0))").with(anything...),
	"Index":            yes("r.i(slices.Index(s, mk(u))); r.i(slices.Index(s[4:], s[9]))").with(anything...),
	"IndexFunc":        yes("r.i(slices.IndexFunc(s, func(e E) bool { return order(e, s[n+3]) > 0 }))").with(anything...),
	"Insert":           yes("t := slices.Insert(s, n+3, mk(u), mk(v)); add(t); add(slices.Insert(t, 5, t[3:6]...)); add(slices.Insert(s, 4))").with(anything...),
	"IsSorted":         yes("r.b(slices.IsSorted(s[n+3:][:3])); r.b(slices.IsSorted(s[:1]))").with(ordered...),
	"IsSortedFunc":     yes("r.b(slices.IsSortedFunc(s[n+3:][:2], order))").with(anything...),
	"Max":              yes("put(slices.Max(s)); put(slices.Max(s[n+3:]))").with(ordered...),
	"MaxFunc":          yes("put(slices.MaxFunc(s[n+3:], order))").with(anything...),
	"Min":              yes("put(slices.Min(s)); put(slices.Min(s[n+3:]))").with(ordered...),
	"MinFunc":          yes("put(slices.MinFunc(s[n+3:], order))").with(anything...),
	"Replace":          yes("t := slices.Replace(s, 2, n+6, mk(u), mk(v), mk(w)); add(t); add(slices.Replace(t, 1, 4, t[2:4]...)); add(slices.Replace(s[:6], 3, 3, mk(u)))").with(anything...),
	"Reverse":          yes("slices.Reverse(s[:n+3]); slices.Reverse(s[5:])").with(anything...),
	"Sort":             yes("slices.Sort(s)").with(ordered...).ofMuchCode(),
	"SortFunc":         yes("slices.SortFunc(s, order)").with(anything...).ofMuchCode(),
	"SortStableFunc":   yes("slices.SortStableFunc(s, order)").with(anything...).ofMuchCode(),
	"Values":           yes("for e := range slices.Values(s[n+3:]) { put(e) }").with(anything...),
	"Concat":           yes("t := slices.Concat(s, s[2:][:3], nil, s); t[n&7] = mk(u); add(slices.Clip(t))").with(anything...),
	"Repeat":           yes("t := slices.Repeat(s, 3); t[n&7] = mk(u); add(t)").with(anything...),
	"SortedFunc":       no("KG204", allocates, "add(slices.SortedFunc(slices.Values(s), order))").with("Int32"),
	"SortedStableFunc": no("KG204", allocates, "add(slices.SortedStableFunc(slices.Values(s), order))").with("Int32"),
	"Clone":            yes("t := slices.Clone(s); t[n&7] = mk(u); add(slices.Clip(t))").with(anything...),
},
	each(func(name string) row {
		return no("KG204", allocates, "add(slices."+name+"(slices.Values(s)))").with("Int32")
	}, "Collect", "Sorted"))

var sortRows = join(map[string]row{
	"Find":                yes("j, ok := sort.Find(len(s), func(j int) int { return int(s[n+3]) - int(s[j]) }); r.i(j); r.b(ok)").with("Int32"),
	"Search":              yes("r.i(sort.Search(len(s), func(j int) bool { return s[j] > s[n+3] }))").with("Int32"),
	"Float64s":            yes("sort.Float64s(s)").with("Float64").ofMuchCode(),
	"Float64sAreSorted":   yes("r.b(sort.Float64sAreSorted(s[:2]))").with("Float64"),
	"Float64Slice.Len":    yes("r.i(sort.Float64Slice(s).Len())").with("Float64"),
	"Float64Slice.Less":   yes("r.b(sort.Float64Slice(s).Less(n+3, 0))").with("Float64"),
	"Float64Slice.Search": yes("r.i(sort.Float64Slice(s).Search(1))").with("Float64"),
	"Float64Slice.Sort":   yes("sort.Float64Slice(s).Sort()").with("Float64").ofMuchCode(),
	"Float64Slice.Swap":   yes("sort.Float64Slice(s).Swap(n+3, 0)").with("Float64"),
	"SearchFloat64s":      yes("r.i(sort.SearchFloat64s(s, s[n+3]))").with("Float64"),
	"Ints":                yes("sort.Ints(s)").with("Int").ofMuchCode(),
	"IntsAreSorted":       yes("r.b(sort.IntsAreSorted(s[:2]))").with("Int"),
	"IntSlice.Len":        yes("r.i(sort.IntSlice(s).Len())").with("Int"),
	"IntSlice.Less":       yes("r.b(sort.IntSlice(s).Less(n+3, 0))").with("Int"),
	"IntSlice.Search":     yes("r.i(sort.IntSlice(s).Search(1))").with("Int"),
	"IntSlice.Sort":       yes("sort.IntSlice(s).Sort()").with("Int").ofMuchCode(),
	"IntSlice.Swap":       yes("sort.IntSlice(s).Swap(n+3, 0)").with("Int"),
	"SearchInts":          yes("r.i(sort.SearchInts(s, s[n+3]))").with("Int"),
	"IsSorted":            yes("r.b(sort.IsSorted(by(s[:2])))").with("Int32"),
	"Reverse":             yes("r.b(sort.Reverse(by(s)).Less(n+3, 0)); sort.Sort(sort.Reverse(by(s)))").with("Int32").ofMuchCode(),
	"Sort":                yes("sort.Sort(by(s))").with("Int32").ofMuchCode(),
	"Stable":              yes("sort.Stable(by(s))").with("Int32").ofMuchCode(),

	"SearchStrings":      yes("r.i(sort.SearchStrings([]string{\"a\", \"b\"}, \"abc\"[:u%3]))"),
	"StringsAreSorted":   yes("r.b(sort.StringsAreSorted([]string{\"a\", \"b\"})); r.b(sort.StringsAreSorted([]string{\"ca\", \"b\"}))"),
	"StringSlice.Len":    yes("t := sort.StringSlice{\"a\", \"b\"}; r.i(t.Len())"),
	"StringSlice.Less":   yes("t := sort.StringSlice{\"a\", \"b\"}; r.b(t.Less(int(u%2), 1))"),
	"StringSlice.Search": yes("t := sort.StringSlice{\"a\", \"b\"}; r.i(t.Search(\"b\"))"),
},
	each(func(name string) row {
		return no("KG304", reflects, "sort."+name+"(s, func(a, b int) bool { return a < b })").with("Int32")
	}, "Slice", "SliceStable", "SliceIsSorted"),
	map[string]row{
		"Strings":          yes("t := []string{\"b\", \"ca\"[:u%3], \"a\"}; sort.Strings(t); r.i(len(t[u%3])); r.b(t[0] < t[1])"),
		"StringSlice.Sort": yes("t := sort.StringSlice{\"b\", \"a\", \"ca\"[u%2:]}; t.Sort(); r.i(len(t[2]))"),
		"StringSlice.Swap": yes("t := sort.StringSlice{\"a\", \"bc\"}; t.Swap(1, 0); r.i(len(t[u%2]))"),
	})

var utf8Rows = map[string]row{
	"AppendRune":             yes("add(utf8.AppendRune(s, rune(u))); add(utf8.AppendRune(s[:2], rune(u)&0x1fffff)); add(utf8.AppendRune(s[:2], rune(u)&0xffff)); add(utf8.AppendRune(s[:2], rune(u)&0x7ff))").with("Uint8"),
	"DecodeLastRune":         yes(encode + "p, size := utf8.DecodeLastRune(s[:n+5]); r.i(int(p)); r.i(size)").with("Uint8"),
	"DecodeLastRuneInString": yes("p, size := utf8.DecodeLastRuneInString(\"ab\\u00e9\"); r.i(int(p)); r.i(size)"),
	"DecodeRune":             yes(encode + "p, size := utf8.DecodeRune(s[n+3:]); r.i(int(p)); r.i(size); p, size = utf8.DecodeRune(s[:n&3]); r.i(int(p)); r.i(size)").with("Uint8"),
	"DecodeRuneInString":     yes("p, size := utf8.DecodeRuneInString(\"\\u00e9\\U0001f600\\xe2\\x82b\"[u%9:]); r.i(int(p)); r.i(size)"),
	"EncodeRune":             yes("r.i(utf8.EncodeRune(s, rune(u))); r.i(utf8.EncodeRune(s[4:], rune(u)&0x1fffff)); r.i(utf8.EncodeRune(s[8:], rune(u)&0x7ff))").with("Uint8"),
	"FullRune":               yes(encode + "r.b(utf8.FullRune(s[:max(n, 0)])); r.b(utf8.FullRune(s[4 : 4+n&3]))").with("Uint8"),
	"FullRuneInString":       yes("r.b(utf8.FullRuneInString(\"\\u00e9\\U0001f600\\xe2\\x82\"[u%8:]))"),
	"RuneCount":              yes(encode + "r.i(utf8.RuneCount(s)); r.i(utf8.RuneCount(s[n+3:]))").with("Uint8"),
	"RuneCountInString":      yes("r.i(utf8.RuneCountInString(\"\\u00e9b\\xff\\U0001f600\"))"),
	"RuneLen":                yes("r.i(utf8.RuneLen(rune(u))); r.i(utf8.RuneLen(rune(u) & 0x1fffff)); r.i(utf8.RuneLen(rune(u) & 0xffff)); r.i(utf8.RuneLen(rune(u) & 0x7ff))"),
	"RuneStart":              yes("r.b(utf8.RuneStart(byte(u)))"),
	"Valid":                  yes(encode + "r.b(utf8.Valid(s)); r.b(utf8.Valid(s[:n&7])); r.b(utf8.Valid(s[n+3:n+7]))").with("Uint8"),
	"ValidRune":              yes("r.b(utf8.ValidRune(rune(u))); r.b(utf8.ValidRune(rune(u) & 0x1fffff)); r.b(utf8.ValidRune(rune(u) & 0xffff))"),
	"ValidString":            yes("r.b(utf8.ValidString(\"\\u00e9b\")); r.b(utf8.ValidString(\"\\xe9b\"))"),
}

// encode leaves runes in s, the last one cut off.
const encode = "for j := 0; j < 16; { j += utf8.EncodeRune(s[j:], rune(u>>j)&0x1fffff>>(v>>j%20&15)) }; s[17] = byte(w); "

var utf16Rows = map[string]row{
	"AppendRune":  yes("add(utf16.AppendRune(s, rune(u))); add(utf16.AppendRune(s[:2], rune(u)&0x1fffff)); add(utf16.AppendRune(s[:2], rune(u)&0xffff))").with("Uint16"),
	"Decode":      yes("for _, p := range utf16.Decode([]uint16{uint16(u), 0xd83d, 0xde00, uint16(v), 0xdc00 | uint16(w)&0x3ff}) { r.i(int(p)) }"),
	"DecodeRune":  yes("r.i(int(utf16.DecodeRune(rune(u), rune(v)))); r.i(int(utf16.DecodeRune(0xd800|rune(u)&0x7ff, 0xdc00|rune(v)&0x7ff)))"),
	"Encode":      no("KG204", allocates, "r.i(int(utf16.Encode([]rune{1, 2})[0]))"),
	"EncodeRune":  yes("p, q := utf16.EncodeRune(rune(u)); r.i(int(p)); r.i(int(q)); p, q = utf16.EncodeRune(rune(u)&0x1fffff); r.i(int(p)); r.i(int(q))"),
	"IsSurrogate": yes("r.b(utf16.IsSurrogate(rune(u))); r.b(utf16.IsSurrogate(rune(u) & 0xffff))"),
	"RuneLen":     yes("r.i(utf16.RuneLen(rune(u))); r.i(utf16.RuneLen(rune(u) & 0x1fffff)); r.i(utf16.RuneLen(rune(u) & 0xffff))"),
}

// orders has rows for a byte order.
func orders(name string) map[string]row {
	rows := map[string]row{
		name + ".String":   yes("r.i(len(binary." + name + ".String()))"),
		name + ".GoString": yes("t := binary." + name + ".GoString(); r.i(len(t)); r.u(uint64(t[u%5]))"),
	}
	for _, bits := range []string{"16", "32", "64"} {
		order := "binary." + name
		rows[name+".Uint"+bits] = yes("r.u(uint64(" + order + ".Uint" + bits + "(s[n+3:])))").with("Uint8")
		rows[name+".PutUint"+bits] = yes(order + ".PutUint" + bits + "(s[n+3:], uint" + bits + "(u))").with("Uint8")
		rows[name+".AppendUint"+bits] = yes("add(" + order + ".AppendUint" + bits + "(s[:n+3], uint" + bits + "(u)))").with("Uint8")
	}
	return rows
}

var varints = join(map[string]row{
	"AppendUvarint": yes("add(binary.AppendUvarint(s[:n+3], u)); add(binary.AppendUvarint(s[:n+3], u>>(v%64)))").with("Uint8"),
	"AppendVarint":  yes("add(binary.AppendVarint(s[:n+3], int64(u))); add(binary.AppendVarint(s[:n+3], int64(u)>>(v%64)))").with("Uint8"),
	"PutUvarint":    yes("r.i(binary.PutUvarint(s, u)); r.i(binary.PutUvarint(s[10:], u>>(v%64)))").with("Uint8"),
	"PutVarint":     yes("r.i(binary.PutVarint(s, int64(u))); r.i(binary.PutVarint(s[10:], int64(u)>>(v%64)))").with("Uint8"),
	"Uvarint":       yes("q, size := binary.Uvarint(s[n+3:]); r.u(q); r.i(size); q, size = binary.Uvarint(s[:n&3]); r.u(q); r.i(size)").with("Uint8"),
	"Varint":        yes("q, size := binary.Varint(s[n+3:]); r.i(int(q)); r.i(size)").with("Uint8"),
}, each(func(name string) row {
	return no("KG304", reflects, "_, _ = binary."+name+"([]byte(\"abc\"), binary.LittleEndian, s)").with("Int32")
}, "Append", "Decode", "Encode"), each(func(name string) row {
	return no("KG304", reflects, "_ = binary."+name+"(nil, binary.LittleEndian, s)").with("Int32")
}, "Read", "Write"), each(func(name string) row {
	return yes("g := bytes.NewReader(s[n+3:]); q, err := binary." + name + "(g); r.u(uint64(q)); r.b(err == nil); r.i(g.Len())").with("Uint8")
}, "ReadUvarint", "ReadVarint"), map[string]row{
	"Size": no("KG304", reflects, "r.i(binary.Size(s))").with("Int32"),
})

var randRows = join(map[string]row{
	"New":                     yes("g := rand.New(rand.NewPCG(u, v)); r.u(g.Uint64()); r.i(g.IntN(9))"),
	"NewPCG":                  yes("g := *rand.NewPCG(u, v); h := g; r.u(g.Uint64()); r.u(g.Uint64()); r.u(h.Uint64())"),
	"PCG.Seed":                yes("g := rand.NewPCG(1, 2); g.Seed(u, v); r.u(g.Uint64())"),
	"PCG.Uint64":              yes("var g rand.PCG; r.u(g.Uint64()); g.Seed(u, v); for range 5 { r.u(g.Uint64()) }"),
	"NewChaCha8":              yes("g := rand.NewChaCha8([32]byte{byte(u), 2, 31: byte(v)}); r.u(g.Uint64())").ofMuchCode(),
	"ChaCha8.Seed":            yes("g := rand.NewChaCha8([32]byte{}); g.Seed([32]byte{byte(u), byte(v)}); r.u(g.Uint64())").ofMuchCode(),
	"ChaCha8.Uint64":          yes("g := rand.NewChaCha8([32]byte{byte(u)}); for range 40 { r.u(g.Uint64()) }"),
	"ChaCha8.Read":            yes("g := rand.NewChaCha8([32]byte{}); m, err := g.Read(s[:n+3]); r.i(m); r.b(err == nil)").with("Uint8").ofMuchCode(),
	"NewZipf":                 yes("zipf := rand.NewZipf(rand.New(rand.NewPCG(1, u)), 1.5, 2, 100); r.u(zipf.Uint64())"),
	"Zipf.Uint64":             yes("zipf := rand.NewZipf(rand.New(rand.NewPCG(1, u)), 1.5, 2, 1000); r.u(zipf.Uint64()); r.u(zipf.Uint64())"),
	"Rand.Shuffle":            yes("g := rand.New(rand.NewPCG(u, 2)); g.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })").with("Int32"),
	"Rand.Perm":               yes("p := rand.New(rand.NewPCG(u, 2)).Perm(9); for _, x := range p { r.i(x) }"),
	"Perm":                    no("KG304", global, "p := rand.Perm(9); r.i(p[0])"),
	"Shuffle":                 no("KG304", global, "rand.Shuffle(9, func(a, b int) {})"),
	"N":                       no("KG304", global, "r.i(rand.N(9))"),
	"PCG.AppendBinary":        no("KG204", allocates, "p, _ := rand.NewPCG(1, 2).AppendBinary(nil); r.i(int(p[0]))"),
	"PCG.MarshalBinary":       yes("p, err := rand.NewPCG(u, 2).MarshalBinary(); r.b(err == nil); for _, q := range p { r.u(uint64(q)) }"),
	"PCG.UnmarshalBinary":     yes("p, _ := rand.NewPCG(u, v).MarshalBinary(); p[n+3] ^= byte(w >> 63); g := rand.NewPCG(1, 2); r.b(g.UnmarshalBinary(p) == nil); r.u(g.Uint64()); r.b(g.UnmarshalBinary(p[:9]) == nil)"),
	"ChaCha8.AppendBinary":    no("KG204", allocates, "p, _ := rand.NewChaCha8([32]byte{}).AppendBinary(nil); r.i(int(p[0]))"),
	"ChaCha8.MarshalBinary":   yes("g := rand.NewChaCha8([32]byte{byte(u)}); for range 3 { g.Uint64() }; p, err := g.MarshalBinary(); r.b(err == nil); for _, q := range p { r.u(uint64(q)) }").ofMuchCode(),
	"ChaCha8.UnmarshalBinary": yes("q := rand.NewChaCha8([32]byte{byte(u)}); for range 3 { q.Uint64() }; p, _ := q.MarshalBinary(); p[n+3] ^= byte(w >> 63); g := rand.NewChaCha8([32]byte{}); r.b(g.UnmarshalBinary(p) == nil); r.u(g.Uint64())").ofMuchCode(),
},
	each(func(name string) row { return no("KG304", global, "_ = rand."+name+"()") },
		"ExpFloat64", "Float32", "Float64", "Int", "Int32", "Int64", "NormFloat64", "Uint", "Uint32", "Uint64"),
	each(func(name string) row { return no("KG304", global, "_ = rand."+name+"(3)") },
		"Int32N", "Int64N", "IntN", "Uint32N", "Uint64N", "UintN"))

// Package atomic's functions and methods take their operands from u and v.
var atomicRows = func() map[string]row {
	rows := map[string]row{}
	const none = "devices have no atomic operations on pointers, nor on what has their size"
	for _, t := range []string{"Int32", "Uint32", "Int64", "Uint64", "Uintptr", "Pointer"} {
		typ := strings.ToLower(t)
		for name, args := range map[string]string{"Add": "$(u)", "And": "$(u)", "Or": "$(u)", "Swap": "$(u)", "Store": "$(u)", "Load": "",
			"CompareAndSwap": "$(u), $(v)"} {
			args = strings.ReplaceAll(args, "$", typ)
			result := "r.u(uint64($))"
			switch name {
			case "Store":
				result = "$"
			case "CompareAndSwap":
				result = "r.b($); s[5] = s[6]; r.b(atomic.CompareAndSwap" + t + "(&s[5], s[6], " + typ + "(w)))"
			}
			switch t {
			case "Pointer":
				if name != "Add" && name != "And" && name != "Or" {
					args = strings.ReplaceAll(strings.ReplaceAll(args, "pointer(u)", "nil"), "pointer(v)", "nil")
					if args != "" {
						args = ", " + args
					}
					rows[name+t] = no("KG303", none, "var p unsafe.Pointer; atomic."+name+t+"(&p"+args+")")
				}
				continue
			case "Uintptr":
				if args != "" {
					args = ", " + args
				}
				rows[name+t] = no("KG303", none, "var p uintptr; atomic."+name+t+"(&p"+args+")")
				rows[t+"."+name] = no("KG303", none, "var p atomic.Uintptr; p."+name+"("+strings.TrimPrefix(args, ", ")+")")
				continue
			}
			fn := "atomic." + name + t + "(&s[n+3], " + args + ")"
			rows[name+t] = yes(strings.ReplaceAll(result, "$", fn)).with(t)
			if result = strings.ReplaceAll(result, "$", "s[n+3]."+name+"("+args+")"); name == "CompareAndSwap" {
				result = "r.b(s[n+3].CompareAndSwap(" + args + ")); r.b(s[5].CompareAndSwap(s[5].Load(), " + typ + "(w)))"
			}
			rows[t+"."+name] = yes(result).with("Atomic" + t)
		}
	}
	rows["Bool.Load"] = yes("r.b(s[n+3].Load())").with("AtomicBool")
	rows["Bool.Store"] = yes("s[n+3].Store(u&1 == 0)").with("AtomicBool")
	rows["Bool.Swap"] = yes("r.b(s[n+3].Swap(u&1 == 0))").with("AtomicBool")
	rows["Bool.CompareAndSwap"] = yes("r.b(s[n+3].CompareAndSwap(u&1 == 0, v&1 == 0))").with("AtomicBool")
	for name, args := range map[string]string{"Load": "", "Store": "nil", "Swap": "nil", "CompareAndSwap": "nil, nil"} {
		rows["Pointer."+name] = no("KG303", none, "var p atomic.Pointer[int]; p."+name+"("+args+")")
		rows["Value."+name] = no("KG303", none, "var p atomic.Value; p."+name+"("+strings.ReplaceAll(args, "nil", "n")+")")
	}
	return rows
}()
