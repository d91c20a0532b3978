package bench

import (
	"fmt"

	primrand "github.com/kgen-go/kgen/prim/rand"
)

// randomOf measures the generation of uniform random numbers. The peer is a loop over the same blocks of the
// generator.
func randomOf(b *Bench, n int) (call, error) {
	out, err := memoryFor[float32](b, n)
	s := primrand.Stream{Seed: 0x0123456789abcdef, Sequence: 7}
	ho := make([]float32, n)
	// check compares the numbers in got with those of their blocks. Function block returns the block that
	// contains number i, and the position there. The result differs between prim's kernel and the loop in Go.
	check := func(got []float32, block func(i int) (block, word int)) error {
		step := max(1, n/samples)
		for i := 0; i < n; i += step {
			at, word := block(i)
			w0, w1, w2, w3 := philox(s, uint32(at))
			if want := float32([4]uint32{w0, w1, w2, w3}[word]>>8) * 0x1p-24; got[i] != want {
				return fmt.Errorf("element %d of %d is %v, want %v", i, n, got[i], want)
			}
		}
		return nil
	}
	return call{
		run: func() error { _, err := primrand.UniformOn(b.q, s, out.all()); return err },
		out: out,
		check: func() error {
			got, err := out.get()
			return first(err, check(got, func(i int) (block, word int) { return i/1024*256 + i%256, i / 256 % 4 }))
		},
		host: plain(b, ho, n/4, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				w0, w1, w2, w3 := philox(s, uint32(i))
				o := ho[4*i : 4*i+4 : 4*i+4]
				o[0], o[1], o[2], o[3] = float32(w0>>8)*0x1p-24, float32(w1>>8)*0x1p-24, float32(w2>>8)*0x1p-24, float32(w3>>8)*0x1p-24
			}
		}, func() error { return check(ho, func(i int) (block, word int) { return i / 4, i % 4 }) }),
	}, err
}

// philox returns the four 32-bit words of the given block of a stream.
func philox(s primrand.Stream, block uint32) (c0, c1, c2, c3 uint32) {
	c0, c1, c2, c3 = block, uint32(0), uint32(s.Sequence), uint32(s.Sequence>>32)
	k0, k1 := uint32(s.Seed), uint32(s.Seed>>32)
	for range 10 {
		p, q := uint64(c0)*0xd2511f53, uint64(c2)*0xcd9e8d57
		c0, c1, c2, c3 = uint32(q>>32)^c1^k0, uint32(q), uint32(p>>32)^c3^k1, uint32(p)
		k0, k1 = k0+0x9e3779b9, k1+0xbb67ae85
	}
	return c0, c1, c2, c3
}
