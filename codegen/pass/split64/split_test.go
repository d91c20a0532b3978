package split64_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/ir/interp"
	"github.com/kgen-go/kgen/codegen/pass/numbers"
	"github.com/kgen-go/kgen/codegen/pass/split64"
	"github.com/kgen-go/kgen/internal/tests/passtest"
	"github.com/kgen-go/kgen/internal/tests/sample"
)

// wordsKernel is a kernel over two slices of 64 bits and one of results, with 8
// bytes of each for every work-item.
type wordsKernel struct {
	m       *ir.Module
	b       *ir.Block
	x, y    *ir.Value // the item's operands
	out, id *ir.Value
}

const wordsItems = 64

func newWordsKernel() *wordsKernel {
	m, b, a := passtest.NewKernel(3)
	k := &wordsKernel{m: m, b: b, out: a[2]}
	k.id = b.Append(ir.OpBuiltIn, ir.TypeI32)
	k.id.Aux = ir.GlobalInvocationIDX
	k.x, k.y = k.load(ir.TypeI64, a[0]), k.load(ir.TypeI64, a[1])
	return k
}

// load loads the item's element of a slice of 8 bytes each.
func (k *wordsKernel) load(t *ir.Type, addr *ir.Value) *ir.Value {
	index := k.id
	if t.Size == 4 {
		index = k.b.Append(ir.OpShl, ir.TypeI32, index, k.m.Int(ir.TypeI32, 1))
	}
	v := k.b.Append(ir.OpLoad, t, addr, index)
	v.Aux = &ir.Ref{Elem: t}
	return v
}

// finish stores the result and ends the kernel.
func (k *wordsKernel) finish(t testing.TB, v *ir.Value) *ir.Module {
	t.Helper()
	b, m := k.b, k.m
	if v.Type == ir.TypeBool {
		v = b.Append(ir.OpSelect, ir.TypeI32, v, m.Int(ir.TypeI32, 1), m.Int(ir.TypeI32, 2))
	}
	if v.Type.Size < 4 {
		if v.Type == ir.TypeF16 {
			v = b.Append(ir.OpBitcast, ir.TypeI16, v)
		}
		v = b.Append(ir.OpUConvert, ir.TypeI32, v)
	}
	index := k.id
	if v.Type.Size == 4 {
		index = b.Append(ir.OpShl, ir.TypeI32, index, m.Int(ir.TypeI32, 1))
	}
	b.Append(ir.OpStore, ir.TypeVoid, v, k.out, index).Aux = &ir.Ref{Elem: v.Type}
	b.SetTerm(ir.Term{Kind: ir.Return})
	m.Level = ir.Legal
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	return m
}

// left matches integers of 64 bits, and smaller ones than words in device memory.
var left = regexp.MustCompile(`\bi64\b|\[%\d+ [^%]*\bi(8|16)\b`)

// mustWords runs the pass on a module and checks what it leaves.
func mustWords(t testing.TB, m *ir.Module) {
	t.Helper()
	numbers.LongDivide(m)
	if !split64.Lower(m) {
		t.Fatal("not to be had in words")
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(m.String()) {
		if left.MatchString(line) && !strings.HasPrefix(line, "param") {
			t.Fatalf("left in the module: %s", line)
		}
	}
}

// sameInWords makes the module twice, rewrites one, and compares what they leave
// In memory for the operands.
func sameInWords(t testing.TB, name string, build func() *ir.Module, xs, ys []uint64) {
	t.Helper()
	plain, words := build(), build()
	mustWords(t, words)
	for len(xs) > 0 {
		n := min(len(xs), 1<<12)
		var results [2][]byte
		for i, m := range []*ir.Module{plain, words} {
			l := launchOf(xs[:n], ys[:n])
			r, err := interp.Run(m, l)
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, m.String())
			}
			results[i] = r.Memory[2].Data
		}
		for i := range n {
			a, b := results[0][8*i:8*i+8], results[1][8*i:8*i+8]
			if !bytes.Equal(a, b) {
				t.Fatalf("%s of %#x, %#x: %x, want %x\n%s", name, xs[i], ys[i], b, a, words.String())
			}
		}
		xs, ys = xs[n:], ys[n:]
	}
}

