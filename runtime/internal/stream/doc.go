// Package stream turns recorded commands into batches for a backend.
//
// A [Stream] is the single ordered sequence of commands of a device. Each queue has a [Recorder],
// which is called a front of the stream. Many goroutines can record commands into the stream, each
// through a front. Each command states which ranges of memory it reads and writes. The [Tracker]
// compares these ranges with the ranges of all commands since the last barrier. If one of two
// commands writes memory that the other command uses, the Tracker requests a barrier between the
// two commands. Since all queues of a device share the stream, the Tracker finds hazards between
// queues, too.
//
// The stream submits recorded commands together as a batch. A batch is submitted when a caller
// waits, when the batch is full, or a moment after the batch's first command was recorded.
//
// Released memory is freed when the last batch that uses it has completed.
package stream
