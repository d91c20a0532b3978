// Package rand contains functions that make random numbers, and functions that put elements in a
// random order.
//
//	s := rand.Stream{Seed: 1}
//	err := rand.Uniform(ctx, dev, s, xs)     // a slice of numbers of at least 0 and less than 1
//	ev, err := rand.NormalOn(q, s, out)      // a view of numbers of the normal distribution
//	ys, err := rand.Shuffle(ctx, dev, s, xs) // the elements of a slice in a random order
//
// The documentation of package prim has the rules of all these functions. The random numbers are
// for simulations and tests. They are not for secrets, because someone who knows some numbers can
// find the seed.
//
// # Streams
//
// A number depends only on the stream, on the number's index in the stream, and on the function. A
// number does not depend on the device, the number of elements, or the number of calls. To continue
// after another call, add the number of elements of that call to the stream's Offset. A stream has
// 1<<60 elements, and a call for more is an error (ErrInvalid). Streams of different seeds or
// sequences are independent. Different functions with the same stream make numbers from the same
// words. Use a different sequence for each purpose.
//
// # Words
//
// All functions begin with blocks of four 32-bit words. Block b is the result of Philox4x32-10
// (Salmon et al., "Parallel Random Numbers", SC 2011). Philox's key is the seed. Philox's counter
// consists of the two words of b and the two words of the sequence. The lower word comes first.
//
// An element of up to 32 bits uses one word. The words of 256 neighbouring blocks make rows of 256
// neighbouring elements. The element with index i uses word i/256%4 of block i/1024*256 + i%256. An
// element of 64 bits uses two words, the lower one first. They come from block i/512*256 + i%256.
// If i/256 is even, they are its words 0 and 1, and otherwise its words 2 and 3.
//
// # Numbers
//
// Bits makes integers from the lowest bits of the word.
//
// For float32s, Uniform multiplies the highest 24 bits of the word by 2**-24. For float64s, it
// multiplies the highest 53 bits by 2**-53. So all possible results of Uniform have the same
// probability, and 1 is not one of them.
//
// IntN makes integers. IntN regards the word as a fraction u of at least 0 and less than 1. The
// result is u*n, rounded down. If more digits of u could change the result, IntN takes more digits
// from the four words of block 1<<62 + i. The probability of each integer differs from 1/n by at
// most 2**-160.
//
// Normal uses the method of Box and Muller. It makes two numbers at a time, from the words of two
// elements that are 256 apart. The numbers are r*cos(a) and r*sin(a), where r is the square root of
// -2*log(u). For float32, u is the first word plus 1, times 2**-32. For float64, u is the highest
// 53 bits plus 1, times 2**-53. The angle a comes from the second element's word. The two highest
// bits of that word are a number of quarter turns. The other bits of the word are an angle that is
// added to the quarter turns. The absolute value of float32s is at most 6.66, and that of float64s
// at most 8.58. Logarithms and roots of float32 are computed by package math32. Logarithms and
// roots of float64, and all sines, are computed by sums and products. Each sum and product is
// rounded. Therefore all numbers have the same bits on every device.
//
// # Orders
//
// Shuffle puts n elements in one of their orders. Element i of the result is the input element with
// index f(i), where f is a bijection. A Feistel network of 16 rounds mixes the bits of i. If n-1
// has b bits, it mixes max(8, b) bits. The network is applied again until the result is less than
// n. Then, in one half of all orders, indices 0 and 1 are exchanged. The keys of the rounds are
// words of five blocks, from block 1<<63 + 8*Offset on. These words also decide whether indices 0
// and 1 are exchanged. The stream's Offset is therefore the number of the order, and Offset+1 is
// the number of the stream's next order. According to tests, all orders of a small number of
// elements are equally probable. For many elements, only a small part of all orders can occur, as
// with every generator whose state has so few bits.
//
// # Types
//
// Uniform and Normal make float32s and float64s. IntN and Bits make integers of all integer types
// of Go. Uniform, Normal, IntN and Bits also support types whose underlying type is one of these,
// but not the types of package half (ErrInvalid). Float64s need a device with properties.FP64
// (ErrKernelNotSupported otherwise). Shuffle moves elements of any type that buffers can have, and
// keeps all their bits.
//
// # Cost
//
// Each function needs one launch for every 1<<30 elements. Each function writes each element once,
// and needs no scratch memory. Shuffle also reads each element once, at random indices, and does
// not work in place.
package rand
