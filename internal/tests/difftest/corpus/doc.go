// Package corpus contains kernels that use every construct of the language. The differential
// test runs each on the host device, where gc has compiled it, and on the other devices. The
// test compares all memory. In host forms integers of 8, 16 and 32 bits all have 32 bits,
// and an int is an int64. So not every instance of a generic kernel has a host form of its
// own.
//
//kgen:bare nospare noform=ConvertInt,ConvertUint,GroupIntsInt16,ShufflesUint32 views=Small,Vectors,VectorsSmall,VectorsMixed
package corpus

//go:generate go tool kgen .
