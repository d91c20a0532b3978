package near

import (
	"hash"
	"hash/crc32"
	"hash/fnv"
)

var passed = [8]byte{1, 7, 3, 2, 0, 5, 0, 8}

// Type `sums` adds bytes to a hash, and counts the bytes.
type sums struct {
	of hash.Hash32
	n  int
}

func newSums(n int) *sums {
	s := &sums{of: fnv.New32()}
	if n > 3 {
		s.of = crc32.NewIEEE()
	}
	return s
}

func (s *sums) add(p []byte) {
	s.of.Write(p)
	s.n += len(p)
}

// Passed returns one of the bytes that PassOn passes to the hash.
func Passed(i int) byte { return passed[i%8] }

// PassOn returns a checksum of the bytes.
func PassOn(n int) uint32 {
	s := newSums(n)
	s.add(passed[:n])
	s.add(passed[n:])
	return s.of.Sum32()
}
