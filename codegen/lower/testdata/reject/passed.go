package reject

import (
	"bufio"
	"encoding"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/kgen-go/kgen/dsl"
)

// bytes4 is what package-level variables are here.
type bytes4 [4]byte

type (
	reads          struct{ sum byte }
	fills          struct{}
	fillsIn        struct{ *fills }
	keeps          struct{ kept []byte }
	lends          struct{}
	gives          struct{}
	shown          [4]byte
	as4            [4]byte
	to             struct{ w io.Writer }
	toAny          struct{ W io.Writer }
	lentTo         struct{ lent io.Writer }
	boxOf          [1]io.Writer
	put1           interface{ put1(p []byte) }
	store          [1]struct{ w1 io.Writer }
	generic[T any] struct{ v T }
)

func (r *reads) Write(p []byte) (int, error) { r.sum += p[0]; return len(p), nil }
func (fills) Write(p []byte) (int, error)    { p[0] = 9; return len(p), nil }
func (k *keeps) Write(p []byte) (int, error) { k.kept = p; return len(p), nil }
func (lends) Write(p []byte) (int, error)    { lentOut = p; return len(p), nil }
func (gives) Write(p []byte) (int, error)    { GivenOut = p; return len(p), nil }
func (s *shown) String() string              { s[0] = 9; return "" }
func (e *as4) Error() string                 { return string(e[:]) }
func (reads) put1(p []byte)                  {}
func (fills) put1(p []byte)                  { p[1] = 8 }
func (g *generic[T]) set(v T)                { g.v = v }

func putTo(w io.Writer, p []byte)         { w.Write(p) }
func putAny(x any, p []byte)              { x.(io.Writer).Write(p) }
func putAs[W io.Writer](w W, p []byte)    { w.Write(p) }
func chosenBy(n int) (w io.Writer)        { defer func() { w = fills{} }(); return &reads{} }
func PutGiven(w io.Writer)                { w.Write(byCaller[:]) }
func reslot(w *io.Writer)                 { *w = fills{} }
func (t *lentTo) slot() *io.Writer        { return &t.lent }
func putBy(f func(p []byte) (int, error)) { f(byFunc[:]) }
func newWriter(n int) (w io.Writer, err error) {
	if n > 0 {
		return fills{}, nil
	}
	return &reads{}, io.EOF
}

// GivenOut may be written by all.
var GivenOut []byte

// Sink may hold anything.
var Sink io.Writer = &reads{}

var (
	lentOut  []byte
	sink     io.Writer = &reads{}
	slotted  io.Writer = &reads{}
	anySink  atomic.Value
	writers  = []io.Writer{&reads{}}
	made     = map[int]io.Writer{}
	makeHash = []func() hash.Hash{nil}
)

var (
	byFill, byKeep, byLend, byGive, byPhi, byParam, byCaller  = bytes4{1}, bytes4{1}, bytes4{1}, bytes4{1}, bytes4{1}, bytes4{1}, bytes4{1}
	byField, byOpen, bySlot, byVar, byOpenVar, byLocal, byRef = bytes4{1}, bytes4{1}, bytes4{1}, bytes4{1}, bytes4{1}, bytes4{1}, bytes4{1}
	byEmbed, byBuf, byRead, byAppend, byShow, byAs, bySlice   = bytes4{1}, bytes4{1}, bytes4{1}, bytes4{1}, shown{1}, as4{1}, bytes4{1}
	byMap, byType, byBox, byDefer, byValue, byLower, byAssert = bytes4{1}, bytes4{1}, bytes4{1}, bytes4{1}, bytes4{1}, bytes4{1}, bytes4{1}
	byLoad, byMade, byMore, byFunc, bySum, byNamed, byAny     = bytes4{1}, bytes4{1}, bytes4{1}, bytes4{1}, bytes4{1}, bytes4{1}, bytes4{1}
	byLog, byHash, byGo, byGlobal                             = shown{1}, bytes4{1}, bytes4{1}, bytes4{1}

	byType2 = as8{1}

	byWrap = bytes4{1}

	byError, byAssert2, byFound, byFix, byAsError = as5{1}, as5{1}, as5{1}, as5{1}, as5{1}
	byQuiet                                       = as7{1}

	byText = net.IP{1, 2, 3, 4}

	byNone, byReads = bytes4{1}, bytes4{1}
)

