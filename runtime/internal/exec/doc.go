// Package exec prepares launches and graphs for a device, below the API. The package chooses the
// module of a kernel, keeps the pipelines made from modules, and converts launches to commands of
// the device's stream. A graph becomes a sequence of commands. The order of commands follows from
// the memory of the graph's nodes, and launches in the sequence may be fused.
//
//	Launch   a call with the state of its launch; launch.go
//	Kernel   the modules of a kernel; kernel.go
//	Pipelines, Memos   the pipelines of a device, and launches that it remembers
//	Graph    nodes, divided into units (units.go), that are planned as a Sequence; Update plans anew
//
// Package exec does not use the API. Package runtime makes the errors that users see, and
// implements the interfaces Maker, Device and EventMaker.
package exec
