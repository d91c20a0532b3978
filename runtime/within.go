package runtime

import "context"

// NewQueueWithin returns a further queue, whose commands end when ctx ends, as with WithContext(ctx).
// A command with a WithContext of its own ends with that context alone. Calls on the queue that
// take a context, such as CopyTo, end with theirs. A nil ctx means that commands do not end early.
func (d *Device) NewQueueWithin(ctx context.Context) *Queue {
	q := d.NewQueue()
	q.ctx = ctx
	return q
}
