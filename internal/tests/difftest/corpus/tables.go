package corpus

import "github.com/kgen-go/kgen/dsl"

// Weekday is a type whose constants use iota.
type Weekday uint8

// The days.
const (
	Mon Weekday = iota
	Tue
	_
	Thu
	last = Thu << 2
)

const (
	kib = 1 << (10 * (iota + 1))
	mib
	big = 1 << 100
	eps = 1.0 / 3
)

// Entry is a row of a table.
type Entry struct {
	Key   uint8
	Value [2]int32
	Name  byte
	Sub   struct{ F float32 }
}

var entries = []Entry{
	{Key: 3, Value: [2]int32{1, -1}, Name: 'x'},
	{7, [2]int32{kib, mib}, "yz"[1], struct{ F float32 }{2.5}},
	{Value: [2]int32{1: 5}},
}

var sparse = [...]int16{2: 5, 9: -3, 4: 1 << 10}

var scale float32 = 1.25

var origin = Vec{1, 2, 3}

var dirs = [4][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}

var flags = [3]bool{true, false, true}

var masks = [...]uint64{1<<63 | 1, ^uint64(0), 0x0123456789abcdef}

var doubles = []float64{eps, -0.5, 1e300}

var digits = "0123456789abcdef"

var raw = []byte("hello, device")

var single = [1]int32{42}

var byDay = map1{Mon: 5, Thu: 9}

type map1 [5]int32

// Lookup reads package-level tables of every kind.
type Lookup struct {
	Out []int32
	F   []float64
}

func (e Entry) total() int32 { return e.Value[0] + e.Value[1] + int32(e.Key) }

func lookup(es []Entry, key int) *Entry {
	for i := range es {
		if int(es[i].Key) == key {
			return &es[i]
		}
	}
	return &es[len(es)-1]
}

func (k Lookup) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	e := entries[i%3]
	r := e.total() + int32(e.Name)
	for _, e := range entries[1:] {
		r = r*3 + e.Value[i%2]
	}
	r += lookup(entries, i).Value[1]
	for j, s := range sparse {
		r ^= int32(s) << j
	}
	d := dirs[i%4]
	r += int32(d[0]*10 + d[1])
	r += int32(digits[i%16]) + int32(len(digits)) + int32(len(entries)+cap(sparse[2:4]))
	if flags[i%3] && digits[:4] == "0123" {
		r++
	}
	r ^= int32(masks[i%3] >> 40)
	r += single[0] + byDay[i%5] + int32(last) + int32(Thu)
	p := &dirs[(i+1)%4]
	r += int32(p[0] - p[1])
	r += int32(raw[i%len(raw)])
	var buf [8]byte
	n := copy(buf[1:], "copied text")
	r += int32(buf[i%8]) * int32(n)
	row := dirs
	row[i%4][1] += 5
	r += int32(row[2][1])
	k.Out[i] = r
	f := doubles[i%3] + float64(scale) + float64(origin.Y) + float64(entries[1].Sub.F)
	f += big / (1 << 98)
	o := origin
	o.Scale(2)
	k.F[i] = f + float64(o.X)
}

// Words chooses constant strings in branches.
type Words struct {
	Out []int32
}

func parse(s string) (n int32) {
	for i := 0; i < len(s); i++ {
		if c := s[i]; '0' <= c && c <= '9' {
			n = n*10 + int32(c-'0')
		}
	}
	return
}

func (k Words) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	const prefix = "n="
	r := parse(prefix+"123") + parse("4x5")
	if i%2 == 0 {
		r += parse("77")
	}
	switch "abc" {
	case "abc":
		r++
	default:
		r = 0
	}
	if s := "longer"; s > "long" && len(s[1:]) == 5 {
		r += int32(s[i%6])
	}
	k.Out[i] = r
}

// Sites faults at one of many source positions.
type Sites struct {
	At   int
	X, Y []int32
	Out  []int32
}

func (k Sites) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b := k.X[i], k.Y[i]
	var t [5]int32
	k.Out[i] = 1
	t[a%7] = 3
	k.Out[i] += b / (a - 9)
	k.Out[i] += b % (a - 10)
	s := k.X[a%50 : 49]
	k.Out[i] += int32(len(s))
	if a == 11 {
		panic("eleven")
	}
	u := t[:b%6]
	k.Out[i] += u[0]
	w := (*[2]int32)(s[:b%4])
	k.Out[i] += w[1] << (b - 1)
	if a == 12 {
		panic(12)
	}
}
