// Package ferry moves bytes between the memory of two devices.
//
// If the host can access the memory of one device, a single command of the other device moves the
// bytes. Some devices can copy directly from another device's memory. In all other cases, the bytes
// go through memory of the host, in several pieces. While the destination device writes one piece,
// the source device reads the next pieces.
package ferry
