package golang

import (
	"unicode/utf8"

	"github.com/kgen-go/kgen/dsl"
)

// Texts reads substrings whose bounds are known only on the device.
type Texts struct {
	Out []int32
	B   []byte // 10 bytes for each work-item
}

const salute = "hello, wörld €uro 😀!"

func word(s string, n int) string {
	start := 0
	for i := 0; i < len(s); i++ {
		if s[i] == ' ' {
			if n == 0 {
				return s[start:i]
			}
			n--
			start = i + 1
		}
	}
	return s[start:]
}

func index(s, sub string) int {
	for i := 0; i+len(sub) <= len(s); i++ {
		if s[i:i+len(sub)] == sub {
			return i
		}
	}
	return -1
}

func hasPrefix(s, p string) bool { return len(s) >= len(p) && s[:len(p)] == p }

// Kernel slices, compares and copies strings, and ranges over them.
func (k Texts) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	n := i % 7
	s := salute[n : n+8+i%3]
	h := int32(len(s))
	for j, r := range s {
		h = h*31 + r + int32(j)
	}
	if s == "ello, wö" {
		h += 1000
	}
	if s < "lo" {
		h += 2000
	}
	switch s[:3] {
	case "hel":
		h += 1
	case "llo", "lo,":
		h += 2
	case "ell":
		h += 3
	}
	w := word(salute, i%4)
	h = h*7 + int32(len(w)) + int32(index(salute, w)) + int32(index(w, "r"))
	if hasPrefix(w, "w") {
		h += 5
	}
	name := "odd"
	if i%2 == 0 {
		name = "even"
	}
	h += int32(len(name)) + int32(name[len(name)-1])
	t := "countdown"
	for len(t) > i%5 {
		h = h*3 + int32(t[0])
		t = t[1:]
	}
	h += int32(copy(k.B[i*10:i*10+10], w))
	r, size := utf8.DecodeRuneInString(salute[n*2:])
	h += r + int32(size) + int32(utf8.RuneCountInString(s))
	r, size = utf8.DecodeLastRuneInString(salute[:i])
	h += r*3 + int32(size)
	if utf8.ValidString(salute[i:]) {
		h++
	}
	m := max(name, "evil", w)
	h = h*5 + int32(len(m)) + int32(m[0]) + int32(min(w, name, s)[0])
	b := append(make([]byte, 0, 40), name...)
	b = append(b, w...)
	for _, x := range b {
		h = h*3 + int32(x)
	}
	k.Out[i] = h
}

// TextBounds slices a string with bounds that may be out of range.
type TextBounds struct {
	Out []int32
	N   []int
}

// Kernel has a slice expression of each kind.
func (k TextBounds) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	s := "abcdef"
	switch i + k.N[3] {
	case 0:
		s = s[k.N[0]:]
	case 1:
		s = s[:k.N[0]]
	case 2:
		s = s[k.N[0]:k.N[1]]
	case 3:
		s = s[k.N[2]:k.N[1]]
	case 4:
		s = s[1:]
		k.Out[0] = int32(s[k.N[0]])
	case 5:
		s = s[k.N[1]:]
		s = s[:k.N[0]-7]
		k.Out[0] = int32(s[3])
	}
	k.Out[i] = int32(len(s))
}

type titled struct {
	name string
	v    int32
}

func pick(i int) titled {
	if i%3 == 0 {
		return titled{"abc", 1}
	}
	if i%3 == 1 {
		return titled{name: "de"}
	}
	return titled{v: 4}
}

func label(i int) (s string, ok bool) {
	defer func() {
		if !ok {
			s = "none"
		}
	}()
	for j, n := range [...]int{3, 5, 8} {
		if i == n {
			return "fibonacci"[j:], true
		}
	}
	return
}

// Named has strings in structs, results, arrays and interfaces.
type Named struct{ Out []int32 }

// Kernel chooses among strings.
func (k Named) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	c := pick(i)
	h := c.v + int32(len(c.name))
	d := c
	if i > 5 {
		d.name = "longer name"[i%4:]
	}
	if d == c {
		h += 100
	}
	s, ok := label(i)
	if ok {
		h++
	}
	for _, ch := range s {
		h = h*3 + ch
	}
	var x any = s
	if y, ok := x.(string); ok {
		h += int32(len(y))
	}
	names := [3]string{"zero", "one", s}
	names[1] = d.name
	for _, b := range []byte(names[0]) {
		h += int32(b)
	}
	h += int32(len(names[1])) + int32(len(names[2]))
	f := func(t string) int32 { return int32(len(t + "")) }
	k.Out[i] = h + f("abc")
}

const long = `A string that is long enough to be kept beside the module: of more than 256 bytes.
Früher, sagt man, war mehr Lametta; ob das stimmt, weiß niemand genau. 漢字も少し, и немного кириллицы.
The rest of it is of no interest to anybody, but that it has some words, by which it gets as long as that.`

// LongTexts searches texts for words.
type LongTexts struct{ Out []int32 }

// Kernel counts words and runes from an index on.
func (k LongTexts) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	s := long[i*7 : len(long)-i]
	h := int32(0)
	for j, r := range s {
		h = h*31 + r ^ int32(j)
	}
	h = h*7 + int32(index(s, "of")) + int32(len(word(s, i)))*1000
	if word(s, i) == "words," || word(s, 3) > word(s, 4) {
		h++
	}
	var b [9]byte
	h += int32(copy(b[:], word(s, 2))) + int32(b[1])
	k.Out[i] = h
}
