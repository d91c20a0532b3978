// Package rand has functions that make random numbers, and put elements in a random order.
//
//	s := rand.Stream{Seed: 1}
//	err := rand.Uniform(ctx, dev, s, xs)     // a slice of numbers of at least 0 and less than 1
//	ev, err := rand.NormalOn(q, s, out)      // a view of normal ones
//	ys, err := rand.Shuffle(ctx, dev, s, xs) // the elements of a slice in a random order
//
// Package prim has the rules of all such functions. They are for simulations and tests, not for secrets: whoever sees
// some numbers can find the seed.
//
// # Streams
//
// A number depends on the stream, its index and the function alone: not on the device, the number of elements, or how
// many calls make them. So a call goes on where another has stopped if its stream's Offset is that of the other and as
// many more as that made. A stream has 1<<60 elements; a call for more is ErrInvalid. Streams of different seeds or sequences have nothing to do with each other. Functions
// that are called with one stream make different numbers of the same words: give each use a sequence of its own.
//
// # Words
//
// All functions begin with blocks of four words of 32 bits: block b is the result of Philox4x32-10 (Salmon et al., Parallel
// Random Numbers: As Easy as 1, 2, 3, 2011), whose key is the seed, and whose counter is b in its first two words and the
// sequence in the last two, the lower one first.
//
// An element of up to 32 bits takes a word. Blocks make rows of 256 elements: that of index i takes word i/256%4
// of block i/1024*256 + i%256. An element of 64 bits takes two words, of which the first is the lower one: words 0 and 1
// of block i/512*256 + i%256 where i/256 is even, and words 2 and 3 where it is odd.
//
// # Numbers
//
// Bits makes integers of the lowest bits of the word.
//
// Uniform makes floats of the highest 24 bits of the word, times 1/1<<24, and float64s of the highest 53 bits, times
// 1/1<<53. So all have the same probability, and 1 never comes.
//
// IntN makes integers: the word, with a point before it, is a number u below 1, and the result is u*n, rounded
// down. Where further digits of u could change it, four more words are such digits: those of block 1<<62 + i. No integer's
// probability differs from 1/n by more than 1/1<<160.
//
// Normal makes two numbers of the four words or the two of two elements, 256 apart, by the method of Box and Muller: r*cos(a) and
// r*sin(a), where r is the root of -2*log(u). For float32, u is the first word and one more, times 1/1<<32; for float64 the
// highest 53 bits and one more, times 1/1<<53. The other word has the angle in its lower bits, and quarters
// of a turn in its highest two. Float32s are at most 6.66 from 0, and float64s 8.58. Logarithms and roots of float32 are package math32's; of
// float64, and all sines, they are series of sums and products alone, each rounded. So the bits are the same on every device.
//
// # Orders
//
// Shuffle puts n elements in one of their orders: element i becomes one whose index is a bijection of i. A Feistel
// network of 16 rounds mixes the bits of i, of which it takes at least 8, again until the result is less than n; then 0 and 1 are exchanged in one half of all
// orders. The keys of the rounds and that are the words of five blocks, from 1<<63 + 8*Offset on. So the Offset
// is the number of the order, and the next order of the stream has one more. All orders of few elements come equally
// often, as far as tests show; of many elements those that come are a small part of all, as with every generator of so few bits.
//
// # Types
//
// Uniform and Normal make float32s and float64s, IntN and Bits all integers of Go, and all make types made of these, but not
// those of package half (ErrInvalid). Float64s need a device with properties.FP64 (ErrKernelNotSupported elsewhere). Shuffle takes
// elements of any type that buffers have, and keeps all their bits.
//
// # Cost
//
// Each function is one launch for 1<<30 elements, writes each once, and takes no scratch memory. Shuffle also reads each
// once, at random places, and does not work in place.
package rand
