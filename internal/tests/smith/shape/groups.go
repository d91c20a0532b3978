package shape

import (
	"encoding/binary"
	"math/rand/v2"
)

// These constants determine the lengths of the slices in GroupArgs.
const (
	Shares = 4  // elements of Share per work-item
	Counts = 32 // elements of Counts for all work-items
	Longs  = 16 // elements of Longs for all work-items
)

// Op identifies an atomic operation. It is applied to an element that all work-items change. The element's
// index determines the operation, because the order of different operations would affect the result.
type Op uint8

// These constants are the operations.
const (
	Plus Op = iota
	Min
	Max
	And
	Or
)

// CountOps and LongOps list the operations on the elements of Counts and Longs. Element i has the operation
// whose index is i modulo the list's length.
var (
	CountOps = [8]Op{Plus, Min, Max, And, Or, Plus, Max, Or}
	LongOps  = [4]Op{Plus, Min, Max, Plus}
)

// GroupArgs contains the arguments of kernels with work-groups. Each work-item of a group writes
// its own part of Share. After a barrier, it reads other work-items' parts.
type GroupArgs struct {
	Args
	Share  []uint64
	Counts []uint32
	Longs  []int64
}

// GroupInputs returns arguments for the given number of work-items.
func GroupInputs(seed uint64, items int) GroupArgs {
	r := rand.New(rand.NewPCG(seed, 8))
	a := GroupArgs{Args: inputs(seed, items), Share: make([]uint64, items*Shares), Counts: make([]uint32, Counts), Longs: make([]int64, Longs)}
	for i := range a.Share {
		a.Share[i] = r.Uint64() >> r.IntN(64)
	}
	for i := range a.Counts {
		a.Counts[i] = r.Uint32() >> r.IntN(32)
	}
	for i := range a.Longs {
		a.Longs[i] = int64(r.Uint64()) >> r.IntN(64)
	}
	return a
}

func (a *GroupArgs) own() []any { return []any{a.Share, a.Counts, a.Longs} }

// Pack returns the bits of all memory that work-items may have written.
func (a *GroupArgs) Pack() []byte {
	b := a.Args.Pack()
	for _, s := range a.own() {
		var err error
		if b, err = binary.Append(b, binary.LittleEndian, s); err != nil {
			panic(err)
		}
	}
	return b
}

// Unpack sets the memory from the result of Pack.
func (a *GroupArgs) Unpack(b []byte) error {
	if err := a.Args.Unpack(b); err != nil {
		return err
	}
	b = b[len(a.Args.Pack()):]
	for _, s := range a.own() {
		n := binary.Size(s)
		if _, err := binary.Decode(b[:n], binary.LittleEndian, s); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}
