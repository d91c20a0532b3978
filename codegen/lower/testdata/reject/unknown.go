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
	n += drawn                          // want KG202 `drawn is not known .*: at .*unknown.go:41:\d+ it calls math/rand.Int`
	k.Out[i] = float64(n) + powers[i%2] // want KG202 `powers is not known .*: at .*unknown.go:34:\d+ it calls math.Exp`
}
