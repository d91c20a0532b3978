package corpus

import "github.com/kgen-go/kgen/dsl"

// Reduce adds up each work-group's elements as a tree.
type Reduce struct {
	In  []int32
	Out []int32
}

func (k Reduce) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[64]int32](it)
	l := it.LocalID()
	tile[l] = k.In[it.GlobalID()]
	it.Barrier()
	for s := it.LocalRange() / 2; s > 0; s /= 2 {
		if l < s {
			tile[l] += tile[l+s]
		}
		it.Barrier()
	}
	if l == 0 {
		k.Out[it.GroupID()] = tile[0]
	}
}

// Transpose transposes through a tile in work-group memory.
type Transpose struct {
	W, H    int
	In, Out []float32
}

func (k Transpose) Kernel(it dsl.NDItem2) {
	tile := dsl.Local[[8][9]float32](it)
	ly, lx := it.LocalID()
	gy, gx := it.GroupID()
	y, x := gy*8+ly, gx*8+lx
	if y < k.H && x < k.W {
		tile[ly][lx] = k.In[y*k.W+x]
	}
	it.Barrier()
	y, x = gx*8+ly, gy*8+lx
	if y < k.W && x < k.H {
		k.Out[y*k.H+x] = tile[lx][ly]
	}
}

// Neighbours uses local memory whose size the host sets.
type Neighbours struct {
	In, Out []int32
	Tile    dsl.LocalAccessor[int32]
}

func (k Neighbours) Kernel(it dsl.NDItem1) {
	tile := k.Tile.Slice(it)
	n, l, g := it.LocalRange(), it.LocalID(), it.GlobalID()
	tile[l] = k.In[g]
	if l == 0 {
		tile[n] = 7
	}
	it.Barrier()
	k.Out[g] = tile[l+1]*10 + int32(len(tile))
}

// ReturnEarly has work-items that return before a barrier.
type ReturnEarly struct {
	N       int
	In, Out []int32
}

func (k ReturnEarly) Kernel(it dsl.NDItem1) {
	tile := dsl.LocalSlice[int32](it, 32)
	i, l := it.GlobalID(), it.LocalID()
	if i >= k.N {
		return
	}
	tile[l] = k.In[i]
	it.Barrier()
	k.Out[i] = tile[(l+1)%32] + 1
}

// FaultBeforeBarrier faults in one work-item, while the others wait at the barrier.
type FaultBeforeBarrier struct {
	Bad     int
	In, Out []int32
}

func (k FaultBeforeBarrier) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[32]int32](it)
	i, l := it.GlobalID(), it.LocalID()
	j := i
	if i == k.Bad {
		j = len(k.In) + 5
	}
	tile[l] = k.In[j]
	it.Barrier()
	sum := int32(0)
	for _, v := range tile {
		sum += v
	}
	k.Out[i] = sum
}

// LoopedLocal declares its local memory in a loop, so that the declaration runs several times.
type LoopedLocal struct {
	Out []int32
}

func (k LoopedLocal) Kernel(it dsl.NDItem1) {
	l := it.LocalID()
	sum := int32(0)
	for round := range 3 {
		tile := dsl.Local[[16]int32](it)
		sum = sum*10 + tile[l]
		it.Barrier()
		tile[(l+round)%16] = int32(l + round)
		it.Barrier()
		sum += tile[15-l]
	}
	k.Out[it.GlobalID()] = sum
}

// IDs stores every id of an nd-item.
type IDs struct {
	Out []int32
}

func (k IDs) Kernel(it dsl.NDItem3) {
	z, y, x := it.GlobalID()
	lz, ly, lx := it.LocalID()
	gz, gy, gx := it.GroupID()
	rz, ry, rx := it.LocalRange()
	nz, ny, nx := it.GroupRange()
	out := k.Out[it.GlobalLinearID()*8:][:8]
	out[0] = int32(z*10000 + y*100 + x)
	out[1] = int32(lz*10000 + ly*100 + lx)
	out[2] = int32(gz*10000 + gy*100 + gx)
	out[3] = int32(rz*10000 + ry*100 + rx)
	out[4] = int32(nz*10000 + ny*100 + nx)
	out[5] = int32(it.LocalLinearID())
	out[6] = int32(it.GroupLinearID())
	out[7] = int32(it.GlobalLinearID())
}
