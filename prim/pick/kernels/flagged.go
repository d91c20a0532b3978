package kernels

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/properties"
)

// The type `word` constrains the types of the words of an element.
type word interface{ uint8 | uint32 }

// Flagged picks the elements of X whose flags are set, and stores them at the beginning of Out.
type Flagged[T word] struct {
	X      []T
	Flags  []bool
	Length []int64 // number of elements of the whole call, or empty for all elements of the slice
	State  []uint32
	Words  int // number of words of an element
	Out    []T
	Count  []int64 // number of picked elements
}

// Flagged32 is the kernel for elements whose size is a multiple of 4 bytes, and Flagged8 is for other elements.
type (
	Flagged8  = Flagged[uint8]
	Flagged32 = Flagged[uint32]
)

// Properties sets the work-group's size.
func (Flagged[T]) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(Size)}
}

// picked() returns a word with a bit for each element of a leaf. The bit is set if the element is picked.
func (k Flagged[T]) picked(leaf, n int) (set uint32) {
	for j := range Each {
		if leaf+j < n && k.Flags[leaf+j] {
			set |= 1 << j
		}
	}
	return set
}

// Kernel picks elements of a tile.
func (k Flagged[T]) Kernel(it dsl.NDItem1) {
	n := first(len(k.Flags), k.Length)
	t, ok := pick(it, k.State, n, k.Count, false, func(leaf int) uint32 { return k.picked(leaf, n) })
	if !ok {
		return
	}
	for i := it.LocalID(); i < t.all; i += Size {
		to, from := (t.start+i)*k.Words, (t.base+int(t.order[i%Tile]))*k.Words
		for w := range k.Words {
			k.Out[to+w] = k.X[from+w]
		}
	}
}
