// Package stream turns recorded commands into batches for a backend.
//
// A [Stream] is the single ordered sequence of commands of a device. Queues are fronts ([Recorder])
// that record into it from many goroutines. Each command states which ranges of memory it reads and
// writes. The [Tracker] compares them with those of all commands since the last barrier. It asks
// for a barrier exactly where a command must follow an earlier one: read after write, write after
// read, and write after write. Since all queues of a device share the stream, the Tracker finds
// hazards between queues, too.
//
// Recorded commands are submitted together: when a caller waits, when a batch is
// full, or a moment after its first command was recorded.
//
// Memory that its owner has released is freed when the last batch that uses it has
// completed.
package stream
