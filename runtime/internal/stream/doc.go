// Package stream turns recorded commands into batches for a backend.
//
// A [Stream] is the one ordered line of commands of a device. Queues are fronts
// ([Recorder]) that record into it from many goroutines. Each command states
// which ranges of memory it reads and writes; the [Tracker] compares them with those
// of all commands since the last barrier. It asks for a barrier exactly where a
// command would otherwise overtake one that it must see (read after write,
// write after read, write after write). Since all queues of a device share the
// stream, hazards between queues are found as those within one.
//
// Recorded commands are submitted together: when a caller waits, when a batch is
// full, or a moment after its first command was recorded.
//
// Memory that its owner has released is freed when the last batch that uses it has
// completed.
package stream
