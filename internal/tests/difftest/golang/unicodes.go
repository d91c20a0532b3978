package golang

import (
	"bytes"
	"unicode"

	"github.com/kgen-go/kgen/dsl"
)

// Unicodes calls functions of package unicode on runes.
type Unicodes struct {
	In  []rune
	Raw []byte
	Out []int32
}

// Kernel tests one rune and a few bytes.
func (k Unicodes) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	r := k.In[i]
	h := int32(0)
	for j, is := range [...]func(rune) bool{unicode.IsLetter, unicode.IsDigit, unicode.IsSpace, unicode.IsUpper, unicode.IsLower, unicode.IsPunct, unicode.IsControl} {
		if is(r) {
			h |= 1 << j
		}
	}
	if unicode.Is(unicode.Greek, r) || unicode.In(r, unicode.Han, unicode.Hiragana) {
		h |= 1 << 10
	}
	b := bytes.TrimSpace(k.Raw[i : i+4])
	h += int32(len(b)) << 12
	b = bytes.TrimFunc(b, unicode.IsPunct)
	k.Out[i] = h + int32(len(b))<<15 + unicode.ToUpper(r)<<10 ^ unicode.SimpleFold(r)
}
