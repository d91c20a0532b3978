package natskgen

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/kgen-go/kgen/dsl/half"
)

type inner struct {
	A int8
	B [3]uint16
	C string
}

type Embedded struct{ E complex64 }

// everything has a field of each kind that has an encoding.
type everything struct {
	Embedded
	B    bool
	I    int
	I16  int16
	I32  int32
	I64  int64
	U    uint
	U8   uint8
	U16  uint16
	U32  uint32
	U64  uint64
	F32  float32
	F64  float64
	C128 complex128
	S    string
	P    *inner
	Nil  *inner
	At   time.Time
	Ats  []time.Time
	Big  [2]Text
	Half []half.Float16

	Bools  []bool
	Ints   []int
	Floats []float32
	Vecs   []struct{ X, Y, Z float32 } // no padding
	Pads   []struct {
		A int8
		B int64
	}
	Deep  [][]inner
	Texts []string
	None  []float64
	Empty []float64
	Grid  [2][2]float64
}

// Text is encoded by its own methods, which have pointer receivers.
type Text struct{ hidden string }

func (t *Text) MarshalBinary() ([]byte, error) {
	if t.hidden == "bad" {
		return nil, errors.New("a bad text")
	}
	return []byte(t.hidden), nil
}

func (t *Text) UnmarshalBinary(b []byte) error {
	if string(b) == "bad" {
		return errors.New("a bad text")
	}
	if string(b) == "worse" {
		panic("a worse text")
	}
	t.hidden = string(b)
	return nil
}

func filled() everything {
	nan := math.Float32frombits(0x7fa0_0001) // a signalling one
	return everything{
		Embedded: Embedded{complex(1, float32(math.Inf(-1)))},
		B:        true, I: math.MinInt, I16: -2, I32: math.MinInt32, I64: math.MaxInt64, U: math.MaxUint, U8: 255, U16: 65535, U32: 1 << 31,
		U64: math.MaxUint64, F32: nan, F64: math.Copysign(0, -1), C128: complex(1e300, -1), S: "héllo\x00", P: &inner{-1, [3]uint16{1, 2, 3}, "in"},
		At: time.Unix(1, 2).UTC(), Ats: []time.Time{time.Unix(3, 4).UTC()}, Big: [2]Text{{"a"}, {""}}, Half: []half.Float16{half.FromFloat32[half.Float16](1), half.FromBits[half.Float16](0x7c01)},
		Bools: []bool{true, false, true}, Ints: []int{-1, 0, 1}, Floats: []float32{1, nan, -0.5},
		Vecs: []struct{ X, Y, Z float32 }{{1, 2, 3}, {4, 5, 6}},
		Pads: []struct {
			A int8
			B int64
		}{{1, 2}, {-3, -4}},
		Deep: [][]inner{nil, {}, {{1, [3]uint16{}, "x"}}}, Texts: []string{"", "a"}, Empty: []float64{}, Grid: [2][2]float64{{1, 2}, {3, 4}},
	}
}

// trip encodes and decodes a value, with slices beside the text from limit bytes on.
func trip[T any](t *testing.T, v T, limit int) (T, []byte, [][]byte) {
	t.Helper()
	p, err := planOf(reflect.TypeFor[T]())
	if err != nil {
		t.Fatal(err)
	}
	text, moved, err := p.encode(reflect.ValueOf(&v).Elem(), limit)
	if err != nil {
		t.Fatal(err)
	}
	beside := bytes.Join(moved, nil)
	var got T
	if err := p.decode(reflect.ValueOf(&got).Elem(), text, bytes.NewReader(beside), int64(len(beside))); err != nil {
		t.Fatal(err)
	}
	return got, text, moved
}

