package golang

import (
	"bytes"

	"github.com/kgen-go/kgen/dsl"
)

// Spelled converts bytes to strings and reads their runes. The bytes come from one of several slices.
type Spelled struct {
	In, Other []byte
	Out       []int32
}

// Kernel converts one of two slices.
func (k Spelled) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	var own [7]byte
	copy(own[:], k.Other)
	b := k.In[i:min(i+i%9, len(k.In))]
	if i%3 == 0 {
		b = own[i%4:]
	}
	if i%7 == 5 {
		b = nil
	}
	h := int32(len(string(b)))
	for at, r := range string(b) {
		h = h*31 + r + int32(at)
	}
	for at, r := range string(k.In[i : i+4]) {
		h = h*17 + r ^ int32(at)
	}
	switch string(b) {
	case "bcd", "":
		h += 1 << 20
	case "calm":
		h += 1 << 21
	}
	s := string(b)
	if s < "c" {
		h += 1 << 22
	}
	if len(s) > 1 {
		t := s[1:]
		h += int32(t[0]) * 3
		if t == string(k.Other[1:len(t)+1]) || t[:1] == "\xac" {
			h += 1 << 23
		}
		if u := t[i%2:]; u != s {
			h += int32(len(u)) << 10
		}
	}
	if bytes.Equal(b, own[:]) || bytes.HasPrefix(b, own[1:2]) {
		h += 1 << 24
	}
	n := 0
	for range s {
		n++
	}
	k.Out[i] = h*5 + int32(n)
}
