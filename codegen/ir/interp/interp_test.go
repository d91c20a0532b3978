package interp

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
)

func parse(t testing.TB, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return m
}

func words(xs ...uint32) []byte {
	var b []byte
	for _, x := range xs {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}

func unwords(b []byte) []uint32 {
	var xs []uint32
	for ; len(b) >= 4; b = b[4:] {
		xs = append(xs, binary.LittleEndian.Uint32(b))
	}
	return xs
}

// slice is the argument for a slice at addr.
func slice(addr uint64, n int64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, addr), uint64(n))
}

const at = 0x1000

// run1 runs a kernel over one slice of words.
func run1(t testing.TB, text string, l Launch, in ...uint32) ([]uint32, Result, error) {
	t.Helper()
	l.Args = slice(at, int64(len(in)))
	l.Memory = []Region{{at, words(in...)}}
	r, err := Run(parse(t, text), l)
	if len(r.Memory) == 0 {
		return nil, r, err
	}
	return unwords(r.Memory[0].Data), r, err
}

func line(n uint32) [3]uint32 { return [3]uint32{n, 1, 1} }

func TestLoop(t *testing.T) {
	text, err := os.ReadFile("../testdata/loop.ir")
	if err != nil {
		t.Fatal(err)
	}
	// Item i sums what is before it up to the first 7. Items run one after the
	// other, so that they see the sums before them.
	got, r, err := run1(t, string(text), Launch{Global: line(6), Local: line(4)}, 1, 2, 3, 7, 5, 6)
	if want := []uint32{0, 0, 0, 0, 0, 0}; err != nil || !slices.Equal(got, want) || r.Fault != nil || r.Steps == 0 {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	got, _, err = run1(t, string(text), Launch{Global: line(1)}, 9, 8)
	if want := []uint32{0, 8}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// TestItems covers a range that is no multiple of the group with several items
// per invocation.
func TestItems(t *testing.T) {
	const text = `module M built
form Range 1
items 2
args 16
spec $LX id 65536 = i32 1

kernel main {
b0:
	%0 = Arg addr 24
	%1 = Arg i32 8
	%2 = BuiltIn i32 WorkgroupId.x
	%3 = BuiltIn i32 LocalInvocationId.x
	Jump b1
b1:
	%4 = Phi i32 [i32 0 b0, %12 b4]
	%5 = ULt bool %4, i32 2
	Branch %5, b2, b5
b2:
	%6 = IMul i32 %2, i32 2
	%7 = IAdd i32 %6, %4
	%8 = IMul i32 %7, $LX
	%9 = IAdd i32 %8, %3
	%10 = ULt bool %9, %1
	Branch %10, b3, b4
b3:
	%11 = AtomicIAdd i32 [%0 i32, %9], %9
	Jump b4
b4:
	%12 = IAdd i32 %4, i32 1
	Jump b1
b5:
	Return
}
`
	for _, local := range []uint32{1, 3, 4, 16} {
		got, _, err := run1(t, text, Launch{Global: line(11), Local: line(local)}, make([]uint32, 12)...)
		if want := []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0}; err != nil || !slices.Equal(got, want) {
			t.Errorf("local %d: got %v, %v", local, got, err)
		}
	}
}

const reverse = `module M built
form NDRange 1
items 1
args 16
group
spec $LX id 65536 = i32 1
var tile Workgroup [$LX]i32

kernel main {
b0:
	%0 = Arg addr 24
	%1 = BuiltIn i32 GlobalInvocationId.x
	%2 = BuiltIn i32 LocalInvocationId.x
	ZeroLocal [var tile]
	%3 = Load i32 [%0 i32, %1]
	Store [var tile, %2], %3
	Barrier WorkGroup
	%4 = ISub i32 $LX, i32 1
	%5 = ISub i32 %4, %2
	%6 = Load i32 [var tile, %5]
	Store [%0 i32, %1], %6
	Return
}
`

func TestBarrier(t *testing.T) {
	got, _, err := run1(t, reverse, Launch{Global: line(6), Local: line(3)}, 1, 2, 3, 4, 5, 6)
	if want := []uint32{3, 2, 1, 6, 5, 4}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	_, _, err = run1(t, reverse, Launch{Global: line(6), Local: line(4)}, 1, 2, 3, 4, 5, 6)
	if err == nil || !strings.Contains(err.Error(), "no multiple") {
		t.Error(err)
	}
}

// kernel is an nd-range kernel over a slice of words: %0 is its address, %1 the
// item's id.
func kernel(vars, body string) string {
	return `module M built
form NDRange 1
items 1
args 16
group
spec $N id 1 = i32 3
site 0 kind 1 "k.go":3:4 ""
site 1 kind 13 "k.go":5:6 "boom"
var shared Workgroup [4]i32
var table Private [2]i32 init [i32 10, i32 20]

kernel main {
` + vars + `b0:
	%0 = Arg addr 24
	%1 = BuiltIn i32 GlobalInvocationId.x
` + body + "}\n"
}

func TestDivergent(t *testing.T) {
	const half = "\t%2 = ULt bool %1, i32 2\n\tBranch %2, b1, b2\n"
	for _, c := range []struct{ name, body, want string }{
		{"two barriers", half + "b1:\n\tBarrier WorkGroup\n\tReturn\nb2:\n\tBarrier WorkGroup\n\tReturn\n", "divergent barrier: local id [2 0 0] is at Barrier WorkGroup"},
		{"early return", half + "b1:\n\tReturn\nb2:\n\tBarrier WorkGroup\n\tReturn\n", "divergent barrier: local id [0 0 0] has returned"},
		{"late return", half + "b2:\n\tReturn\nb1:\n\tBarrier WorkGroup\n\tReturn\n", "divergent barrier: local id [2 0 0] has returned"},
		{"sub-group barrier in uniform flow", half + "b1:\n\tBarrier SubGroup\n\tJump b2\nb2:\n\tBarrier WorkGroup\n\tReturn\n", ""},
		{"sub-group barrier in half a sub-group", "\t%2 = ULt bool %1, i32 3\n\tBranch %2, b1, b2\nb1:\n\tBarrier SubGroup\n\tJump b2\nb2:\n\tBarrier WorkGroup\n\tReturn\n", "divergent barrier"},
		{"fault instead", half + "b1:\n\tFault site 0, i64 5, i64 4, %1, i32 0, i32 0\n\tReturn\nb2:\n\tBarrier WorkGroup\n\tStore [%0 i32, %1], i32 1\n\tReturn\n", ""},
		{"fault and unreachable", half + "b1:\n\tFault site 0, i64 5, i64 4, %1, i32 0, i32 0\n\tUnreachable\nb2:\n\tBarrier WorkGroup\n\tReturn\n", ""},
	} {
		_, _, err := run1(t, kernel("", c.body), Launch{Global: line(4), Local: line(4), SubGroupSize: 2}, 0, 0, 0, 0)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

// TestStrict checks that what is undefined on a device is an error that names
// the value.
func TestStrict(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"%2 = SDiv i32 i32 1, %1", "%2 = SDiv i32 i32 1, %1: work-group [0 0 0], local id [0 0 0]: division by zero"},
		{"%2 = UDiv i64 i64 1, i64 0", "division by zero"},
		{"%2 = UMod i32 i32 1, i32 0", "division by zero"},
		{"%2 = SDiv i32 i32 -2147483648, i32 -1", "-2147483648 / -1 overflows"},
		{"%2 = Shl i32 i32 1, i32 32", "a shift of i32 by 32"},
		{"%2 = ShrL i64 i64 1, i64 -1", "a shift of i64"},
		{"%2 = ShrA i64 i64 1, i64 64", "a shift of i64 by 64"},
		{"%2 = FToS i32 f32 2.147483648e+09", "out of the range of i32"},
		{"%2 = FToS i8 f64 -129", "out of the range of i8"},
		{"%2 = FToU i64 f32 -1", "out of the range of i64"},
		{"%2 = FToU i64 f32 0x7fc00000", "NaN is out of the range"},
		{"%2 = IAdd i32 UDiv i32 ($N, i32 0), i32 1", "UDiv i32 ($N, i32 0): division by zero"},
		{"%2 = Load i32 [%0 i32, i32 4]", "4 bytes at address 0x1010 are no memory"},
		{"%2 = Load i32 [%0 i32, i64 -1]", "4 bytes at address 0xffc are no memory"},
		{"%2 = Load i32 [%0 i32, i32 -1]", "index -1 has 32 bits"},
		{"%2 = Load i64 [%0 i32, i32 3]", "the path leads to i32"},
		{"%2 = Load i64 [%0 {0: i32, 4: i64; 12/4}, i32 0, i32 1]", "address 0x1004 is not aligned to 8"},
		{"%2 = Load i64 [%0 i64, i32 2]", "no memory of the launch"},
		{"%2 = Load i32 [addr 0x0 i32, i32 0]", "4 bytes at address 0x0 are no memory"},
		{"%2 = Load i32 [%0 [2]i32, i32 0, i32 2]", "index 2 of an array of length 2"},
		{"Store [%0 i8, i64 16], i8 1", "1 bytes at address 0x1010"},
		{"%2 = AtomicCompareExchange i32 [%0 i32, i32 9], i32 1, i32 0", "no memory"},
		{"Store [%0 i32, i32 0], i32 2\n\t%2 = Load bool [%0 bool, i32 0]", "a bool of value 2"},
		{"%2 = Load i32 [var x]", "Load i32 [var x]: work-group [0 0 0], local id [0 0 0]: read before it was written"},
		{"Store [var a, i32 0], i32 1\n\t%2 = Load i32 [var a, i32 1]", "read before it was written"},
		{"CopyVar [var b], [var a]\n\t%2 = Load i32 [var b, i32 1]", "read before it was written"},
		{"%2 = Load i32 [var shared, i32 0]", "read before it was written"},
		{"Store [var a, i32 3], i32 1", "index 3 of an array of length 3"},
		{"Store [var a, i32 -1], i32 1", "index -1 of an array of length 3"},
		{"%2 = Load i32 [var table, i64 4294967296]", "index 4294967296 of an array of length 2"},
		{"%2 = Arg i64 36", "the launch block has 40 bytes"},
		{"Jump b1\nb1:\n\tJump b1\nb2:", "more than 1000 steps"},
		{"%2 = HalfDiv i32 i32 15360, i32 15361, i32 15360", "the float16 is 0x3c00, but the operands' is 0x3c01"},
		{"Unreachable\nb1:", "terminator: work-group [0 0 0], local id [0 0 0]: Unreachable is reached"},
		{"%2 = IAdd i32 %1, i64 1", "argument 1 has the type i64"},
	} {
		text := kernel("\tvar x i32\n\tvar a [$N]i32\n\tvar b [$N]i32\n", "\t"+c.body+"\n\tReturn\n")
		_, _, err := run1(t, text, Launch{Global: line(1), MaxSteps: 1000}, 0, 0, 0, 0)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.body, err, c.want)
		}
	}
}

