// Package letters finds the words of a text. A word is a sequence of letters and digits. Upper-case
// ASCII letters count as lower-case. Each byte above ASCII counts as a letter.
package letters

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// Words finds the positions at which words begin in a text, and computes the hashes of these words.
type Words struct {
	Text   []byte
	Starts []bool
	Hashes []uint64
}

// Kernel checks one byte. If a word begins at the byte, Kernel reads the word.
func (k Words) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	if k.Starts[i] = Begins(k.Text, i); k.Starts[i] {
		k.Hashes[i] = Hash(k.Text, i)
	}
}

// Begins reports whether a word begins at a byte.
func Begins(text []byte, i int) bool {
	return small(text[i]) != 0 && (i == 0 || small(text[i-1]) == 0)
}

// Hash returns the hash of a word by FNV-1a. Two words of a text may have the same 64-bit hash. In a
// text with a million different words, the probability of this is one in 37 million.
func Hash(text []byte, i int) uint64 {
	h := uint64(0xcbf29ce484222325)
	for ; i < len(text); i++ {
		c := small(text[i])
		if c == 0 {
			break
		}
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	return h
}

// small() returns a byte of a word in lower case, or 0 for a byte that is not part of a word.
func small(c byte) byte {
	switch {
	case 'A' <= c && c <= 'Z':
		return c + 'a' - 'A'
	case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c >= 0x80:
		return c
	}
	return 0
}

// Find returns the first word of a text with the given hash. Find runs on the host.
func Find(text []byte, hash uint64) string {
	for i := range text {
		if !Begins(text, i) || Hash(text, i) != hash {
			continue
		}
		var word []byte
		for ; i < len(text) && small(text[i]) != 0; i++ {
			word = append(word, small(text[i]))
		}
		return string(word)
	}
	return ""
}