func launchOf(xs, ys []uint64) interp.Launch {
	l := interp.Launch{Global: [3]uint32{uint32(len(xs)), 1, 1}, Local: [3]uint32{1, 1, 1}}
	data := [3][]byte{2: make([]byte, 8*len(xs))}
	for i := range xs {
		data[0] = binary.LittleEndian.AppendUint64(data[0], xs[i])
		data[1] = binary.LittleEndian.AppendUint64(data[1], ys[i])
	}
	for i, d := range data {
		at := uint64(i+1)<<32 - 1<<12 // a region may pass a multiple of 1<<32
		l.Memory = append(l.Memory, interp.Region{Addr: at, Data: d})
		l.Args = binary.LittleEndian.AppendUint64(l.Args, at)
		l.Args = binary.LittleEndian.AppendUint64(l.Args, uint64(len(xs)))
	}
	return l
}

// edges64 are integers around powers of two, near the ends and of mixed halves.
func edges64() []uint64 {
	var list []uint64
	for _, k := range []int{0, 1, 2, 4, 8, 15, 16, 17, 23, 24, 25, 31, 32, 33, 47, 48, 49, 52, 53, 54, 62, 63} {
		p := uint64(1) << k
		list = append(list, p-1, p, p+1, -p, -p-1, 1-p, p|p>>1)
	}
	return append(list, 10, 1000, 0xffff0000ffff0000, 0x0000ffff0000ffff, 0x8000000080000000, 0x7fffffff80000000,
		0xffffffff00000001, 0x00000001ffffffff, 0x80000000ffffffff, 0x123456789abcdef0, 0xfffefffefffefffe)
}

