package runtime

import "context"

// NewQueueWithin returns a further queue, whose commands end when ctx ends, as with
// WithContext(ctx). If a command has its own option WithContext, only that context ends the
// command. Likewise, if a call such as CopyTo has a context as an argument, only that context ends
// the call. A nil ctx means that commands do not end early.
func (d *Device) NewQueueWithin(ctx context.Context) *Queue {
	q := d.NewQueue()
	q.ctx = ctx
	return q
}
