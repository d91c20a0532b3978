package golang

import (
	"bytes"

	"github.com/kgen-go/kgen/dsl"
)

var verbs = [][]byte{[]byte("get"), []byte("put"), []byte("")}

type octet byte

// Bytes compares bytes as strings, and by functions of package bytes.
type Bytes struct {
	In, Buf []byte
	Out     []int
}

func verb(b []byte) int {
	switch s := string(b); s {
	case "get":
		return 1
	case "put", "post":
		return 2
	case "":
		return 3
	default:
		if s > "m" && len(s) > 2 {
			return 100 + int(s[1]) + int(s[1:][0])
		}
		return 4
	}
}

// Kernel compares and searches subslices of its argument.
func (k Bytes) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	b, c := k.In[i:i+i%6], k.In[i/2:i/2+i%4]
	h := verb(b)
	for _, n := range [3]int{3, 4, 0} {
		h = h*5 + verb(k.In[i:i+n])
	}
	if string(b) == string(c) {
		h += 1 << 8
	}
	if string(b) < string(c) {
		h += 1 << 9
	}
	if string(b) >= "p" {
		h += 1 << 10
	}
	if string(b) != "a long text that is compared in a loop"[i%5:i%5+len(b)] {
		h += 1 << 11
	}
	own := [8]octet{'p', 'u', 't', octet(i)}
	if string(own[:3]) == "put" && string(own[3:4]) != string(b) {
		h += 1 << 12
	}
	own[0] = 'q'
	if string(own[:len(b)]) == string(b) {
		h += 1 << 13
	}
	for j := range len(b) {
		if string(b[j:]) == "t" {
			h += j << 14
		}
	}
	buf := k.Buf[i*16 : i*16+16]
	n := copy(buf, string(b))
	n += copy(buf[2:], string(buf[:n])) // source and destination overlap
	buf = append(buf[:n], string(c)...)
	h += len(buf) << 16

	if bytes.Equal(b, c) {
		h += 1 << 20
	}
	h += (bytes.Compare(b, c) + 1) << 21
	h += (bytes.Index(k.In, b) + bytes.IndexByte(k.In, 't') + bytes.Count(k.In, c) + bytes.LastIndex(k.In, c)) << 23
	if bytes.HasPrefix(k.In[i:], verbs[1][:]) || bytes.HasSuffix(b, []byte("t")) || bytes.Contains(b, c) {
		h += 1 << 36
	}
	before, after, found := bytes.Cut(b, []byte("u"))
	if found {
		h += (len(before) + 3*len(after)) << 37
	}
	h += len(bytes.TrimPrefix(b, []byte("p"))) << 42
	k.Out[i] = h
}
