// Package shard runs kernels on several devices at the same time, for example on all GPUs of a machine.
//
//	g, err := shard.Open()                    // every GPU
//	x, err := shard.Scatter(ctx, g, xs)       // a block of xs on each device
//	y, err := shard.New[float32](g, len(xs))
//	err = shard.Each(ctx, g, func(p shard.Part) error {
//		_, err := gen.SAXPY{A: 2, X: x.On(p), Y: y.On(p)}.ParallelFor(p.Queue, runtime.Range1(x.LenOn(p)))
//		return err
//	})
//	err = y.Gather(ctx, ys)
//
// A [Group] is a list of devices. The rows of an [Array] are divided among the devices of a group,
// so that each device stores one block of consecutive rows. An array of one dimension has rows of
// one element. With [Shape], an array may have two or three dimensions, and is divided along the
// first dimension. The number of rows of a device depends on its weight, which [Group.Measure] can
// measure. With [Halo], a device also stores copies of the rows of other blocks that are next to
// the device's own block. [Array.Exchange] updates these copies. [Copies] is a buffer of the same
// length on each device.
//
// [Each] calls a function for each device at the same time, and waits until all launches of these
// calls have completed. The first error ends the launches on all devices. Each returns the first
// error as an [Error] that names the device. If a launch has not run to its end, the elements that
// it writes are unusable until a later command writes them. All other memory and all other devices
// remain usable.
//
// # The same results for any number of devices
//
// If a kernel computes each element independently, the results have the same bits for any number of
// devices. Sums of floats depend on the order of additions. With [Blocks], this order does not
// depend on the devices, because each device's block begins at a multiple of the number given to
// Blocks. [ReduceBlocks] returns one result for each block with the number of rows given to
// [Blocks]. [AllReduce] combines the rows of an array in the order of their indices.
package shard
