package runtime

import "context"

// NewQueueWithin returns a further queue, whose commands end when ctx ends, as with WithContext(ctx). A
// command with a WithContext of its own ends with that context alone. A call on the queue that has a
// context as argument, such as CopyTo, ends when that context ends. A nil ctx means that commands do not
// end early.
func (d *Device) NewQueueWithin(ctx context.Context) *Queue {
	q := d.NewQueue()
	q.ctx = ctx
	return q
}