// same compares by the bits of floats.
func same(a, b everything) bool {
	f := func(v *everything) (bits []uint32) {
		bits = append(bits, math.Float32bits(v.F32))
		v.F32 = 0
		for i, x := range v.Floats {
			bits = append(bits, math.Float32bits(x))
			v.Floats[i] = 0
		}
		return append(bits, uint32(math.Float64bits(v.F64)>>32))
	}
	a.Floats, b.Floats = append([]float32{}, a.Floats...), append([]float32{}, b.Floats...)
	return reflect.DeepEqual(f(&a), f(&b)) && reflect.DeepEqual(a, b)
}

// TestCodec: values come back with all their bits, wherever their slices are.
func TestCodec(t *testing.T) {
	for _, limit := range []int{MaxInline, 8, -1} {
		got, text, moved := trip(t, filled(), limit)
		if !same(got, filled()) {
			t.Errorf("limit %d: %+v", limit, got)
		}
		if limit == -1 && len(moved) == 0 || limit == MaxInline && len(moved) > 0 {
			t.Errorf("limit %d: %d slices beside the text", limit, len(moved))
		}
		if _, again, _ := trip(t, filled(), limit); !bytes.Equal(text, again) {
			t.Errorf("limit %d: two encodings of a value", limit)
		}
		got, _, _ = trip(t, everything{}, limit)
		if !reflect.DeepEqual(got, everything{At: time.Time{}.UTC()}) {
			t.Errorf("limit %d: the zero value: %+v", limit, got)
		}
	}
	if _, text, _ := trip(t, struct{}{}, 0); len(text) > 0 {
		t.Error("an empty struct has bytes")
	}
}

// TestCodecBytes has the bytes that the package doc describes, and those of package encoding/binary.
func TestCodecBytes(t *testing.T) {
	_, text, moved := trip(t, struct {
		N int
		S string
		X []float32
		Y []float32
	}{-2, "ab", []float32{1}, []float32{1, 2}}, 4)
	want := "\xfe\xff\xff\xff\xff\xff\xff\xff" + "\x02ab" + "\x04\x00\x00\x80\x3f" + "\x07"
	if string(text) != want || len(moved) != 1 || string(moved[0]) != "\x00\x00\x80\x3f\x00\x00\x00\x40" {
		t.Errorf("%q, %q", text, moved)
	}
	v := struct {
		A int8
		B [2]float64
		C complex64
		D bool
		E uint16
	}{-1, [2]float64{1, 2}, 3i, true, 7}
	plain, err := binary.Append(nil, binary.LittleEndian, v)
	if _, text, _ := trip(t, v, 0); err != nil || !bytes.Equal(text, plain) {
		t.Errorf("%q, encoding/binary has %q, %v", text, plain, err)
	}
}

