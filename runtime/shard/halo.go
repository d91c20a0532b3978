package shard

import "github.com/kgen-go/kgen/runtime"

// Exchange copies the rows at the edges of each block to the halos of the neighbouring devices. The
// functions that Each runs for the devices must all make the same calls of Exchange in the same
// order. Each call of Exchange waits until the functions of all devices have called Exchange, but
// does not wait until the copies have completed. The copies see the writes of all launches before
// the call, and launches after the call see the copied rows.
//
//	err := shard.Each(ctx, g, func(p shard.Part) error {
//		for range steps {
//			… launch a step from x.Around(p) to y.Around(p)
//			if err := y.Exchange(p); err != nil {
//				return err
//			}
//			x, y = y, x // x and y are variables of this function
//		}
//		return nil
//	})
//
// The copies read the first and last rows of each block, as many as the halo has, and write the halos.
// Launches that neither write these rows nor read or write the halos may run at the same time
// as the copies. Only the views of a launch count, not the elements that its kernel uses. If one device's
// function returns without calling Exchange, or calls another method instead, Each and all calls of Exchange
// return ErrInvalid.
func (x *Array[T]) Exchange(p Part) error {
	if err := x.fits(p); err != nil {
		return err
	}
	if x.halo == 0 {
		return p.failed(invalid("give New the option Halo", "Exchange of an array without halos"))
	}
	return p.meets(x, "Exchange", func(r *run) error {
		for i := range len(r.parts) - 1 {
			at := x.cuts[i+1] // first row of block i+1
			before, after := x.rowsOf(i, at-x.halo, at), x.rowsOf(i+1, at, at+x.halo)
			if err := r.enqueueCopy(i, runtime.Copy(x.rowsOf(i+1, at-x.halo, at), before)); err != nil {
				return err
			}
			if err := r.enqueueCopy(i+1, runtime.Copy(x.rowsOf(i, at, at+x.halo), after)); err != nil {
				return err
			}
		}
		return nil
	})
}
