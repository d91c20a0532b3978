package reject

import "github.com/kgen-go/kgen/dsl"

// row is what package-level variables are here.
type row [4]int32

func (r *row) set()                { r[3] = 9 }
func (r *row) get(i int) int32     { return r[i] }
func setAll(rs ...[]int32)         { rs[0][0] = 9 }
func setFirst(p *row)              { p[0] = 9 }
func lent() []int32                { return lentRow }
func Given() []int32               { return givenRow }
func keep(p *row, to []*row)       { to[0] = p }
func (b crate[T]) set()            { boxed[1] = 9 }
func (h held) setter() func()      { return func() { h.s[1] = 9 } }
func through(x interface{ set() }) { x.set() }

type crate[T any] struct{ v T }
type held struct{ s []int32 }

var (
	pointed = row{1, 2, 3, 4}
	pointer = &pointed
	sliced  = row{1, 2, 3, 4}
	literal = row{1, 2, 3, 4}
	passed  = []int32{1, 2, 3, 4}
	changed = []int32{1, 2, 3, 4}
	walked  = []int32{1, 2, 3, 4}
	method  = row{1, 2, 3, 4}
	later   = row{1, 2, 3, 4}
	closed  = row{1, 2, 3, 4}
	inside  = held{[]int32{1, 2, 3, 4}}
	other   = row{1, 2, 3, 4}
	shared  = []int32{1, 2, 3, 4}
	sharing = shared
	boxed   = row{1, 2, 3, 4}
	hidden  = row{1, 2, 3, 4}
	dynamic = row{1, 2, 3, 4}
	lentRow = []int32{1, 2, 3, 4}
	extends = []int32{1, 2, 3, 4}
	parted  = row{1, 2, 3, 4}

	givenRow = []int32{1, 2, 3, 4}
	keptRow  = row{1, 2, 3, 4}
	sentRow  = []int32{1, 2, 3, 4}

	fine = row{1, 2, 3, 4}
)

// Overwrite may run at any time.
func Overwrite() {
	pointer[2] = 70
	func() { literal[1] = 9 }()
	copy(changed, []int32{7, 8})
	s := sliced[:]
	s[1] = 50
	setAll(passed)
	for w := walked; len(w) > 0; w = w[1:] {
		w[0]++
	}
	method.set()
	defer setFirst(&later)
	p := &closed
	func() { p[2]++ }()
	h := inside
	h.setter()()
	done := make(chan []int32)
	go func(p *row) { p[1] = 8; close(done) }(&other)
	<-done
	sharing[1] = 8
	crate[int]{}.set()
	var x any = &hidden
	x.(*row)[0] = 7
	through(&dynamic)
	lent()[2] = 8
	extends = append(extends[:2], 5)
	q := &parted[2]
	*q = 8
	keep(&keptRow, make([]*row, 1))
	select {
	case done <- sentRow:
	default:
	}
	println(fine.get(2), len(fine[:2]))
}

// WrittenAnywhere reads variables that are written in all the ways there are.
type WrittenAnywhere struct{ Out []int32 }

func (k WrittenAnywhere) Kernel(it dsl.Item1) {
	i := it.GlobalID() & 3
	k.Out[0] += pointed[i]  // want KG202 `pointed is written at .*written.go:53`
	k.Out[0] += sliced[i]   // want KG202 `sliced is written at .*written.go:57`
	k.Out[0] += literal[i]  // want KG202 `literal is written at .*written.go:54`
	k.Out[0] += passed[i]   // want KG202 `passed is written at .*written.go:10`
	k.Out[0] += changed[i]  // want KG202 `changed is written at .*written.go:55`
	k.Out[0] += walked[i]   // want KG202 `walked is written`
	k.Out[0] += method[i]   // want KG202 `method is written at .*written.go:8`
	k.Out[0] += later[i]    // want KG202 `later is written`
	k.Out[0] += closed[i]   // want KG202 `closed is written`
	k.Out[0] += inside.s[i] // want KG202 `inside is written`
	k.Out[0] += other[i]    // want KG202 `other is written`
	k.Out[0] += shared[i]   // want KG202 `shared is written`
	k.Out[0] += boxed[i]    // want KG202 `boxed is written`
	k.Out[0] += hidden[i]   // want KG202 `hidden is written`
	k.Out[0] += dynamic[i]  // want KG202 `dynamic is written`
	k.Out[0] += lentRow[i]  // want KG202 `lentRow is written`
	k.Out[0] += extends[i]  // want KG202 `extends is written`
	k.Out[0] += parted[i]   // want KG202 `parted is written`
	k.Out[0] += givenRow[i] // want KG202 `givenRow is given away at .*written.go:13`
	k.Out[0] += keptRow[i]  // want KG202 `keptRow is given away`
	k.Out[0] += sentRow[i]  // want KG202 `sentRow is given away`
	k.Out[0] += fine[i]
}