// operands64 returns all pairs of edges, and random ones of all magnitudes.
func operands64(random int) (xs, ys []uint64) {
	edges, step := edges64(), sample.Of(1, 4)
	for i, x := range edges {
		for j := i % step; j < len(edges); j += step {
			xs, ys = append(xs, x), append(ys, edges[j])
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range random {
		xs = append(xs, r.Uint64()>>r.UintN(64))
		ys = append(ys, r.Uint64()>>r.UintN(64))
		if r.UintN(4) == 0 {
			xs[len(xs)-1] *= ys[len(ys)-1] // divisible, or near it
			xs[len(xs)-1] += uint64(r.UintN(3)) - 1
		}
	}
	return xs, ys
}

var int64Ops = []ir.Op{ir.OpIAdd, ir.OpISub, ir.OpIMul, ir.OpSDiv, ir.OpUDiv, ir.OpUMod, ir.OpAnd, ir.OpOr, ir.OpXor,
	ir.OpNot, ir.OpShl, ir.OpShrL, ir.OpShrA, ir.OpIEq, ir.OpINe, ir.OpSLt, ir.OpSLe, ir.OpULt, ir.OpULe}

// defined makes operands on which an op is defined.
func defined(op ir.Op, x, y uint64) (uint64, uint64) {
	switch op {
	case ir.OpSDiv, ir.OpUDiv, ir.OpUMod:
		if y == 0 || op == ir.OpSDiv && x == 1<<63 && y == math.MaxUint64 {
			y = 3
		}
	case ir.OpShl, ir.OpShrL, ir.OpShrA:
		y %= 64
	}
	return x, y
}

func resultType(op ir.Op) *ir.Type {
	if strings.HasSuffix(op.Info().Sig, "b") {
		return ir.TypeBool
	}
	return ir.TypeI64
}

// TestWordsOps compares every op on 64 bits with the interpreter's.
func TestWordsOps(t *testing.T) {
	for _, op := range int64Ops {
		t.Run(op.String(), func(t *testing.T) {
			xs, ys := operands64(sample.Of(8000, 100))
			for i := range xs {
				xs[i], ys[i] = defined(op, xs[i], ys[i])
			}
			if op >= ir.OpShl && op <= ir.OpShrA {
				for n := range uint64(64) {
					for _, x := range edges64() {
						xs, ys = append(xs, x), append(ys, n)
					}
				}
			}
			sameInWords(t, op.String(), func() *ir.Module {
				k := newWordsKernel()
				args := []*ir.Value{k.x, k.y}
				if op == ir.OpNot {
					args = args[:1]
				}
				return k.finish(t, k.b.Append(op, resultType(op), args...))
			}, xs, ys)
		})
	}
}

// TestWordsConstants compares every op with one operand constant, and with
// operands that are extended words, where the pass finds shorter code.
func TestWordsConstants(t *testing.T) {
	edges := edges64()
	for _, op := range int64Ops {
		if op == ir.OpNot || !sample.Has(op.String(), 4) {
			continue
		}
		t.Run(op.String(), func(t *testing.T) {
			for i, c := range edges {
				if i%48 != 0 && passtest.Count() < 2000 || i%8 != 0 { // make deep has more
					continue
				}
				for _, left := range []bool{true, false} {
					var xs, ys []uint64
					for _, x := range edges {
						a, b := x, c
						if left {
							a, b = c, x
						}
						a, b = defined(op, a, b)
						if a != c && b != c || left != (a == c) {
							continue
						}
						xs, ys = append(xs, a), append(ys, b)
					}
					if len(xs) == 0 {
						continue
					}
					sameInWords(t, fmt.Sprintf("%v by %#x", op, c), func() *ir.Module {
						k := newWordsKernel()
						x, y := k.x, k.m.Const(ir.TypeI64, c)
						if left {
							x, y = y, k.y
						}
						return k.finish(t, k.b.Append(op, resultType(op), x, y))
					}, xs, ys)
				}
			}
			xs, ys := operands64(0)
			for i := range xs {
				xs[i], ys[i] = defined(op, xs[i]&math.MaxUint32, ys[i]&math.MaxUint32)
			}
			for how := range 4 {
				sameInWords(t, op.String(), func() *ir.Module {
					k := newWordsKernel()
					ext := [2]ir.Op{ir.OpSConvert, ir.OpUConvert}
					x := k.b.Append(ext[how&1], ir.TypeI64, k.b.Append(ir.OpUConvert, ir.TypeI32, k.x))
					y := k.b.Append(ext[how>>1], ir.TypeI64, k.b.Append(ir.OpUConvert, ir.TypeI32, k.y))
					if op >= ir.OpShl && op <= ir.OpShrA {
						y = k.y
					}
					if op == ir.OpSDiv { // not the least number by -1
						x = k.b.Append(ir.OpShrA, ir.TypeI64, x, k.m.Int(ir.TypeI64, 1))
					}
					return k.finish(t, k.b.Append(op, resultType(op), x, y))
				}, xs, ys)
			}
		})
	}
}

// TestWordsConversions compares conversions and bitcasts.
func TestWordsConversions(t *testing.T) {
	xs, ys := operands64(sample.Of(20000, 300))
	for _, to := range []*ir.Type{ir.TypeI8, ir.TypeI16, ir.TypeI32, ir.TypeI64} {
		for _, back := range []ir.Op{ir.OpSConvert, ir.OpUConvert} {
			sameInWords(t, fmt.Sprintf("%v of %v", back, to), func() *ir.Module {
				k := newWordsKernel()
				return k.finish(t, k.b.Append(back, ir.TypeI64, k.b.Append(ir.OpUConvert, to, k.x)))
			}, xs, ys)
		}
	}
	for _, to := range []*ir.Type{ir.TypeF16, ir.TypeF32, ir.TypeF64} {
		for _, op := range []ir.Op{ir.OpSToF, ir.OpUToF} {
			in := xs
			for k := range 64 { // as near as can be to the middle between two floats
				for _, bits := range []int{11, 24, 53} {
					mid := uint64(1)<<k | uint64(1)<<k>>bits
					in = append(in, mid-1, mid, mid+1, -mid, -mid-1, -mid+1, mid|1<<k>>(bits-1), mid|1<<k>>(bits-1)-1)
				}
			}
			sameInWords(t, fmt.Sprintf("%v to %v", op, to), func() *ir.Module {
				k := newWordsKernel()
				return k.finish(t, k.b.Append(op, to, k.x))
			}, in, make([]uint64, len(in)))
		}
	}
	for _, via := range []*ir.Type{ir.TypeF64, ir.TypeAddr} {
		sameInWords(t, "Bitcast", func() *ir.Module {
			k := newWordsKernel()
			return k.finish(t, k.b.Append(ir.OpBitcast, ir.TypeI64, k.b.Append(ir.OpBitcast, via, k.x)))
		}, xs, ys)
	}
}

// TestUnsigned compares the conversion of unsigned words to float32, in modules of
// both kinds, and looks that no device is asked for it.
func TestUnsigned(t *testing.T) {
	var in []uint64
	for k := range 32 {
		for _, x := range []uint64{1, 1<<24 + 1, 1<<25 - 1, 3<<23 + 1, 1<<24 + 3, 1<<25 + 1, 0xb659a8a1} {
			in = append(in, x<<7>>k&math.MaxUint32, (x<<7>>k+1)&math.MaxUint32, (x<<7>>k-1)&math.MaxUint32, x<<k&math.MaxUint32)
		}
	}
	build := func(wide bool) *ir.Module {
		m, b, a := passtest.NewKernel(3)
		k := &wordsKernel{m: m, b: b, out: a[2]}
		k.id = b.Append(ir.OpBuiltIn, ir.TypeI32)
		k.id.Aux = ir.GlobalInvocationIDX
		x := k.load(ir.TypeI32, a[0])
		if wide {
			k.load(ir.TypeI64, a[1])
		}
		return k.finish(t, b.Append(ir.OpUToF, ir.TypeF32, x))
	}
	sameInWords(t, "UToF", func() *ir.Module { return build(true) }, in, in)
	m := build(false)
	numbers.Unsigned(m)
	if strings.Contains(m.String(), "UToF") {
		t.Error("the device still converts")
	}
	for _, m := range []*ir.Module{m, build(false)} {
		r, err := interp.Run(m, launchOf(in, in))
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range in {
			if got, want := binary.LittleEndian.Uint32(r.Memory[2].Data[8*i:]), math.Float32bits(float32(uint32(x))); got != want {
				t.Errorf("%#x: %#x, want %#x", x, got, want)
			}
		}
	}
}

// TestWordsFromFloat compares the conversion of floats that are in range.
func TestWordsFromFloat(t *testing.T) {
	for _, typ := range []*ir.Type{ir.TypeF16, ir.TypeF32, ir.TypeF64} {
		for _, op := range []ir.Op{ir.OpFToS, ir.OpFToU} {
			var in []uint64
			add := func(f float64) {
				f = ir.FloatValue(typ, ir.FloatBits(typ, f))
				lo, hi := 0.0, 0x1p64
				if op == ir.OpFToS {
					lo, hi = -0x1p63, 0x1p63
				}
				if f == f && !math.IsInf(f, 0) && f > lo-1 && f < hi && (f >= lo || op == ir.OpFToU) {
					in = append(in, ir.FloatBits(typ, f))
				}
			}
			r := rand.New(rand.NewPCG(5, 6))
			for k := -3; k < 65; k++ {
				p := math.Ldexp(1, k)
				for _, f := range []float64{p, p * (1 + 0x1p-23), p * (1 + 0x1p-52), p * (2 - 0x1p-23), p * (2 - 0x1p-52), p + 0.5, p - 0.5} {
					add(f)
					add(-f)
				}
				for range 50 {
					add(p * (1 + r.Float64()))
					add(-p * (1 + r.Float64()))
				}
			}
			add(0)
			add(math.Copysign(0, -1))
			sameInWords(t, fmt.Sprintf("%v of %v", op, typ), func() *ir.Module {
				k := newWordsKernel()
				var f *ir.Value
				switch typ {
				case ir.TypeF64:
					f = k.b.Append(ir.OpBitcast, typ, k.x)
				case ir.TypeF32:
					f = k.b.Append(ir.OpBitcast, typ, k.b.Append(ir.OpUConvert, ir.TypeI32, k.x))
				default:
					f = k.b.Append(ir.OpBitcast, typ, k.b.Append(ir.OpUConvert, ir.TypeI16, k.x))
				}
				return k.finish(t, k.b.Append(op, ir.TypeI64, f))
			}, in, make([]uint64, len(in)))
		}
	}
}

// TestWordsAtomics: there are no atomic operations on pairs.
func TestWordsAtomics(t *testing.T) {
	for _, typ := range []*ir.Type{ir.TypeI32, ir.TypeI64} {
		k := newWordsKernel()
		one := k.m.Int(typ, 1)
		v := k.b.Append(ir.OpAtomicIAdd, typ, one, k.out, k.m.Int(ir.TypeI32, 0))
		v.Aux = &ir.Ref{Elem: typ}
		k.b.SetTerm(ir.Term{Kind: ir.Return})
		k.m.Level = ir.Legal
		if got := split64.Lower(k.m); got != (typ == ir.TypeI32) {
			t.Errorf("%v: %v", typ, got)
		}
	}
}

// TestWordsMemory compares programs with variables, structs, small integers,
// phis, faults and specialization constants.
func TestWordsMemory(t *testing.T) {
	for name, text := range wordsPrograms {
		t.Run(name, func(t *testing.T) {
			xs, ys := operands64(0)
			sameInWords(t, name, func() *ir.Module {
				m, err := ir.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				if err := ir.Verify(m); err != nil {
					t.Fatal(err)
				}
				return m
			}, xs[:wordsItems], ys[:wordsItems])
		})
	}
}

func wordsProgram(body string) string {
	return `module t legal
form NDRange 1
items 1
args 48
` + body
}

var wordsPrograms = map[string]string{
	"variables": wordsProgram(`spec $N id 7 = i64 5
var table Private [3]i64 init [i64 -1, i64 4294967296, i64 7]
kernel main {
	var a [4]i64
	var s {0: i64, 8: i8; 16/8}
b0:
	%0 = Arg addr 24
	%1 = Arg addr 40
	%2 = Arg addr 56
	%3 = BuiltIn i32 GlobalInvocationId.x
	%4 = Load i64 [%0 i64, %3]
	Zero [var a]
	%5 = And i64 %4, i64 3
	Store [var a, %5], %4
	Store [var s, i32 0], %4
	%6 = UConvert i8 %4
	Store [var s, i32 1], %6
	%7 = Load i64 [var a, i32 1]
	%8 = Load i64 [var s, i32 0]
	%9 = Load i8 [var s, i32 1]
	%10 = SConvert i64 %9
	%11 = UMod i64 %4, i64 3
	%12 = Load i64 [var table, %11]
	%13 = IAdd i64 %7, %8
	%14 = IMul i64 %13, %10
	%15 = ISub i64 %14, %12
	%16 = IMul i64 %15, $N
	%17 = IAdd i64 %16, IMul i64 ($N, $N)
	%18 = Arg i64 32
	%19 = IAdd i64 %17, %18
	Store [%2 i64, %3], %19
	Return
}
`),
	"structs": wordsProgram(`kernel main {
b0:
	%0 = Arg addr 24
	%1 = Arg addr 40
	%2 = Arg addr 56
	%3 = BuiltIn i32 GlobalInvocationId.x
	%4 = UConvert i64 %3
	%5 = Load i32 [%0 {0: i8, 1: i8, 2: i16, 4: i32; 8/4}, %4, i32 3]
	%6 = Load i8 [%0 {0: i8, 1: i8, 2: i16, 4: i32; 8/4}, %4, i32 1]
	%7 = Load i16 [%0 {0: i8, 1: i8, 2: i16, 4: i32; 8/4}, %4, i32 2]
	%8 = Load i8 [%1 [8]i8, %4, i64 3]
	%9 = AddrOf addr [%1 [8]i8, %4, i64 5]
	%10 = Load i8 [%9 i8, i64 -1]
	%11 = SConvert i32 %6
	%12 = UConvert i32 %7
	%13 = SConvert i32 %8
	%14 = SConvert i32 %10
	%15 = IAdd i32 %11, %12
	%16 = IMul i32 %13, %14
	%17 = Xor i32 %15, %16
	%18 = IAdd i32 %5, %17
	%19 = UConvert i16 %18
	%20 = UConvert i8 %18
	Store [%2 {0: i8, 1: i8, 2: i16, 4: i32; 8/4}, %4, i32 2], %19
	Store [%2 {0: i8, 1: i8, 2: i16, 4: i32; 8/4}, %4, i32 1], %20
	Store [%2 {0: i8, 1: i8, 2: i16, 4: i32; 8/4}, %4, i32 3], %18
	%21 = AddrOf addr [%2 {0: i8, 1: i8, 2: i16, 4: i32; 8/4}, %4, i32 0]
	Store [%21 i8, i32 0], %6
	Return
}
`),
	"loop": wordsProgram(`kernel main {
b0:
	%0 = Arg addr 24
	%1 = Arg addr 40
	%2 = Arg addr 56
	%3 = BuiltIn i32 GlobalInvocationId.x
	%4 = Load i64 [%0 i64, %3]
	%5 = Load i64 [%1 i64, %3]
	%6 = And i64 %5, i64 15
	Jump b1
b1: preds b0, b2 merge b3 continue b2
	%7 = Phi i64 [i64 4294967290 b0, %11 b2]
	%8 = Phi i64 [%4 b0, %10 b2]
	%9 = ULt bool %7, i64 4294967300
	Branch %9, b2, b3
b2: preds b1
	%10 = IMul i64 %8, i64 6364136223846793005
	%11 = IAdd i64 %7, i64 1
	Jump b1
b3: preds b1
	%12 = SLt bool %8, %6
	%13 = Select i64 %12, %8, %6
	%14 = IAdd i64 %13, %8
	%15 = AddrOf addr [%2 i64, %3]
	Call put, %15, %14
	Return
}

helper put(%0 addr, %1 i64) {
b0:
	Store [%0 i64, i32 0], %1
	Return
}
`),
}

// TestWordsExpressions compares expressions of specialization constants, which
// must stay such, since SPIR-V takes nothing else for a length.
func TestWordsExpressions(t *testing.T) {
	xs, ys := operands64(0)
	for _, op := range int64Ops {
		if op == ir.OpSDiv || op == ir.OpUDiv || op == ir.OpUMod {
			continue
		}
		for i := 0; i < len(xs); i += 97 {
			x, y := defined(op, xs[i], ys[i])
			build := func() *ir.Module {
				k := newWordsKernel()
				var args []*ir.Value
				for j, bits := range []uint64{x, y}[:len(op.Info().Sig)-2] {
					s := &ir.Spec{ID: uint32(j), Name: "S", Type: ir.TypeI64, Default: bits}
					k.m.Specs = append(k.m.Specs, s)
					args = append(args, k.m.SpecValue(s))
				}
				v := k.m.ConstExpr(op, resultType(op), args...)
				length := k.m.ConstExpr(ir.OpSelect, ir.TypeI32, k.m.ConstExpr(ir.OpIEq, ir.TypeBool, args[0], args[0]),
					k.m.Int(ir.TypeI32, 3), k.m.Int(ir.TypeI32, 4))
				array := k.m.NewVar(k.m.Kernel, ir.Function, "a", k.m.ArrayOf(ir.TypeI64, length))
				k.b.Append(ir.OpZero, ir.TypeVoid).Aux = &ir.Ref{Var: array}
				if v.Type == ir.TypeBool {
					v = k.m.ConstExpr(ir.OpSelect, ir.TypeI64, v, k.m.Int(ir.TypeI64, 5), k.m.Int(ir.TypeI64, 6))
				}
				return k.finish(t, v)
			}
			sameInWords(t, fmt.Sprintf("%v of %#x, %#x", op, x, y), build, []uint64{0}, []uint64{0})
		}
	}
}

// TestWordsDivided: expressions divide words, and nothing longer.
func TestWordsDivided(t *testing.T) {
	for _, op := range []ir.Op{ir.OpSDiv, ir.OpUDiv, ir.OpUMod} {
		for _, wide := range []bool{true, false} {
			for _, n := range []uint64{17, 1<<32 - 1, 1 << 31} {
				build := func() *ir.Module {
					k := newWordsKernel()
					s := &ir.Spec{Name: "S", Type: ir.TypeI32, Default: n}
					ext := ir.OpUConvert
					if op == ir.OpSDiv {
						ext = ir.OpSConvert
					}
					if wide {
						s.Type = ir.TypeI64
					}
					k.m.Specs = append(k.m.Specs, s)
					x := k.m.SpecValue(s)
					if !wide {
						x = k.m.ConstExpr(ext, ir.TypeI64, x)
					}
					return k.finish(t, k.m.ConstExpr(op, ir.TypeI64, x, k.m.Int(ir.TypeI64, 3)))
				}
				if !wide {
					sameInWords(t, op.String(), build, []uint64{0}, []uint64{0})
				} else if split64.Lower(build()) {
					t.Errorf("%v of 64 bits became an expression", op)
				}
			}
		}
	}
}

// TestWordsStores lets work-items store the bytes of one word.
func TestWordsStores(t *testing.T) {
	build := func() *ir.Module {
		m, b, a := passtest.NewKernel(1)
		id := b.Append(ir.OpBuiltIn, ir.TypeI32)
		id.Aux = ir.GlobalInvocationIDX
		v := b.Append(ir.OpUConvert, ir.TypeI8, b.Append(ir.OpIMul, ir.TypeI32, id, m.Int(ir.TypeI32, 37)))
		b.Append(ir.OpStore, ir.TypeVoid, v, a[0], id).Aux = &ir.Ref{Elem: ir.TypeI8}
		b.SetTerm(ir.Term{Kind: ir.Return})
		m.Level = ir.Legal
		return m
	}
	words := build()
	mustWords(t, words)
	var got [2][]byte
	for i, m := range []*ir.Module{build(), words} {
		args := binary.LittleEndian.AppendUint64(nil, 0x1001)
		r, err := interp.Run(m, interp.Launch{Global: [3]uint32{13, 1, 1}, Local: [3]uint32{13, 1, 1},
			Args:   append(args, make([]byte, 8)...),
			Memory: []interp.Region{{Addr: 0x1000, Data: bytes.Repeat([]byte{0xee}, 16)}}})
		if err != nil {
			t.Fatal(err)
		}
		got[i] = r.Memory[0].Data
	}
	if !bytes.Equal(got[0], got[1]) {
		t.Errorf("%x, want %x", got[1], got[0])
	}
}
