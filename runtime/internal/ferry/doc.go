// Package ferry moves bytes between the memory of two devices.
//
// Memory that the host accesses needs one command of the other device. Some destinations can copy
// from the source's memory themselves. Bytes between two other memories that only their devices
// access go through memory of the host, in pieces: while the destination writes one piece, the
// source reads the next ones.
package ferry