// TestPure checks ops on constants.
func TestPure(t *testing.T) {
	m := ir.NewModule("M")
	x, err := newMachine(m, Launch{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ expr, want string }{
		{"IAdd i32 i32 2147483647, i32 1", "i32 -2147483648"},
		{"ISub i64 i64 0, i64 1", "i64 -1"},
		{"IMul i32 i32 65536, i32 65537", "i32 65536"},
		{"SDiv i32 i32 -7, i32 2", "i32 -3"},
		{"SDiv i64 i64 -9223372036854775808, i64 1", "i64 -9223372036854775808"},
		{"SDiv i32 i32 0, i32 -1", "i32 0"},
		{"UDiv i32 i32 -1, i32 2", "i32 2147483647"},
		{"UMod i32 i32 -1, i32 10", "i32 5"},
		{"UMulHi i32 i32 -1, i32 -1", "i32 -2"},
		{"And i32 i32 12, i32 10", "i32 8"},
		{"Or i32 i32 12, i32 10", "i32 14"},
		{"Xor i64 i64 12, i64 -1", "i64 -13"},
		{"Not i32 i32 0", "i32 -1"},
		{"Shl i32 i32 -1, i32 31", "i32 -2147483648"},
		{"ShrL i32 i32 -1, i32 31", "i32 1"},
		{"ShrA i32 i32 -8, i32 2", "i32 -2"},
		{"BitCount i32 i32 -1", "i32 32"},
		{"BitReverse i32 i32 1", "i32 -2147483648"},
		{"FindLsb i32 i32 0", "i32 -1"},
		{"FindLsb i32 i32 8", "i32 3"},
		{"FindUMsb i32 i32 0", "i32 -1"},
		{"FindUMsb i32 i32 -1", "i32 31"},
		{"SLt bool i32 -1, i32 0", "bool true"},
		{"ULt bool i32 -1, i32 0", "bool false"},
		{"SLe bool i64 -1, i64 -1", "bool true"},
		{"ULe bool i64 -1, i64 0", "bool false"},
		{"FEq bool f32 0, f32 -0", "bool true"},
		{"FEq bool f32 0x7fc00000, f32 0x7fc00000", "bool false"},
		{"FNe bool f32 0x7fc00000, f32 0x7fc00000", "bool true"},
		{"FLt bool f64 1, f64 2", "bool true"},
		{"FLe bool f16 1, f16 0x7e00", "bool false"},
		{"AddrIsNull bool addr 0x0", "bool true"},
		{"LNot bool bool false", "bool true"},
		{"LNe bool bool true, bool true", "bool false"},
		{"LAnd bool bool true, bool false", "bool false"},
		{"LOr bool bool true, bool false", "bool true"},
		{"Select f32 bool true, f32 1, f32 2", "f32 1"},
		{"SConvert i64 i8 -1", "i64 -1"},
		{"UConvert i64 i8 -1", "i64 255"},
		{"SConvert i8 i64 511", "i8 -1"},
		{"Bitcast i32 f32 1", "i32 1065353216"},
		{"Bitcast i64 addr 0x10", "i64 16"},
		{"FFromHalf f32 i32 32769", "f32 -5.9604645e-08"},
		{"FFromHalf f32 i32 523263", "f32 -65504"}, // 0x7fbff
		{"FFromHalf f32 i32 64513", "f32 0x7fc00000"},
		{"FToHalf i32 f32 -65520", "i32 64512"},
		{"FToHalf i32 f32 0xffc00001", "i32 32256"},
		{"FConvert f16 f64 65519.99", "f16 65504"},
		{"FConvert f32 f64 0.1", "f32 0.1"},
		{"FConvert f64 f16 0x0001", "f64 5.960464477539063e-08"},
		{"SToF f32 i64 9007199791611905", "f32 9.0072e+15"},
		{"UToF f32 i64 -1", "f32 1.8446744e+19"},
		{"UToF f64 i8 -1", "f64 255"},
		{"SToF f16 i16 -1", "f16 -1"},
		{"FToS i32 f32 -2147483648", "i32 -2147483648"},
		{"FToS i8 f32 -128.9", "i8 -128"},
		{"FToU i64 f64 1.8446744073709550e+19", "i64 -2048"},
		{"FToU i32 f32 -0.9", "i32 0"},
		{"FNegate f32 f32 0", "f32 -0"},
		{"FAbs f64 f64 -2", "f64 2"},
		{"FAdd f16 f16 2048, f16 1", "f16 2048"},
		{"FAdd f32 f32 16777216, f32 1", "f32 1.6777216e+07"},
		{"FDiv f32 f32 1, f32 3", "f32 0.33333334"},
		{"FDiv f32 f32 1, f32 0", "f32 0x7f800000"},
		{"FSqrt f32 f32 2", "f32 1.4142135"},
		{"FFloor f32 f32 -1.5", "f32 -2"},
		{"FCeil f32 f32 -1.5", "f32 -1"},
		{"FTrunc f32 f32 -1.5", "f32 -1"},
		{"FRoundEven f32 f32 2.5", "f32 2"},
		{"FExp2 f32 f32 3", "f32 8"},
		{"FPow f32 f32 3, f32 2", "f32 9"},
		{"FRsqrt f32 f32 4", "f32 0.5"},
	} {
		m := parse(t, "module M built\nkernel main {\nb0:\n\t%0 = "+c.expr+"\n\tReturn\n}\n")
		if err := ir.Verify(m); err != nil {
			t.Errorf("%s: %v", c.expr, err)
			continue
		}
		v := m.Kernel.Blocks[0].Insts[0]
		var args []uint64
		for _, a := range v.Args {
			args = append(args, a.Bits)
		}
		bits, err := x.computePure(v, args)
		if got := m.Const(v.Type, bits).LongString(); err != nil || got != c.want {
			t.Errorf("%s: got %s, %v, want %s", c.expr, got, err, c.want)
		}
	}
}

// TestRounding compares with Go's float32 and with exact sums.
func TestRounding(t *testing.T) {
	m, err := newMachine(ir.NewModule("M"), Launch{})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	random := func() float32 {
		// Near exponents, so that results cancel and round.
		b := r.Uint32()&0x807fffff | (100+r.Uint32N(50))<<23
		if r.IntN(8) == 0 {
			b &= 0x807fffff // subnormal
		}
		if r.IntN(2) == 0 {
			b &^= 0xfff
		}
		return math.Float32frombits(b)
	}
	for range 200000 {
		x, y, z := random(), random(), random()
		a := []uint64{uint64(math.Float32bits(x)), uint64(math.Float32bits(y)), uint64(math.Float32bits(z))}
		exact := new(big.Float).SetPrec(600).Mul(big.NewFloat(float64(x)), big.NewFloat(float64(y)))
		exact.Add(exact, big.NewFloat(float64(z)))
		fma, _ := exact.Float32()
		for op, want := range map[ir.Op]float32{ir.OpFAdd: x + y, ir.OpFSub: x - y, ir.OpFMul: x * y, ir.OpFDiv: x / y, ir.OpFma: fma} {
			got, _ := m.floatOp(op, ir.TypeF32, a)
			if g := math.Float32frombits(uint32(got)); g != want && (g == g || want == want) {
				t.Fatalf("%v of %g, %g, %g: got %g, want %g", op, x, y, z, g, want)
			}
		}
	}
}

func TestFma(t *testing.T) {
	text := kernel("", "\t%2 = Load f32 [%0 f32, i32 0]\n\t%3 = Fma f32 %2, %2, f32 -1\n\tStore [%0 f32, i32 0], %3\n\tReturn\n")
	x := float32(1 + 0x1p-12)
	for _, unfused := range []bool{false, true} {
		got, _, err := run1(t, text, Launch{Global: line(1), Unfused: unfused}, math.Float32bits(x))
		want := float32(0x1p-11 + 0x1p-24)
		if unfused {
			want = float32(x*x) - 1
		}
		if err != nil || math.Float32frombits(got[0]) != want {
			t.Errorf("unfused %v: got %g, %v, want %g", unfused, math.Float32frombits(got[0]), err, want)
		}
	}
}

func TestFault(t *testing.T) {
	// Items 1 and later fault; the first of them wins.
	body := "\t%2 = ULt bool %1, i32 1\n\tBranch %2, b1, b2\nb1:\n\tStore [%0 i32, %1], i32 9\n\tReturn\n" +
		"b2:\n\t%3 = UConvert i64 %1\n\tFault site 1, %3, i64 -4, %1, i32 7, i32 8\n\tReturn\n"
	got, r, err := run1(t, kernel("", body), Launch{Global: line(4), Local: line(2)}, 0, 0)
	if err != nil || r.Fault == nil || got[0] != 9 {
		t.Fatal(got, r, err)
	}
	f := *r.Fault
	if f.Site.Index != 1 || f.A != 1 || f.B != -4 || f.GlobalID != [3]uint32{1, 7, 8} {
		t.Errorf("got %+v", f)
	}
	if s := f.String(); s != "k.go:5:6: boom at [1 7 8]" {
		t.Error(s)
	}
}

// TestFaultHelper runs the form that faults have after legalization.
func TestFaultHelper(t *testing.T) {
	const text = `module M legal
form Range 1
items 1
args 0
site 0 kind 1 "k.go":3:4 ""

kernel main {
b0:
	%0 = BuiltIn i32 GlobalInvocationId.x
	%1 = UConvert i64 %0
	Call fault, i32 0, %1, i64 2, %0, i32 0, i32 0
	Return
}

helper fault(%0 i32, %1 i64, %2 i64, %3 i32, %4 i32, %5 i32) {
b0: merge b2
	%6 = Arg addr 0
	%7 = AtomicCompareExchange i32 [%6 i32, i32 0], i32 1, i32 0
	%8 = IEq bool %7, i32 0
	Branch %8, b1, b2
b1:
	Store [%6 {0: i32, 4: i32, 8: i64, 16: i64, 24: [3]i32; 64/8}, i32 0, i32 1], %0
	Store [%6 {0: i32, 4: i32, 8: i64, 16: i64, 24: [3]i32; 64/8}, i32 0, i32 2], %1
	Store [%6 {0: i32, 4: i32, 8: i64, 16: i64, 24: [3]i32; 64/8}, i32 0, i32 3], %2
	Store [%6 {0: i32, 4: i32, 8: i64, 16: i64, 24: [3]i32; 64/8}, i32 0, i32 4, i32 0], %3
	Store [%6 {0: i32, 4: i32, 8: i64, 16: i64, 24: [3]i32; 64/8}, i32 0, i32 4, i32 1], %4
	Jump b2
b2:
	Return
}
`
	m := parse(t, text)
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	r, err := Run(m, Launch{Global: line(5), Local: line(4)})
	if err != nil || r.Fault == nil || r.Fault.String() != "k.go:3:4: index out of range [0] with length 2 at [0 0 0]" {
		t.Error(r.Fault, err)
	}
	// A record that names no site is an error.
	m.Kernel.Blocks[0].Insts[2].Args[0] = m.Int(ir.TypeI32, 1)
	if _, err := Run(m, Launch{Global: line(1)}); err == nil || !strings.Contains(err.Error(), "names site 1 of 1") {
		t.Error(err)
	}
}

// TestSpilled checks both views of a spilled launch block.
func TestSpilled(t *testing.T) {
	const text = `module M %s
form Task 0
items 1
args 136 spilled

kernel main {
b0:
%s	Return
}
`
	args := append(slice(at, 1), make([]byte, 120)...)
	binary.LittleEndian.PutUint32(args[132:], 42)
	l := Launch{Global: line(1), Args: args, Memory: []Region{{at, words(0)}}}
	for level, body := range map[string]string{
		"built": "\t%0 = Arg addr 24\n\t%1 = Arg i32 156\n\tStore [%0 i32, i32 0], %1\n",
		"legal": "\t%2 = Arg addr 24\n\t%0 = Load addr [%2 addr, i32 0]\n\t%1 = Load i32 [%2 i32, i32 33]\n\tStore [%0 i32, i32 0], %1\n",
	} {
		r, err := Run(parse(t, fmt.Sprintf(text, level, body)), l)
		if err != nil || unwords(r.Memory[0].Data)[0] != 42 {
			t.Error(level, err)
		}
	}
	if l.Memory[0].Data[0] != 0 {
		t.Error("the launch's memory was changed")
	}
}

// TestBuiltIns stores each built-in of all items.
func TestBuiltIns(t *testing.T) {
	const global = 2 * 3 * 2
	for b := range ir.NumBuiltIns {
		text := strings.Replace(kernel("", fmt.Sprintf(`	%%2 = BuiltIn i32 GlobalInvocationId.y
	%%3 = BuiltIn i32 GlobalInvocationId.z
	%%4 = IMul i32 %%3, i32 3
	%%5 = IAdd i32 %%4, %%2
	%%6 = IMul i32 %%5, i32 2
	%%7 = IAdd i32 %%6, %%1
	%%8 = BuiltIn i32 %v
	Store [%%0 i32, %%7], %%8
	Return
`, b)), "NDRange 1", "NDRange 3", 1)
		got, _, err := run1(t, text, Launch{Global: [3]uint32{2, 3, 2}, Local: [3]uint32{2, 3, 1}}, make([]uint32, global)...)
		if err != nil {
			t.Fatal(err)
		}
		var want []uint32
		for i := range uint32(global) {
			x, y, z, l := i%2, i/2%3, i/6, i%6
			want = append(want, [...]uint32{x, y, z, x, y, 0, 0, 0, z, l, 4, 2, l / 4, l % 4, 4 - l/4*2}[b])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: got %v, want %v", b, got, want)
		}
	}
}

// TestMemory covers variables, tables, copies, addresses and specialization.
func TestMemory(t *testing.T) {
	text := kernel("\tvar a [$N]{0: i32, 4: [2]i8; 8/4}\n\tvar b [$N]{0: i32, 4: [2]i8; 8/4}\n", `	Zero [var a]
	%2 = ISub i32 $N, i32 1
	Store [var a, %2, i32 1, i32 1], i8 -5
	CopyVar [var b], [var a]
	%3 = Load i8 [var b, %2, i32 1, i32 1]
	%4 = SConvert i32 %3
	%5 = AddrOf addr [%0 [2]i32, i64 1, i32 1]
	Store [%5 i32, i64 -1], %4
	%6 = Load i32 [var table, i32 1]
	Store [%5 i32, i32 0], %6
	%7 = Load i32 [var b, i32 0, i32 0]
	Store [%0 i32, i32 0], %7
	Store [%0 {0: i8, 1: i8; 4/1}, i64 1, i32 1], i8 3
	%8 = AtomicCompareExchange i32 [%0 i32, i32 4], i32 77, i32 6
	%9 = AtomicCompareExchange i32 [%0 i32, i32 4], i32 78, i32 6
	Store [%0 i32, i32 5], %9
	Return
`)
	for _, n := range []uint64{1, 3, 100} {
		got, _, err := run1(t, text, Launch{Global: line(1), Specs: map[uint32]uint64{1: n}}, 5, 0xaaaaaaaa, 5, 5, 6, 0)
		if want := []uint32{0, 0xaaaa03aa, 0xfffffffb, 20, 77, 77}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%d: got %x, %v", n, got, err)
		}
	}
	_, _, err := run1(t, text, Launch{Global: line(1), Specs: map[uint32]uint64{1: 0xffffffff}}, 0)
	if err == nil || !strings.Contains(err.Error(), "has the length -1") {
		t.Error(err)
	}
}