// TestCodecTypes: types without an encoding are refused, with the field.
func TestCodecTypes(t *testing.T) {
	type list struct{ Next *list }
	for _, c := range []struct {
		typ  reflect.Type
		says string
	}{
		{reflect.TypeFor[struct{ A, b int }](), "the field b"},
		{reflect.TypeFor[struct {
			_ int
		}](), "the field _"},
		{reflect.TypeFor[struct{ M map[string]int }](), "field M: a value of type map[string]int has no encoding"},
		{reflect.TypeFor[struct{ In struct{ C chan int } }](), "field In: field C: a value of type chan int"},
		{reflect.TypeFor[func()](), "func()"},
		{reflect.TypeFor[any](), "interface {}"},
		{reflect.TypeFor[error](), "error"},
		{reflect.TypeFor[uintptr](), "uintptr"},
		{reflect.TypeFor[list](), "contains itself"},
		{reflect.TypeFor[[]struct{}](), "have no bytes"},
		{reflect.TypeFor[*big.Int](), "not exported"},
	} {
		_, err := planOf(c.typ)
		var own *Error
		if !errors.Is(err, ErrType) || !errors.As(err, &own) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v; want %s", c.typ, err, c.says)
		}
	}
	v := Text{"bad"}
	if _, err := pack(must(planOf(reflect.TypeFor[Text]())), reflect.ValueOf(&v).Elem()); err == nil {
		t.Error("an error of MarshalBinary is lost")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestCodecDamage: damaged bytes are errors or other values. They make nothing panic, and no
// memory is had that the bytes do not account for.
func TestCodecDamage(t *testing.T) {
	v := filled()
	p := must(planOf(reflect.TypeFor[everything]()))
	random := rand.New(rand.NewPCG(1, 2))
	for _, limit := range []int{MaxInline, 4} {
		text, moved, err := p.encode(reflect.ValueOf(&v).Elem(), limit)
		if err != nil {
			t.Fatal(err)
		}
		beside := bytes.Join(moved, nil)
		try := func(text, beside []byte) error {
			var got everything
			return p.decode(reflect.ValueOf(&got).Elem(), text, bytes.NewReader(beside), int64(len(beside)))
		}
		for n := range text {
			if try(text[:n], beside) == nil {
				t.Errorf("limit %d: the first %d bytes are a value", limit, n)
			}
		}
		if try(append(bytes.Clone(text), 0), beside) == nil {
			t.Errorf("limit %d: a byte more is a value", limit)
		}
		if try(text, append(bytes.Clone(beside), 0)) == nil {
			t.Errorf("limit %d: a byte more beside it is a value", limit)
		}
		if limit == 4 && !errors.Is(try(text, beside[:len(beside)-1]), errShort) {
			t.Errorf("limit %d: a byte less beside it is a value", limit)
		}
		for range 20_000 {
			bad := bytes.Clone(text)
			for range 1 + random.IntN(4) {
				bad[random.IntN(len(bad))] = byte(random.Uint32() >> (random.IntN(4) * 8))
			}
			try(bad, beside)
		}
	}
	// A slice of 2^60 elements, and a bool that is 2.
	p = must(planOf(reflect.TypeFor[[]float64]()))
	var floats []float64
	if err := p.decode(reflect.ValueOf(&floats).Elem(), binary.AppendUvarint(nil, 1<<61), nil, 0); !errors.Is(err, errShort) {
		t.Error(err)
	}
	var bools []bool
	p = must(planOf(reflect.TypeFor[[]bool]()))
	if err := p.decode(reflect.ValueOf(&bools).Elem(), []byte{4, 2}, nil, 0); err == nil {
		t.Error("a bool is 2")
	}
}

// TestMoved: long slices are beside the text, and are not copied.
func TestMoved(t *testing.T) {
	job := newAxpy(1, MaxInline/4+1)
	job.Y = job.Y[:MaxInline/4]
	pl, err := pack(must(planOf(reflect.TypeFor[axpy]())), reflect.ValueOf(&job).Elem())
	if err != nil || len(pl.moved) != 1 || len(pl.moved[0]) != MaxInline+4 || len(pl.text) < MaxInline {
		t.Fatalf("%d slices beside %d bytes, %v", len(pl.moved), len(pl.text), err)
	}
	if &pl.moved[0][0] != (*byte)(unsafe.Pointer(&job.X[0])) {
		t.Error("the slice was copied")
	}
}

// TestRecord: records come back, and damaged ones are errors.
func TestRecord(t *testing.T) {
	r := &record{location: location{"o", 3}, Sum: "s", Tries: 2, Failure: &failure{Text: "t", Stack: "k"}, result: []byte{1, 2}}
	b, err := r.marshal()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := unmarshalRecord(b); err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("%+v, %v", got, err)
	}
	for n := range len(b) - len(r.result) {
		if _, err := unmarshalRecord(b[:n]); err == nil {
			t.Errorf("%d bytes are a record", n)
		}
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct{ in, out string }{{"", ""}, {"abcd", "abcd"}, {"abcde", "abcd… (1 bytes more)"}, {"abcéz", "abc… (3 bytes more)"}} {
		if got := clip(c.in, 4); got != c.out {
			t.Errorf("%q: %q", c.in, got)
		}
	}
}
