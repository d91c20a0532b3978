package groups

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// Zeros has work-group memory that need not be zeroed, because the group writes all elements before
// it reads them. Zeros also has similar memory that must be zeroed.
type Zeros struct {
	N       int
	In, Out []int32
}

// Properties sets the work-group's size, from which kgen knows which elements the group writes.
func (Zeros) Properties() properties.List { return properties.List{properties.WorkGroupSize(64)} }

// Kernel adds up elements that other work-items have written, with a factor for each variable.
func (k Zeros) Kernel(it dsl.NDItem1) {
	l, i := it.LocalID(), it.GlobalID()
	v := int32(i*37%211 - 60) // computed, not loaded from In, because a load may fault
	whole := dsl.Local[[128]int32](it)
	short := dsl.Local[[129]int32](it) // the last element is read before it is written
	read := dsl.Local[[64][3]int32](it)
	pads := dsl.Local[[64][3]int32](it) // the last column is read before it is written
	some := dsl.Local[[64]int32](it)    // only work-items with an odd v write their elements
	early := dsl.Local[[64]int32](it)   // read before the barrier and before it is written
	whole[l], whole[l+64] = v, ^v
	short[l], short[l+64] = v, ^v
	read[l][0], read[l][1] = v, v+1
	pads[l][0], pads[l][1] = v, v+1
	if v%2 != 0 {
		some[l] = v
	}
	first := early[l]
	early[l] = v
	it.Barrier()
	x := uint32(v) % 64
	sum := first + 3*whole[x] + 5*whole[127-x] + 7*short[128-x] + 11*read[x][uint32(k.N)%2] + 13*pads[x][uint32(k.N)%3] + 17*some[x] + 19*early[x]
	it.Barrier()
	if pads[l][2] = 99; l == 0 { // if memory is not zeroed, the next group reads these values
		short[128] = 77
	}
	for r := range k.N {
		round := dsl.Local[[64]int32](it)
		round[l] = v + int32(r)
		it.Barrier()
		sum = sum*3 + round[(x+uint32(r))%64]
	}
	late := dsl.Local[[64]int32](it)
	if k.In[i]%3 == 0 {
		k.Out[i] = sum
		return
	}
	late[l] = v // work-items that have returned do not write their elements
	it.Barrier()
	k.Out[i] = sum*5 + late[x]
}
