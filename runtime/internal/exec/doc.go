// Package exec prepares launches and graphs for a device. Package runtime uses package exec to
// implement the API. Package exec chooses the module of a kernel, keeps the pipelines made from
// modules, and converts launches to commands of the device's stream. A graph becomes a sequence of
// commands. The order of the sequence follows from the memory that the graph's nodes use. Launches
// in the sequence may be fused.
//
//   - A [Launch] is a call of a kernel, with the runtime's state.
//   - A [Kernel] contains the modules of a kernel.
//   - [Pipelines] contains the pipelines of a device, and [Memos] the launches that a device
//     remembers.
//   - A [Graph] contains nodes, which planning divides into units (units.go). The plan is a
//     [Sequence]. Graph.Update plans again.
//
// Package exec does not use the API. Package runtime makes the errors that users see, and
// implements the interfaces Maker, Device and EventMaker.
package exec
