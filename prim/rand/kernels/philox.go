// Package kernels contains the kernels of package rand. Each work-item computes blocks of four words. Elements made
// from the same block are Row elements apart in memory, so neighbouring work-items store to neighbouring elements.
//
//kgen:variants load
package kernels

//go:generate go tool kgen .

// Row is the distance in memory between two elements that are made from the same block.
const Row = 256

// Plain, Further and Shuffled are the kinds of blocks. The two highest bits of a block's number contain the kind.
const (
	Plain    = 0 << 62 // blocks that make the elements
	Further  = 1 << 62 // blocks with more random bits for an element of Ints; the other bits of the number are the element's index
	Shuffled = 2 << 62 // blocks that make the keys of a permutation
)

// Philox returns the four words of Philox4x32-10 for a counter and a key.
func Philox(c0, c1, c2, c3, k0, k1 uint32) (w0, w1, w2, w3 uint32) {
	c0, c1, c2, c3 = round(c0, c1, c2, c3, k0, k1)
	c0, c1, c2, c3 = round(c0, c1, c2, c3, k0+1*step0&mask, k1+1*step1&mask)
	c0, c1, c2, c3 = round(c0, c1, c2, c3, k0+2*step0&mask, k1+2*step1&mask)
	c0, c1, c2, c3 = round(c0, c1, c2, c3, k0+3*step0&mask, k1+3*step1&mask)
	c0, c1, c2, c3 = round(c0, c1, c2, c3, k0+4*step0&mask, k1+4*step1&mask)
	c0, c1, c2, c3 = round(c0, c1, c2, c3, k0+5*step0&mask, k1+5*step1&mask)
	c0, c1, c2, c3 = round(c0, c1, c2, c3, k0+6*step0&mask, k1+6*step1&mask)
	c0, c1, c2, c3 = round(c0, c1, c2, c3, k0+7*step0&mask, k1+7*step1&mask)
	c0, c1, c2, c3 = round(c0, c1, c2, c3, k0+8*step0&mask, k1+8*step1&mask)
	return round(c0, c1, c2, c3, k0+9*step0&mask, k1+9*step1&mask)
}

// After each round, step0 and step1 are added to the key.
const (
	step0 = 0x9e3779b9
	step1 = 0xbb67ae85
	mask  = 1<<32 - 1
)

// round() computes one round of Philox.
func round(c0, c1, c2, c3, k0, k1 uint32) (w0, w1, w2, w3 uint32) {
	p, q := uint64(c0)*0xd2511f53, uint64(c2)*0xcd9e8d57
	return uint32(q>>32) ^ c1 ^ k0, uint32(q), uint32(p>>32) ^ c3 ^ k1, uint32(p)
}

// Block returns the four words of a block of a stream.
func Block(seed, sequence, block uint64) (w0, w1, w2, w3 uint32) {
	return Philox(uint32(block), uint32(block>>32), uint32(sequence), uint32(sequence>>32), uint32(seed), uint32(seed>>32))
}

// From describes which elements of a stream a launch makes.
type From struct {
	Seed, Sequence uint64
	Block          uint64 // number of the launch's first block, a multiple of Row
	Index          uint64 // index that the launch's first element has in the stream
	Lead           uint32 // number of elements before the launch's first element, among the elements made from the first Row blocks
	Each           uint32 // number of blocks that each work-item computes
}

// block() returns the four words of a block of the launch.
func (f From) block(i uint32) (w0, w1, w2, w3 uint32) {
	return Block(f.Seed, f.Sequence, f.Block+uint64(i))
}

// place() returns the index of the first element made from block i, counted from the launch's first element.
// The index may be negative. The argument `elements` is the number of elements made from each block.
func (f From) place(i, elements uint32) int {
	return int(int32(i/Row*(Row*elements)+i%Row) - int32(f.Lead))
}

// first() returns the number of elements that a launch processes. The launch's slice has n elements, which
// begin at index `base` of the whole call. If length is not empty, the call has only length[0] elements.
func first(n, base int, length []int64) int {
	if len(length) == 0 {
		return n
	}
	return int(min(int64(n), max(length[0]-int64(base), 0)))
}

// put() sets out[at] to x if the index is in range.
func put[T any](out []T, at int, x T) {
	if uint(at) < uint(len(out)) {
		out[at] = x
	}
}
