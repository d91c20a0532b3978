// Package digest hashes many messages at once with the standard library's SHA-256. kgen compiles
// the source of crypto/sha256 just as it compiles the kernel.
package digest

import (
	"crypto/sha256"

	"github.com/kgen-go/kgen/dsl"
)

//go:generate go tool kgen .

// Sum is a SHA-256 checksum.
type Sum [sha256.Size]byte

// SHA256 hashes one message per work-item.
type SHA256 struct {
	Text []byte // all messages, one after the other
	End  []int  // index in Text at which each message ends
	Sums []Sum
}

// Kernel hashes a message.
func (k SHA256) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	begin := 0
	if i > 0 {
		begin = k.End[i-1]
	}
	k.Sums[i] = sha256.Sum256(k.Text[begin:k.End[i]])
}
