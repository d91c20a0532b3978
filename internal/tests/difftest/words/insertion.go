package words

import "github.com/kgen-go/kgen/dsl"

// Insertion sorts numbers by their low three bits. It uses the insertion sort of
// slices.SortStableFunc. The indices of its stores are 64-bit loop variables.
type Insertion struct{ In, Out []int }

func insert(s []int, a, b int) {
	for i := a + 1; i < b; i++ {
		for j := i; j > a && s[j]&7 < s[j-1]&7; j-- {
			s[j], s[j-1] = s[j-1], s[j]
		}
	}
}

// Kernel sorts its 16 elements.
func (k Insertion) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	var s [16]int
	copy(s[:], k.In[i*16:i*16+16])
	a, b := 0, 20
	for b <= len(s) {
		insert(s[:], a, b)
		a, b = b, b+20
	}
	insert(s[:], a, len(s))
	copy(k.Out[i*16:i*16+16], s[:])
}
