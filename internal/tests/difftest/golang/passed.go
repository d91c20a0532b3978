package golang

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/fnv"
	"io"
	"os"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/difftest/golang/near"
)

// Passed reads variables that the host and the kernel pass to methods of interfaces. None of the called methods
// writes the variables.
type Passed struct{ Out []uint32 }

// Kernel adds up the variables and their checksums.
func (k Passed) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	n := uint32(passedSum[i%8]) + uint32(passedHash[i%8])<<1 + uint32(passedFar[i%8])<<2 + uint32(near.Passed(i%8))<<3
	n += uint32(passedVar[i%8])<<4 + uint32(passedLocal[i%8])<<5 + uint32(passedTwo[i%8])<<6 + uint32(passedKept[i%8])<<7
	n += uint32(passedEmbed[i%8])<<8 + uint32(passedMore[i%8])<<9 + uint32(passedValue[i%8])<<10 + uint32(passedText[i%8])<<11
	switch i % 4 {
	case 0:
		sum := sha256.Sum256(passedSum[i%8:])
		n ^= uint32(sum[0])<<24 + uint32(sum[31])
	case 1:
		h := fnv.New32a()
		h.Write(passedHash[:])
		n ^= h.Sum32()
	case 2:
		var t tally
		passTo(&t, passedTwo[:i%8])
		n ^= t.sum
	default:
		n ^= crc32.ChecksumIEEE(passedFar[:])
	}
	k.Out[i] = n
}

type passedTable [8]byte

var (
	passedSum   = passedTable{3, 1, 4, 1, 5, 9, 2, 6}
	passedHash  = passedTable{2, 7, 1, 8, 2, 8, 1, 8}
	passedFar   = passedTable{1, 4, 1, 4, 2, 1, 3, 5}
	passedVar   = passedTable{2, 2, 3, 6, 0, 6, 7, 9}
	passedLocal = passedTable{1, 6, 1, 8, 0, 3, 3, 9}
	passedTwo   = passedTable{0, 5, 7, 7, 2, 1, 5, 6}
	passedKept  = passedTable{6, 9, 3, 1, 4, 7, 1, 8}
	passedEmbed = passedTable{9, 1, 5, 9, 6, 5, 5, 9}
	passedMore  = passedTable{4, 6, 6, 9, 2, 0, 1, 6}
	passedValue = passedTable{8, 3, 4, 6, 2, 6, 8, 4}
	passedText  = passedTable{1, 2, 0, 2, 0, 5, 6, 9}
)

type (
	tally   struct{ sum uint32 }
	counter struct{ n int }
	lastOf  struct{}
	tallyIn struct{ *tally }
)

func (t *tally) Write(p []byte) (int, error) {
	for _, b := range p {
		t.sum = t.sum*31 + uint32(b)
	}
	return len(p), nil
}

func (c *counter) Write(p []byte) (int, error) { c.n += len(p); return len(p), nil }

// Write stores p in a variable. No code writes elements of p through the variable.
func (lastOf) Write(p []byte) (int, error) { passedLast = p; return len(passedLast), nil }

var (
	passedLast []byte
	passedSink io.Writer = &counter{}
)

func passTo(w io.Writer, p []byte) { w.Write(p) }

// passedBy returns one of two writers.
func passedBy(n int) (io.Writer, bool) {
	if n > 3 {
		return &counter{}, true
	}
	return &tally{}, false
}

// hashed() appends the checksum of p to a slice.
func hashed(h hash.Hash, p []byte) []byte {
	h.Write(p)
	return h.Sum(nil)
}

// PassOn passes the variables to methods of interfaces.
func PassOn(n int) string {
	sum := sha256.Sum256(passedSum[:])
	var b bytes.Buffer
	passTo(&b, sum[:])
	passTo(&b, passedSum[:])
	b.Write(hashed(sha256.New(), passedHash[:]))
	far := sha512.New()
	far.Write(passedFar[:])
	wide := sha512.Sum512(passedFar[:])
	b.Write(wide[:])
	b.Write(far.Sum(nil))
	near.PassOn(n)
	passedSink.Write(passedVar[:])
	passedSink = &b
	var local io.Writer = &b
	func() { local = &counter{} }()
	local.Write(passedLocal[:])
	w, _ := passedBy(n)
	w.Write(passedTwo[:])
	w = lastOf{}
	w.Write(passedKept[:])
	var e io.Writer = tallyIn{&tally{}}
	e.Write(passedEmbed[:])
	defer fnv.New64().Write(passedMore[:])
	write := w.Write
	write(passedValue[:])
	if n > 100 {
		w = os.Stdout
	}
	w.Write(passedText[:])
	fmt.Fprintln(&b, passedText[:])
	return b.String()
}
