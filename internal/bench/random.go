package bench

import (
	"fmt"

	primrand "github.com/kgen-go/kgen/prim/rand"
)

// randomOf measures the generation of uniform random numbers. The peer is a loop over the same blocks of the
// generator.
func randomOf(b *Bench, n int) (primCall, error) {
	out, err := memoryFor[float32](b, n)
	s := primrand.Stream{Seed: 0x0123456789abcdef, Sequence: 7}
	ho := make([]float32, n)
	// checkBlocks compares the numbers in got with the numbers in the generator's blocks. blockOf returns the block of
	// the generator that contains number i, and the index of number i in the block. blockOf differs
	// between prim's kernel and the loop in Go, because they use blocks in different orders.
	checkBlocks := func(got []float32, blockOf func(i int) (block, word int)) error {
		step := max(1, n/nearSamples)
		for i := 0; i < n; i += step {
			at, word := blockOf(i)
			w0, w1, w2, w3 := philoxWords(s, uint32(at))
			if want := float32([4]uint32{w0, w1, w2, w3}[word]>>8) * 0x1p-24; got[i] != want {
				return fmt.Errorf("element %d of %d is %v, want %v", i, n, got[i], want)
			}
		}
		return nil
	}
	return primCall{
		run: func() error { _, err := primrand.UniformOn(b.q, s, out.all()); return err },
		out: out,
		check: func() error {
			got, err := out.readBack()
			return firstSet(err, checkBlocks(got, func(i int) (block, word int) { return i/1024*256 + i%256, i / 256 % 4 }))
		},
		host: plainLoop(b, ho, n/4, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				w0, w1, w2, w3 := philoxWords(s, uint32(i))
				o := ho[4*i : 4*i+4 : 4*i+4]
				o[0], o[1], o[2], o[3] = float32(w0>>8)*0x1p-24, float32(w1>>8)*0x1p-24, float32(w2>>8)*0x1p-24, float32(w3>>8)*0x1p-24
			}
		}, func() error { return checkBlocks(ho, func(i int) (block, word int) { return i / 4, i % 4 }) }),
	}, err
}

// philoxWords returns the four 32-bit words of the given block of a stream.
func philoxWords(s primrand.Stream, block uint32) (c0, c1, c2, c3 uint32) {
	c0, c1, c2, c3 = block, uint32(0), uint32(s.Sequence), uint32(s.Sequence>>32)
	k0, k1 := uint32(s.Seed), uint32(s.Seed>>32)
	for range 10 {
		p, q := uint64(c0)*0xd2511f53, uint64(c2)*0xcd9e8d57
		c0, c1, c2, c3 = uint32(q>>32)^c1^k0, uint32(q), uint32(p>>32)^c3^k1, uint32(p)
		k0, k1 = k0+0x9e3779b9, k1+0xbb67ae85
	}
	return c0, c1, c2, c3
}