// TestParallelPhis checks that the phis of a block are assigned together, and
// that two edges between the same blocks are told apart.
func TestParallelPhis(t *testing.T) {
	text := kernel("", `	Jump b1
b1:
	%2 = Phi i32 [i32 1 b0, %3 b1]
	%3 = Phi i32 [i32 2 b0, %2 b1]
	%4 = Phi i32 [i32 0 b0, %5 b1]
	%5 = IAdd i32 %4, i32 1
	%6 = ULt bool %4, i32 2
	Branch %6, b1, b2
b2:
	Store [%0 i32, i32 0], %2
	Store [%0 i32, i32 1], %3
	%7 = IEq bool %2, i32 1
	Branch %7, b3, b3
b3:
	%8 = Phi i32 [i32 10 b2, i32 20 b2]
	Store [%0 i32, i32 2], %8
	Return
`)
	got, _, err := run1(t, text, Launch{Global: line(1)}, 0, 0, 0)
	if want := []uint32{1, 2, 10}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	got, _, err = run1(t, strings.Replace(text, "%4, i32 2", "%4, i32 1", 1), Launch{Global: line(1)}, 0, 0, 0)
	if want := []uint32{2, 1, 20}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestBadLaunch(t *testing.T) {
	m := parse(t, reverse)
	for want, mem := range map[string][]Region{
		"region 1 overlaps": {{16, make([]byte, 16)}, {24, make([]byte, 1)}},
		"region 0 ends":     {{faultAddr, make([]byte, 1)}},
	} {
		if _, err := Run(m, Launch{Memory: mem}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if r, err := Run(m, Launch{}); err != nil || r.Steps != 0 {
		t.Error("an empty launch:", r, err)
	}
}

// TestVectors turns vectors round, and accesses one whose address is no multiple of 16 and one that
// is partly beyond the memory.
func TestVectors(t *testing.T) {
	const text = `module M built
form Range 1
items 1
args 16

kernel main {
b0:
	%0 = Arg addr 24
	%1 = Arg i32 32
	%2 = AddrOf addr [%0 i32, %1]
	%3 = BuiltIn i32 GlobalInvocationId.x
	%4 = Load i32x4 [%2 i32x4, %3]
	%5 = VecExtract i32 0, %4
	%6 = VecExtract i32 1, %4
	%7 = VecExtract i32 2, %4
	%8 = VecExtract i32 3, %4
	%9 = VecMake i32x4 %8, %7, %6, %5
	Store [%2 i32x4, %3], %9
	Return
}
`
	m := parse(t, text)
	run := func(skip uint32, in ...uint32) ([]uint32, error) {
		l := Launch{Global: line(2), Memory: []Region{{1 << 20, words(in...)}}}
		l.Args = binary.LittleEndian.AppendUint64(l.Args, 1<<20)
		l.Args = binary.LittleEndian.AppendUint64(l.Args, uint64(skip))
		r, err := Run(m, l)
		return unwords(r.Memory[0].Data), err
	}
	got, err := run(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	if want := []uint32{4, 3, 2, 1, 8, 7, 6, 5, 9}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if _, err := run(2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10); err == nil || !strings.Contains(err.Error(), "is not aligned to 16") {
		t.Errorf("a vector that is not aligned: %v", err)
	}
	if _, err := run(0, 1, 2, 3, 4, 5, 6, 7); err == nil || !strings.Contains(err.Error(), "16 bytes at address 0x100010 are no memory") {
		t.Errorf("a vector that is not all there: %v", err)
	}
}
