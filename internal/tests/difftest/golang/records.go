package golang

import "github.com/kgen-go/kgen/dsl"

type goods struct {
	name  string
	n     int32
	wide  int64
	ratio float64
	on    bool
	at    struct {
		label string
		x     uint8
	}
}

var records = [...]goods{
	{"alpha", 3, 1 << 40, 0.5, true, struct {
		label string
		x     uint8
	}{"first", 200}},
	{"be", -7, -1, 1e300, false, struct {
		label string
		x     uint8
	}{"", 7}},
	{n: 9, on: true},
	{name: "gamma"},
}

var prices = []struct {
	item string
	cost int
}{{"tea", 3}, {"coffee", 4}, {"water", 0}}

// The type `scaler` is a value that scales numbers.
type scaler interface{ scale(x int32) int32 }

type factor int32

func (t factor) scale(x int32) int32 { return int32(t) * x }

type affine struct{ a, b int32 }

func (f affine) scale(x int32) int32 { return f.a*x + f.b }

var (
	scalers        = [...]scaler{factor(3), affine{2, 5}, 3: factor(-1)}
	chain          = []scaler{affine{b: 1}, factor(7)}
	same           = [...]scaler{affine{1, 2}, affine{3, 4}, affine{5, 6}}
	one     scaler = affine{9, -9}
	none    scaler
)

// Records has tables of structs with strings, and tables of interfaces. The indices are known only on the
// device.
type Records struct {
	In, Out []int32
}

// Kernel adds up the selected elements.
func (k Records) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	j := int(k.In[i]) & 3
	r := records[j]
	h := int32(len(r.name)) + r.n + int32(r.wide>>38) + int32(r.at.x)
	if r.on && r.ratio < 1 {
		h += 1000
	}
	for _, c := range r.name {
		h = h*31 + c
	}
	p := &prices[i%len(prices)]
	for l := range p.item {
		h = h*5 + int32(p.item[l]) + int32(p.cost)
	}
	if records[(j+1)%4].at.label == "first" {
		h ^= 0x55
	}

	// Each read of a local variable returns the current value of the variable.
	var own [3]goods
	own[0] = goods{name: "zero", n: h}
	own[1].name, own[1].n = "one", 11
	q := &own[j%3]
	own[0].name = "nothing"
	own[0].n, own[1].n = 5, 6
	h += int32(len(own[j%3].name)) * own[(j+1)%3].n
	var words [2]string
	words[0], words[1] = "a", "bc"
	w := &words[j&1]
	words[0], words[1] = "cdef", "ghijk"
	h += int32(len(*w)) * 100
	h += q.n

	for _, s := range chain {
		h = s.scale(h)
	}
	for m, s := range scalers {
		if s != nil {
			h += s.scale(int32(m))
		}
	}
	h += same[j%3].scale(h) + one.scale(2)
	if none == nil {
		h++
	}
	k.Out[i] = h
}
