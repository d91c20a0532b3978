package corpus

import "github.com/kgen-go/kgen/dsl"

// Cell is the element type of work-group memory.
type Cell struct {
	N    int32
	Full bool
	Sub  [3]int8
	W    float64
}

// LocalStructs keeps structs in each kind of work-group memory.
type LocalStructs struct {
	In   []int32
	Out  []int32
	Acc  dsl.LocalAccessor[Cell]
	Acc2 dsl.LocalAccessor[[2]uint16]
}

func tally(cs []Cell, at int) (n int32) {
	for i := range cs {
		if c := &cs[(i+at)%len(cs)]; c.Full {
			n = n*3 + c.N + int32(c.Sub[i%3])
		}
	}
	return
}

func (k LocalStructs) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[16]Cell](it)
	s := dsl.LocalSlice[Cell](it, 16)
	acc, acc2 := k.Acc.Slice(it), k.Acc2.Slice(it)
	l, g := it.LocalID(), it.GlobalID()
	v := k.In[g]
	tile[l] = Cell{N: v, Full: v%2 == 0, Sub: [3]int8{int8(v), 1, -2}, W: float64(v)}
	s[15-l].N = v * 2
	s[15-l].Full = l%3 == 0
	acc[l].Sub[l%3]--
	acc[l].Full = true
	acc2[l][1] = uint16(v)
	it.Barrier()
	r := tally(tile[:], l) + tally(s[2:9], l) + tally(acc, l)
	c := tile[(l+1)%16]
	c.N++
	r += c.N + int32(c.W) + int32(acc2[(l+3)%16][1]) + int32(acc2[l][0])
	it.Barrier()
	tile[l].Sub = [3]int8{int8(r)}
	it.Barrier()
	k.Out[g] = r + int32(tile[15-l].Sub[0])
}

// Phases has barriers in uniform loops, branches and helpers.
type Phases struct {
	Steps int
	In    []int32
	Out   []int32
}

func exchange(it dsl.NDItem1, tile *[32]int32, d int) int32 {
	l := it.LocalID()
	v := tile[(l+d)%32]
	it.Barrier()
	tile[l] += v
	it.Barrier()
	return v
}

func (k Phases) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[32]int32](it)
	l, g := it.LocalID(), it.GlobalID()
	tile[l] = k.In[g]
	it.Barrier()
	r := int32(0)
	for step := range k.Steps {
		if step%2 == 0 {
			r += exchange(it, tile, step)
		} else {
			for d := 1; d < 32; d *= 2 {
				r ^= exchange(it, tile, d)
				if d > step*4 {
					break
				}
			}
		}
		if l%2 == 0 {
			continue
		}
		r++
	}
	if it.GroupID() == 1 {
		tile2 := dsl.Local[[2]int32](it)
		if l == 3 {
			tile2[1] = tile[9]
		}
		it.Barrier()
		r += tile2[1]
	}
	k.Out[g] = r + tile[l]
}

// Leavers has work-items that return or fault at several positions before barriers.
type Leavers struct {
	Bad int
	In  []int32
	Out []int32
}

func (k Leavers) Kernel(it dsl.NDItem1) {
	tile := dsl.Local[[16]int32](it)
	l, g := it.LocalID(), it.GlobalID()
	if g%11 == 3 {
		k.Out[g] = -1
		return
	}
	v := k.In[g]
	for j := range 5 {
		if v%5 == int32(j) && v > 40 {
			k.Out[g] = -2 - v
			return
		}
	}
	tile[l] = v
	it.Barrier()
	sum := int32(0)
	for round := 0; round < 3; round++ {
		for _, x := range tile {
			if x > 35 {
				break
			}
			sum += x
		}
		if g == k.Bad && round == 1 {
			sum /= int32(k.Bad - g)
		}
		it.Barrier()
		tile[15-l] += sum % 7
		it.Barrier()
	}
	if sum < 0 {
		return
	}
	it.Barrier()
	k.Out[g] = sum + tile[l]
}

// Grid2Local works on two-dimensional groups.
type Grid2Local struct {
	W   int
	In  []float32
	Out []float32
}

func (k Grid2Local) Kernel(it dsl.NDItem2) {
	tile := dsl.Local[[6][10]float32](it)
	y, x := it.GlobalID()
	ly, lx := it.LocalID()
	h, w := it.LocalRange()
	for j := it.LocalLinearID(); j < 60; j += h * w {
		gy, gx := it.GroupID()
		yy, xx := gy*h+j/10-1, gx*w+j%10-1
		if yy >= 0 && xx >= 0 && yy*k.W+xx < len(k.In) && xx < k.W {
			tile[j/10][j%10] = k.In[yy*k.W+xx]
		}
	}
	it.Barrier()
	sum := float32(0)
	for dy := range 3 {
		for dx := -1; dx <= 1; dx++ {
			sum += tile[ly+dy][lx+1+dx]
		}
	}
	k.Out[y*k.W+x] = sum
}
