package shard

import "github.com/kgen-go/kgen/runtime"

// Exchange copies the rows at the edges of each block to the halos of the neighbours. It is called
// in the function of Each, by all parts, in the same order as other calls of Exchange; a part waits
// in it for the others. The copies are commands of both devices: they see the writes of all launches
// before the call, and all launches after it see the copies. Exchange does not wait for the devices.
//
//	err := shard.Each(ctx, g, func(p shard.Part) error {
//		for range steps {
//			… launch a step from x.Around(p) to y.Around(p)
//			if err := y.Exchange(p); err != nil {
//				return err
//			}
//			x, y = y, x // of variables of the function
//		}
//		return nil
//	})
//
// Launches that use neither the halos nor the rows at the edges run beside the copies. It returns
// ErrInvalid, in all parts, if a part returns without the call, or calls another method meanwhile.
func (x *Array[T]) Exchange(p Part) error {
	if err := x.usable(); err != nil {
		return err
	}
	if !x.fits(p) {
		return invalid("use the array in Each of its own group", "Exchange of an array of another group")
	}
	if x.halo == 0 {
		return invalid("give New the option Halo", "Exchange of an array without halos")
	}
	return p.meets(x, "Exchange", func(r *run) error {
		for i := range len(r.parts) - 1 {
			at := x.cuts[i+1] // the first row of the later neighbour
			before, after := x.rowsOf(i, at-x.halo, at), x.rowsOf(i+1, at, at+x.halo)
			if err := r.copy(i, runtime.Copy(x.rowsOf(i+1, at-x.halo, at), before)); err != nil {
				return err
			}
			if err := r.copy(i+1, runtime.Copy(x.rowsOf(i, at, at+x.halo), after)); err != nil {
				return err
			}
		}
		return nil
	})
}
