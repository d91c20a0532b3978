package golang

import (
	"cmp"
	"slices"
	"sort"

	"github.com/kgen-go/kgen/dsl"
)

// Floats sorts floats in place. Some of the floats compare as equal, but have different bits.
type Floats struct {
	Buf []float64 // N elements for each work-item
	N   int
}

// Kernel sorts slices in device memory.
func (k Floats) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	slices.Sort(k.Buf[i*k.N : (i+1)*k.N])
}

// Entry is an element whose key alone determines the order.
type Entry struct {
	Key uint8
	At  int32
	W   float32
}

// Unstable sorts entries by their keys. The final order of entries with equal keys shows the order of
// comparisons.
type Unstable struct {
	Buf   []Entry // N entries for each work-item
	N     int
	Count []int32
}

// Kernel counts the comparisons, too.
func (k Unstable) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	n := int32(0)
	slices.SortFunc(k.Buf[i*k.N:(i+1)*k.N], func(a, b Entry) int {
		n++
		return cmp.Compare(a.Key, b.Key)
	})
	k.Count[i] = n
}

// Inconsistent sorts stably by a comparison that is inconsistent for NaNs.
type Inconsistent struct {
	Buf []float32 // N elements for each work-item
	N   int
}

// Kernel uses a comparison that does not treat NaNs specially.
func (k Inconsistent) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	slices.SortStableFunc(k.Buf[i*k.N:(i+1)*k.N], func(a, b float32) int {
		switch {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	})
}

// byWeight sorts entries through package sort.
type byWeight []Entry

func (s byWeight) Len() int           { return len(s) }
func (s byWeight) Less(i, j int) bool { return s[i].W < s[j].W }
func (s byWeight) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }

// Interfaces sorts through sort.Interface.
type Interfaces struct {
	Buf []Entry // 40 entries for each work-item
	Out []int
}

// Kernel sorts in reverse order, and searches.
func (k Interfaces) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	s := k.Buf[i*40 : i*40+40]
	sort.Sort(sort.Reverse(byWeight(s)))
	if sort.IsSorted(byWeight(s)) {
		k.Out[i]++
	}
	var n [20]int
	for j := range n {
		n[j] = int(s[j].At) * 7 % 31
	}
	sort.Ints(n[:])
	k.Out[i] += sort.SearchInts(n[:], i)*10 + sort.Search(20, func(j int) bool { return n[j] > 9 })*100
	at, ok := sort.Find(20, func(j int) int { return i - n[j] })
	if ok {
		k.Out[i] += at * 1000
	}
}

// StableInterfaces sorts stably through sort.Interface, in private memory.
type StableInterfaces struct{ Buf []Entry } // 40 entries for each work-item

// Kernel sorts some of the entries.
func (k StableInterfaces) Kernel(it dsl.Item1) {
	s := k.Buf[it.GlobalID()*40:][:40]
	var own [35]Entry
	copy(own[:], s[3:])
	sort.Stable(byWeight(own[2:]))
	copy(s, own[:])
}

// Shared sorts an array in work-group memory.
type Shared struct{ Buf []float32 }

// Kernel lets one work-item sort for the whole work-group.
func (k Shared) Kernel(it dsl.NDItem1) {
	t := dsl.Local[[32]float32](it)
	l := it.LocalID()
	t[l] = k.Buf[it.GlobalID()]
	it.Barrier()
	if l == 0 {
		slices.SortFunc(t[:], func(a, b float32) int { return cmp.Compare(b, a) })
	}
	it.Barrier()
	k.Buf[it.GlobalID()] = t[l]
}
