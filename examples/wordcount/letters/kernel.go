// Package letters finds the words of a text. A word is letters and digits in a row, of which large ASCII
// letters are as small ones; each byte above ASCII is taken for a letter.
package letters

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// Words says where words begin in a text, and sets the hashes of those.
type Words struct {
	Text   []byte
	Starts []bool
	Hashes []uint64
}

// Kernel looks at one byte, and goes through the word that it begins.
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

// Hash returns the hash of a word by FNV-1a. Two words of a text may have the same, of whose 64 bits
// each is chosen as if at random: among a million different words, once in 37 million texts.
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

// small returns a byte of a word, as a small letter if it is a large one, and 0 for other bytes.
func small(c byte) byte {
	switch {
	case 'A' <= c && c <= 'Z':
		return c + 'a' - 'A'
	case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c >= 0x80:
		return c
	}
	return 0
}

// Find returns the first word of a text that has a hash. It runs on the host.
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
