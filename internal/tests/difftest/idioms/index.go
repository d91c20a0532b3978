package idioms

import "github.com/kgen-go/kgen/dsl"

// Index selects elements of small arrays by one bit, by two bits and by comparisons.
type Index[T Integer] struct {
	A, B []T
	Out  []Row
}

func pair[T Integer](a, b T) [2]T { return [2]T{a, b} }

func (k Index[T]) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	a, b := k.A[i], k.B[i]
	out := &k.Out[i]
	s := [2]T{a, b}
	f := [4]T{a, b, ^a, a - b}
	g := [2]bool{a < b, a&4 != 0}
	h := [3]int8{-1, 3, int8(b)}
	u, v := uint64(a), uint64(b)
	out[0] = uint64(s[u%2])
	out[1] = uint64(s[u>>63])
	out[2] = uint64(s[u&1])
	out[3] = uint64(s[u*v%2])
	out[4] = uint64(s[(u+v)%2])
	out[5] = uint64(s[(u^v)>>63])
	out[6] = uint64(s[uint8(a)*uint8(b)%2])
	out[7] = uint64(s[uint8(a)>>7])
	out[8] = uint64(s[uint32(a)>>31])
	out[9] = uint64(s[flag(a < b)])
	out[10] = uint64(s[1-flag(a == b)])
	out[11] = uint64(s[flag(a < b)^flag(b < 9)])
	out[12] = uint64(f[u&3])
	out[13] = uint64(f[u%4])
	out[14] = uint64(f[u>>62])
	out[15] = uint64(f[u*v%4])
	out[16] = uint64(f[uint8(a)>>6])
	out[17] = uint64(f[(u&1)<<1|v&1])
	out[18] = uint64(f[flag(a < b)*2+flag(a == 0)])
	out[19] = uint64(f[3-v&3])
	out[20] = flag(g[u&1])
	out[21] = flag(g[u*v%2] != g[v%2])
	out[22] = flag(g[0] == g[1])
	out[23] = flag(!g[flag(g[1])])
	out[24] = uint64(h[lessFirst(a, b)+1])
	out[25] = uint64(h[u%3])
	out[26] = uint64(h[flag(a < b)+flag(a > 5)])
	s[u%2] += 5
	out[27] = uint64(s[0])
	out[28] = uint64(s[1])
	s[v&1], s[v&1^1] = s[v&1^1], s[v&1]
	out[29] = uint64(s[0])
	out[30] = uint64(s[1])
	f[v&3] = f[u&3] ^ 21
	out[31] = uint64(f[u&3])
	out[32] = uint64(f[(u+1)&3])
	g[v%2] = !g[u%2]
	out[33] = flag(g[0]) + 2*flag(g[1])
	n := [2]uint64{}
	m := [4]uint32{}
	for j := range uint64(8) {
		n[u>>j&1]++
		m[v>>(2*j)&3] += uint32(j) + 1
	}
	out[34] = n[0]<<8 | n[1]
	out[35] = uint64(m[0]<<24 | m[1]<<16 | m[2]<<8 | m[3])
	t := [2][2]T{{a, b}, {^b, 3}}
	out[36] = uint64(t[u&1][v&1])
	t[v&1] = t[u&1]
	out[37] = uint64(t[0][1] - t[1][1])
	out[38] = uint64(pair(a+1, b-1)[u>>1&1])
	out[39] = uint64("idiom"[u%5])
	out[40] = uint64([8]int16{-300, 20, -1, 32767, 9, -32768, 255, 256}[u&7])
	l := u&1 == v&1
	r := (u*v)&1 == 1
	out[41] = flag(l && r) | flag(l != r)<<1 | flag(!l || r)<<2
	out[42] = flag(l)*u + flag(r)*v
	out[43] = -flag(l)&u | -flag(!l)&v
	out[44] = flag(l) + flag(r) + flag(a < b)
	out[45] = flag(flag(l)+flag(r) == 1)
}
