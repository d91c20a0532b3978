package reject

import (
	"math"
	"math/rand"
	"os"

	"github.com/kgen-go/kgen/dsl"
)

var fromEnv = len(os.Getenv("HOME"))

func counts(s string) (n [4]int) {
	m := map[rune]int{}
	for _, r := range s {
		m[r]++
	}
	for i := range n {
		n[i] = m[rune('a'+i)]
	}
	return n
}

func long() (n int) {
	for i := range 1 << 40 {
		n += i
	}
	return n
}

var (
	counted  = counts("abracadabra")
	unending = long()
	powers   = [2]float64{math.Exp(1), 2}
	pids     [3]int
	next     = func() chan int { return make(chan int, 3) }
	room     = cap(next())
	twice    = 2 * fromEnv
	root     = rootOfEnv()
	nested   = deep(1 << 20)
	drawn    = rand.Int()
)

func rootOfEnv() int { return int(math.Sqrt(float64(fromEnv))) }

func deep(n int) int {
	if n == 0 {
		return 0
	}
	return deep(n-1) + 1
}

func init() {
	for i := range pids {
		pids[i] = os.Getpid() + i
	}
}

type Unknown struct{ Out []float64 }

func (k Unknown) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	n := fromEnv                        // want KG202 `fromEnv is not known .*: at .*unknown.go:11:\d+ it calls os.Getenv`
	n += counted[i%4]                   // want KG202 `counted is not known .*: at .*unknown.go:14:\d+ it uses a map`
	n += unending                       // want KG202 `unending is not known .*: at .*unknown.go:2[4-6]:\d+ it takes more than 10 million steps`
	n += pids[i%3]                      // want KG202 `pids is not known .*: at .*unknown.go:\d+:\d+ it calls os.Getpid`
	n += room                           // want KG202 `room is not known .*: at .*unknown.go:36:\d+ it uses a channel`
	n += twice                          // want KG202 `twice is not known .*: at .*unknown.go:11:\d+ it calls os.Getenv`
	n += root                           // want KG202 `root is not known .*: at .*unknown.go:11:\d+ it calls os.Getenv`
	n += nested                         // want KG202 `nested is not known .*: at .*unknown.go:\d+:\d+ calls are more than 100 deep`
	n += drawn                          // want KG202 `drawn is not known .*: at .*unknown.go:41:\d+ it calls math/rand.Int: in math/rand.globalRand, at .*rand.go:\d+:\d+, it calls .*Pointer`
	k.Out[i] = float64(n) + powers[i%2] // want KG202 `powers is not known .*: at .*unknown.go:34:\d+ it calls math.Exp`
}

type noteOf struct {
	out []int64
	n   int
}

func (l *noteOf) put(xs ...int64) {
	for _, x := range xs {
		l.out[l.n] = x
		l.n++
	}
}

type ManyInFew struct{ Out []int64 }

func (k ManyInFew) Kernel(it dsl.Item1) {
	l := noteOf{out: k.Out}
	var fs [4]func() int64
	for j := int64(0); j < 4; j++ {
		fs[j] = func() int64 { j += 10; return j }
		if j == 2 {
			l.put(fs[j]()) // want KG201 `it may be one of more than 32`
			j -= 10
		}
	}
	for _, f := range fs {
		l.put(f(), f())
	}
}

// Held keeps strings of bytes in variables while the bytes change, or beside others.
type Held struct {
	B   []byte
	Out []int32
}

func (k Held) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	var own, other [8]byte
	s := string(own[:2])
	for j := range 4 {
		own[j]++
		t := string(own[j:])
		if k.Out[j] > 3 { // want KG208 `may have changed`
			s = t[1:]
		}
		if s == "ab" {
			own[7] = 1 // want KG208 `may have changed`
		}
	}
	u := string(other[:])
	for len(u) > 1 {
		u = u[1:]
		if u[0] == 'a' {
			other[i&7]++ // want KG208 `may have changed`
		}
	}
	v := string(k.B)
	if len(v) > 5 {
		v = string(own[:]) // want KG208 `cannot be kept in a variable`
	}
	if v == "ab" {
		k.Out[i] = 1
	}
	h := struct{ s string }{string(other[:4])}
	p := &h
	other[2]++
	if p.s == "ab" { // want KG208 `may have changed`
		k.Out[i] = 2
	}
	for j := range 4 {
		p.s = string(other[j:])
		if len(p.s) > 1 {
			p.s = p.s[1:]
		}
		if p.s == "ab" {
			k.Out[i] = 3
		}
		other[j]++
	}
	for _, c := range []byte(string(own[:])) { // want KG208 `may have changed`
		own[1]++
		k.Out[i] += int32(c)
	}
}
