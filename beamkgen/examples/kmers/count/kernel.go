// Package count counts the k-mers of base sequences. The k-mers of a sequence are its substrings of K letters.
package count

import "github.com/kgen-go/kgen/dsl"

//go:generate go tool kgen .

// K is the number of bases of a k-mer.
const K = 3

// Kmers is the number of different k-mers, 4 to the power of K.
const Kmers = 1 << (2 * K)

// Count counts the k-mers of each sequence. A launch has n work-items for n sequences, and each work-item
// counts the k-mers of one sequence.
type Count struct {
	Bases  []byte   // letters of all sequences, one after the other
	Starts []int32  // indices in Bases at which the sequences begin; then the index at which the last sequence ends
	Counts []uint32 // n*Kmers counts, which are zero before the launch
}

// Kernel counts the k-mers of one sequence. Kernel panics for a byte that is not a nucleotide letter.
func (k Count) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	counts := k.Counts[i*Kmers:][:Kmers]
	kmer, known := 0, 0 // number of the k-mer that ends at the current base; number of consecutive known bases up to the current base
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

// Base returns 0 for the letter A, 1 for C, 2 for G, and 3 for T and U. Base returns -1 for a gap, and
// for letters that stand for several bases. Base panics for other bytes than nucleotide letters.
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

// Name returns the letters of the k-mer with the given number, from 0 to Kmers-1.
func Name(kmer int) string {
	var name [K]byte
	for i := range name {
		name[i] = "ACGT"[kmer>>(2*(K-1-i))&3]
	}
	return string(name[:])
}
