// Package exec brings launches and graphs to a device, below the API. It chooses the modules of a
// kernel, keeps the pipelines that are made of them, and makes commands of launches for the device's
// stream. Of a graph it makes a sequence of commands, whose order follows from the nodes' memory, and
// in which launches may be fused.
//
//	Launch   a call with the state of its launch; launch.go
//	Kernel   the modules of a kernel; kernel.go
//	Pipelines, Memos   the pipelines of a device, and launches that it remembers
//	Graph    nodes, divided into units (units.go), that are planned as a Sequence; Update plans anew
//
// Exec knows no word of the API. Package runtime makes the errors that users see, and does the work
// that needs the API: it implements Maker, Device and EventMaker.
package exec
