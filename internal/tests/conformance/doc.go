// Package conformance tests each row of docs/conformance.md, which lists what
// specialization constants, kernel properties and private memory promise. Tests
// are named after rows; they run on the host device and on the Vulkan device.
package conformance
