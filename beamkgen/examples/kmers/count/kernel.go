// Package count counts the k-mers of sequences of bases: their substrings of K letters.
package count

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// K is the number of bases of a k-mer.
const K = 3

// Kmers is the number of different k-mers, 4 to the power of K.
const Kmers = 1 << (2 * K)

// Count counts the k-mers of each sequence. The range is the number n of sequences, and each work-item
// counts in one.
type Count struct {
	Bases  []byte   // letters of all sequences, one after the other
	Starts []int32  // n+1 indices into Bases: the beginnings of the sequences, and the end of the last
	Counts []uint32 // n times Kmers zeros, to which the counts are added
}

// Kernel counts in one sequence. A byte that is no letter of a nucleotide is a fault.
func (k Count) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	counts := k.Counts[i*Kmers:][:Kmers]
	kmer, known := 0, 0 // the number of the last K bases, and how many bases before this place are known
	for _, letter := range k.Bases[k.Starts[i]:k.Starts[i+1]] {
		base := Base(letter)
		if base < 0 {
			known = 0
			continue
		}
		kmer = (kmer<<2 | base) & (Kmers - 1)
		if known++; known >= K {
			counts[kmer]++
		}
	}
}

// Base returns the number of a base: 0 for A, 1 for C, 2 for G, 3 for T and U, and -1 for the letters that
// stand for one of several bases, and for a gap. It panics for other bytes.
func Base(letter byte) int {
	switch letter {
	case 'A', 'a':
		return 0
	case 'C', 'c':
		return 1
	case 'G', 'g':
		return 2
	case 'T', 't', 'U', 'u':
		return 3
	case 'N', 'R', 'Y', 'S', 'W', 'K', 'M', 'B', 'D', 'H', 'V', 'n', 'r', 'y', 's', 'w', 'k', 'm', 'b', 'd', 'h', 'v', '-':
		return -1
	}
	panic("no letter of a nucleotide")
}

// Name returns the letters of a k-mer, which is a number below Kmers.
func Name(kmer int) string {
	var name [K]byte
	for i := range name {
		name[i] = "ACGT"[kmer>>(2*(K-1-i))&3]
	}
	return string(name[:])
}
