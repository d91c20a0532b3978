// Package conformance tests each row of docs/conformance.md, which lists the guarantees of specialization
// constants, kernel properties and private memory. Tests are named after rows, and run on the host device and
// on the Vulkan device.
package conformance
