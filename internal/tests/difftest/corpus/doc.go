// Package corpus contains kernels that use every construct of the language. The differential
// test runs each kernel on the host device, where gc has compiled the kernel, and on the
// other devices. The test compares all memory that the kernels may have written. Host forms, which
// kgen generates, widen integers of 8 and 16 bits to 32 bits, and int to int64. With the wider
// types, instances of a generic kernel can share a host form.
//
//kgen:bare nospare noform=ConvertInt,ConvertUint,GroupIntsInt16,ShufflesUint32 views=Small,Vectors,VectorsSmall,VectorsMixed
package corpus

//go:generate go tool kgen .
