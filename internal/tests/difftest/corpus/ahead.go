package corpus

import (
	"math"

	"github.com/kgen-go/kgen/dsl"
)

// Counted has loops that index slices. Field How selects the way in which the loop counts.
type Counted struct {
	How      int
	From, To int
	By       int
	In       []int32
	Out      []int32
}

// CountedWays is the number of values that How may have.
const CountedWays = 14

func (k Counted) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	k.Out[i] = k.sum()
}

func (k Counted) sum() int32 {
	h := int32(1)
	switch k.How {
	case 0:
		for j := k.From; j < k.To; j++ {
			h = h*31 + k.In[j]
		}
	case 1:
		for j, n := k.From, 0; j <= k.To && n < 50; j, n = j+3, n+1 {
			h = h*31 + k.In[j*k.By]
		}
	case 2:
		for j := k.To; j >= k.From; j-- {
			h = h*31 + k.In[j]
		}
	case 3: // the counter may wrap around before it is tested
		for j := int32(k.From); ; {
			h = h*31 + k.In[int(j)-(math.MaxInt32-8)]
			if j++; j >= math.MaxInt32-2 {
				break
			}
		}
	case 4:
		for j := int32(k.From); ; {
			h = h*31 + k.In[int(j)-math.MinInt32]
			if j -= 2; j <= math.MinInt32+3 {
				break
			}
		}
	case 5:
		for j := uint8(k.From); j < uint8(k.To); j += 100 {
			h = h*31 + k.In[j&15]
			h += k.In[int(j)-k.By]
			if h&7 == 3 {
				break
			}
		}
	case 6:
		for j := uint32(k.From); j < uint32(k.To); j++ {
			h = h*31 + k.In[j-1]
			h += k.In[int(j)*k.By]
		}
	case 7:
		for s := k.In; len(s) > k.To; s = s[max(k.By, 1):] {
			h = h*31 + s[0]
			h += s[k.From]
		}
	case 8:
		for y := k.From; y < k.To; y++ {
			for x := range y {
				h = h*31 + k.In[y*k.By+x]
			}
		}
	case 9:
		for y := 0; y < k.To; y++ {
			for x := k.To; x > k.From; x -= 2 {
				h = h*31 + k.In[x+y*k.By-1]
			}
			h ^= k.In[y]
		}
	case 10: // code after the loop uses the counter
		j := k.From
		for ; j < k.To; j++ {
			h = h*31 + k.In[j]
			if h%3 == 0 {
				continue
			}
			h += k.In[j+k.By]
		}
		h += k.In[j]
	case 11: // the values that are written before a fault remain
		for j := k.From; j < k.To; j += 2 {
			k.Out[j] += int32(j)
			h += k.Out[j*k.By]
		}
	case 12: // the bound is a number of another type
		for j := k.From; j < k.To; j++ {
			h = h*31 + k.In[int32(j)*int32(k.By)]
			h += k.In[int16(j)]
		}
	case 13: // a condition guards the loads in the loop
		for j := k.From; j < k.To; j++ {
			if k.By > 0 {
				h = h*31 + k.In[j/2*(k.To-k.By)]
				h += k.In[uint(k.By-1)]
			}
		}
	}
	return h
}
