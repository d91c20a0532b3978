// Package digest hashes many messages at once, with the standard library's own
// SHA-256: kgen compiles crypto/sha256 from its source as it does the kernel.
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
	Text []byte // the messages, one after the other
	End  []int  // where in Text each message ends
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
