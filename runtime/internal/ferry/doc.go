// Package ferry moves bytes between the memory of two devices.
//
// If the host accesses one of the two memories, one command of the other device is enough. Some
// destinations can copy from the source's memory directly. All other moves go through memory of the
// host, in pieces: while the destination writes one piece, the source reads the next ones.
package ferry
