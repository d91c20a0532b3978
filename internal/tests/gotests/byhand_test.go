package gotests

import (
	"fmt"
	"strings"
)

// byHand has the bodies of wrappers for functions with arguments or results that
// words do not make: pointers to structs, interfaces, slices and strings.
var byHand = map[string]string{
	"f1_ssa":  "h = kgMix(uint64(*f1_ssa(int(x0), int(x1))))",
	"f3a_ssa": "h = kgMix(uint64(*f3a_ssa(int(x0))))",
	"f3b_ssa": "h = kgMix(uint64(*f3b_ssa(int(x0)).(*int)))",
	"f3c_ssa": "h = kgMix(uint64(*f3c_ssa(int(x0)).(*int)))",
	"fill_ssa": `var r, p V
	fill_ssa(int64(x2), int64(x3), &p, nil)
	fill_ssa(int64(x0), int64(x1), &r, &p)
	h = kgMix(kgMix(uint64(r.w))^uint64(r.x)) ^ uint64(r.p.w)`,

	"appendOne_ssa": `var a [8]int
	a[1] = int(x1)
	for i, x := range appendOne_ssa(a[:x0&3], int(x2)) {
		h = kgMix(h ^ uint64(i+x))
	}`,
	"appendThree_ssa": `var a [8]int
	a[1] = int(x1)
	for i, x := range appendThree_ssa(a[:x0&3], int(x1), int(x2), int(x3)) {
		h = kgMix(h ^ uint64(i+x))
	}`,

	"e2t_ssa": "h = kgBool(e2t_ssa(&U{}) != nil)\n\tif x0 == 7 {\n\t\te2t_ssa(&S{})\n\t}",
	"i2t_ssa": "h = kgBool(i2t_ssa(&U{}) != nil)\n\tif x0 == 7 {\n\t\ti2t_ssa(&S{})\n\t}",
	"e2t2_ssa": `_, yes := e2t2_ssa(&U{})
	_, no := e2t2_ssa(&S{})
	h = kgBool(yes)*2 + kgBool(no)`,
	"i2t2_ssa": `_, yes := i2t2_ssa(&U{})
	_, no := i2t2_ssa(&S{})
	h = kgBool(yes)*2 + kgBool(no)`,

	"interface_ssa": "h = kgMix(uint64(interface_ssa(int(x0), int(x1), x2&1 != 0).(int)))",
	"slice_ssa": `a := [5]byte{byte(x0), 1, 2, byte(x1), 4}
	for _, x := range slice_ssa(a[:3], a[2:], x2&1 != 0) {
		h = kgMix(h ^ uint64(x))
	}`,
	"string_ssa": `s, t := string_ssa("foo", "barz", true), string_ssa("foo", "barz", false)
	h = kgMix(uint64(s[x0%3])) ^ uint64(t[x1%4])`,
	"flagOverwrite_ssa": `j := junk{int(x1)}
	h = kgMix(uint64(flagOverwrite_ssa(&j, int(x0&127)))) ^ uint64(j.step)`,

	"testStringSlice1_ssa":   "h = kgMix(uint64(testStringSlice1_ssa(\"foobar\", 3, -1)[x0%3])) + uint64(len(testStringSlice1_ssa(\"foobar\", 6, -1)))",
	"testStringSlice2_ssa":   "h = kgMix(uint64(testStringSlice2_ssa(\"foobar\", -1, 3)[x0%3])) + kgBool(testStringSlice2_ssa(\"foobar\", -1, 0) == \"\")",
	"testStringSlice12_ssa":  "h = kgMix(uint64(testStringSlice12_ssa(\"foobar\", 1, 5)[x0%4])) + kgBool(testStringSlice12_ssa(\"foobar\", 3, 3) == \"\")",
	"testInt64Slice_ssa":     "h = kgMix(uint64(testInt64Slice_ssa(\"BelowExactAbove\", 5, 10)[x0%5])) + kgBool(testInt64Slice_ssa(\"BelowExactAbove\", 10, 15) == \"Above\")",
	"testInt64Index_ssa":     "h = kgMix(uint64(testInt64Index_ssa(\"BelowExactAbove\", int64(x0&15))))",
	"testStringElem_ssa":     "h = kgMix(uint64(testStringElem_ssa(\"foobar\", int(x0&7))))",
	"testSmallIndexType_ssa": "h = uint64(testSmallIndexType_ssa(0)[x0%5]) + uint64(testSmallIndexType_ssa(2)[x1%5])",

	// These are outside of the language; outside.txt says with which code.
	"f1": "h = uint64(f1()[0][1])", "f2": "h = uint64(f2()[0][1])", "f3": "h = uint64(f3().a[1])", "f4": "h = uint64(f4().a[1])",
	"capChan_ssa": "h = uint64(capChan_ssa(make(chan int, 3)))", "lenChan_ssa": "h = uint64(lenChan_ssa(make(chan int, 3)))",
	"lenMap_ssa":     "h = uint64(lenMap_ssa(map[int]int{1: 2}))",
	"checkDivByZero": "h = kgBool(checkDivByZero(func() { x0 /= x1 }))",
	"fail32":         "fail32(\"+\", func(a, b float32) float32 { return a + b }, 1, 2, 3)",
	"fail64":         "fail64(\"+\", func(a, b float64) float64 { return a + b }, 1, 2, 3)",
	"fail32bool":     "fail32bool(\"<\", func(a, b float32) bool { return a < b }, 1, 2, true)",
	"fail64bool":     "fail64bool(\"<\", func(a, b float64) bool { return a < b }, 1, 2, true)",
	"f_ssa":          "h = kgBool(f_ssa() == nil)",
	"g_ssa":          "h = kgBool(g_ssa() == nil)",
}

func init() {
	for _, n := range []int{8, 16, 24, 32, 64, 256} {
		for u, set := range map[string]string{"u1": "z.b = x1&1 != 0", "u2": "z.i = uint16(x1)"} {
			get := map[string]string{"u1": "kgBool(z.b)", "u2": "uint64(z.i)"}[u]
			f := fmt.Sprintf("zero%d%s_ssa", n, u)
			byHand[f] = fmt.Sprintf("var z Z%d%s\n\tfor i := range z.val {\n\t\tz.val[i] = byte(x0) + byte(i)\n\t}\n\t%s\n\t%s(&z)\n\tfor _, x := range z.val {\n\t\th = kgMix(h ^ uint64(x))\n\t}\n\th ^= %s", n, u, set, f, get)
		}
	}
}

// handWrapper returns the wrapper of a function that has one in byHand.
func handWrapper(h *helper) (string, bool) {
	body, ok := byHand[h.name]
	if !ok {
		return "", false
	}
	return fmt.Sprintf("func %s(x0, x1, x2, x3 uint64) (h uint64) {\n\t%s\n\treturn h\n}\n", h.wrapperName(), strings.TrimSpace(body)), true
}
