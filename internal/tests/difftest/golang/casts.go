package golang

import (
	"unsafe"

	"github.com/kgen-go/kgen/dsl"
)

// Casts reads the bits of numbers through unsafe.Pointer, as packages did before math.Float32bits was
// cheap.
type Casts struct {
	F   []float32
	N   []int32
	L   []uint64
	Out []uint32
}

type degrees float32

func bitsOf(f float32) uint32 { return *(*uint32)(unsafe.Pointer(&f)) }
func ofBits(b uint32) float32 { return *(*float32)(unsafe.Pointer(&b)) }
func signless(f float32) float32 {
	p := (*uint32)(unsafe.Pointer(&f))
	*p &^= 1 << 31
	return f
}

// Kernel reads and writes memory of each kind.
func (k Casts) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	f, n := k.F[i], k.N[i]
	h := bitsOf(f)*31 + bitsOf(signless(ofBits(uint32(n))))
	h = h*31 + *(*uint32)(unsafe.Pointer(&k.N[i]))
	d := degrees(f)
	h = h*31 + uint32(*(*int32)(unsafe.Pointer(&d)))
	b := int8(n)
	h = h*31 + uint32(*(*uint8)(unsafe.Pointer(&b)))
	u := uint16(n)
	h = h*31 + uint32(int32(*(*int16)(unsafe.Pointer(&u))))
	x := int(k.L[i])
	h = h*31 + uint32(*(*uint64)(unsafe.Pointer(&x))>>7)
	*(*float32)(unsafe.Pointer(&k.N[i])) = f
	*(*int)(unsafe.Pointer(&k.L[i])) -= int(n)
	var own [3]float32
	*(*uint32)(unsafe.Pointer(&own[i%3])) = uint32(n)
	h = h*31 + bitsOf(own[n&1])
	p := &own[1]
	if n&1 == 0 {
		p = &k.F[i]
	}
	*(*int32)(unsafe.Pointer(p)) ^= 5
	k.Out[i] = h*31 + bitsOf(own[1])
}