type (
	outer interface{ Elsewhere(p []byte) }
	Wrap3 struct{ Elsewhere1 }
	// Elsewhere1 has implementations in packages that are not loaded.
	Elsewhere1 interface{ Elsewhere(p []byte) }
)

type (
	as5 [4]byte
	as6 struct{ p *as5 }
	as7 [4]byte
	as8 [4]byte
)

func (e *as5) Error() string { return string(e[:]) }
func (e *as5) fix()          { e[2] = 7 }
func (e *as8) Error() string { return string(e[:]) }
func (e *as7) Error() string { return string(e[:]) }
func (e as6) Error() string  { e.p[3] = 6; return "" }

// PassErrors passes variables on as errors.
func PassErrors() error {
	var e error = as6{&byError}
	println(e.Error())
	e = &byAssert2
	if f, ok := e.(*as5); ok {
		f[1] = 5
	}
	e = fmt.Errorf("wrapped: %w", error(&byFound))
	var f *as5
	if errors.As(e, &f) {
		f[1] = 6
	}
	e = &byType2
	if f, ok := errors.AsType[*as8](e); ok {
		f[1] = 6
	}
	if e := error(&byFix); e != nil {
		e.(interface{ fix() }).fix()
	}
	var s fmt.Stringer
	var x any = &byAsError
	if e, ok := x.(error); ok && s == nil {
		return e
	}
	return error(&byQuiet)
}

// PassOut passes on what is wrapped.
func PassOut(e Elsewhere1) {
	var w outer = Wrap3{e}
	w.Elsewhere(byWrap[:])
}

// PassOn may run at any time.
func PassOn(n int, h hash.Hash) {
	var w io.Writer = fills{}
	w.Write(byFill[:])
	w = &keeps{}
	w.Write(byKeep[:])
	w = lends{}
	w.Write(byLend[:])
	lentOut[1] = 7
	w = gives{}
	w.Write(byGive[:])
	w = &reads{}
	w.Write(byReads[:])
	if n > 3 {
		w = fills{}
	}
	w.Write(byPhi[:])
	putTo(w, byParam[:])
	putTo(&reads{}, byNone[:0:0])
	t := to{w: &reads{}}
	t.w.Write(byField[:])
	t.w = fills{}
	u := &toAny{&reads{}}
	u.W.Write(byOpen[:])
	v := &lentTo{&reads{}}
	v.lent.Write(bySlot[:])
	*v.slot() = fills{}
	sink.Write(byVar[:])
	sink = fills{}
	Sink.Write(byOpenVar[:])
	slotted.Write(byRef[:])
	reslot(&slotted)
	var local io.Writer = &reads{}
	func() { local = fills{} }()
	local.Write(byLocal[:])
	w = fillsIn{}
	w.Write(byEmbed[:])
	w = bufio.NewWriter(os.Stdout)
	w.Write(byBuf[:])
	strings.NewReader("text").Read(byRead[:])
	strconv.AppendInt(byAppend[:0], 5, 10)
	fmt.Println(&byShow)
	if at := &byAs; errors.As(io.EOF, &at) {
		at[1] = 5
	}
	for _, w := range writers {
		w.Write(bySlice[:])
	}
	made[1].Write(byMap[:])
	putAs(fills{}, byType[:])
	g := &generic[io.Writer]{}
	g.set(&reads{})
	g.v.Write(byBox[:])
	defer new(to).w.Write(byDefer[:])
	w = fills{}
	f := w.Write
	f(byValue[:])
	var low put1 = reads{}
	if n > 4 {
		low = fills{}
	}
	low.put1(byLower[:])
	if p, ok := w.(put1); ok {
		p.put1(byAssert[:])
	}
	anySink.Load().(io.Writer).Write(byLoad[:])
	x, _ := newWriter(n)
	x.Write(byMore[:])
	putBy(fills{}.Write)
	h.Sum(bySum[:0])
	chosenBy(n).Write(byNamed[:])
	putAny(fills{}, byAny[:])
	fmt.Fprint(os.Stdout, "", []any{struct{ p *shown }{&byLog}}, n)
	makeHash[0]().Write(byHash[:])
	go w.Write(byGo[:])
	var text encoding.TextUnmarshaler = &byText
	text.UnmarshalText([]byte("5.6.7.8"))
}

