package groups

import (
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
)

// LastBarrier calls a function with several return statements. The last return comes after a branch that depends on
// the work-item and after a barrier.
type LastBarrier struct {
	In, Out []int32
	Posts   []int32 // one element for each work-group
}

// Kernel adds the first element of the work-item's group to the group's element of Posts.
func (k LastBarrier) Kernel(it dsl.NDItem1) {
	i := it.GlobalID()
	v := k.posted(it, k.In[i])
	it.Barrier()
	k.Out[i] = v + k.In[it.GroupID()*it.LocalRange()]
}

func (k LastBarrier) posted(it dsl.NDItem1, v int32) int32 {
	g := it.GroupID()
	if g == 0 {
		if it.LocalID() == 0 {
			atomic.AddInt32(&k.Posts[0], 7)
		}
		return -v
	}
	sum := dsl.ReduceOverGroup(it.Group(), v, dsl.Plus)
	if it.LocalID() == 0 {
		k.Posts[g] = sum
	}
	it.Barrier()
	return sum ^ v
}
