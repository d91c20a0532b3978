// Package shard runs kernels on several devices: on all GPUs of a machine, or on any devices.
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
// A [Group] is the devices. An [Array] is divided among them: each device has a block of rows. An
// array of one dimension has rows of one element. With [Shape], the array is cut along its first
// dimension. The devices' weights decide how many rows each one gets; [Group.Measure] measures
// weights. With [Halo], a device also keeps the rows next to its block, which belong to its
// neighbours; [Array.Exchange] fetches them. [Copies] are the same elements on every device.
//
// [Each] calls a function for each device at the same time and waits until the work that these
// calls have launched has completed. The first error ends the work on all devices, and is an
// [Error] that names its device. Elements that commands were to write, and did not, are then
// unusable until they are written again; everything else stays usable, and so do the other devices.
//
// # The same results for any number of devices
//
// A kernel that computes each element by itself gives the same bits however the array is cut. Sums
// of floats depend on the order of additions. [Blocks] makes the order independent of the devices:
// an array is then cut only at multiples of a number of rows, and [ReduceBlocks] returns a result
// for each such block, in order. [AllReduce] combines the rows of an array in their order.
package shard