// PassedOn reads variables that are passed to methods of interfaces.
type PassedOn struct{ Out []byte }

func (k PassedOn) Kernel(it dsl.Item1) {
	i := it.GlobalID() & 3
	k.Out[0] += byFill[i]    // want KG202 `byFill is written at .*passed.go:4\d`
	k.Out[0] += byKeep[i]    // want KG202 `byKeep is given away at .*passed.go:4\d`
	k.Out[0] += byLend[i]    // want KG202 `byLend is written`
	k.Out[0] += byGive[i]    // want KG202 `byGive is given away`
	k.Out[0] += byPhi[i]     // want KG202 `byPhi is written`
	k.Out[0] += byParam[i]   // want KG202 `byParam is written`
	k.Out[0] += byCaller[i]  // want KG202 `byCaller is (given away|written)`
	k.Out[0] += byField[i]   // want KG202 `byField is written`
	k.Out[0] += byOpen[i]    // want KG202 `byOpen is (given away|written)`
	k.Out[0] += bySlot[i]    // want KG202 `bySlot is (given away|written)`
	k.Out[0] += byVar[i]     // want KG202 `byVar is written`
	k.Out[0] += byOpenVar[i] // want KG202 `byOpenVar is (given away|written)`
	k.Out[0] += byRef[i]     // want KG202 `byRef is (given away|written)`
	k.Out[0] += byLocal[i]   // want KG202 `byLocal is written`
	k.Out[0] += byEmbed[i]   // want KG202 `byEmbed is written`
	k.Out[0] += byBuf[i]     // want KG202 `byBuf is given away`
	k.Out[0] += byRead[i]    // want KG202 `byRead is given away`
	k.Out[0] += byAppend[i]  // want KG202 `byAppend is`
	k.Out[0] += byShow[i]    // want KG202 `byShow is written`
	k.Out[0] += byAs[i]      // want KG202 `byAs is`
	k.Out[0] += bySlice[i]   // want KG202 `bySlice is (given away|written)`
	k.Out[0] += byMap[i]     // want KG202 `byMap is (given away|written)`
	k.Out[0] += byType[i]    // want KG202 `byType is written`
	k.Out[0] += byBox[i]     // want KG202 `byBox is (given away|written)`
	k.Out[0] += byDefer[i]   // want KG202 `byDefer is written`
	k.Out[0] += byValue[i]   // want KG202 `byValue is written`
	k.Out[0] += byLower[i]   // want KG202 `byLower is written`
	k.Out[0] += byAssert[i]  // want KG202 `byAssert is written`
	k.Out[0] += byLoad[i]    // want KG202 `byLoad is (given away|written)`
	k.Out[0] += byMore[i]    // want KG202 `byMore is written`
	k.Out[0] += byFunc[i]    // want KG202 `byFunc is`
	k.Out[0] += bySum[i]     // want KG202 `bySum is`
	k.Out[0] += byNamed[i]   // want KG202 `byNamed is written`
	k.Out[0] += byAny[i]     // want KG202 `byAny is written`
	k.Out[0] += byLog[i]     // want KG202 `byLog is written`
	k.Out[0] += byHash[i]    // want KG202 `byHash is (given away|written)`
	k.Out[0] += byGo[i]      // want KG202 `byGo is written`
	k.Out[0] += byText[i]    // want KG202 `byText is given away`
	k.Out[0] += byWrap[i]    // want KG202 `byWrap is given away`
	k.Out[0] += byError[i]   // want KG202 `byError is written`
	k.Out[0] += byAssert2[i] // want KG202 `byAssert2 is written`
	k.Out[0] += byFound[i]   // want KG202 `byFound is written`
	k.Out[0] += byFix[i]     // want KG202 `byFix is written`
	k.Out[0] += byAsError[i] // want KG202 `byAsError is written`
	k.Out[0] += byType2[i]   // want KG202 `byType2 is written`
	k.Out[0] += byQuiet[i]
	k.Out[0] += byReads[i]
}
