package digest_test

import (
	"encoding/hex"
	"testing"

	"github.com/kgen-go/kgen/examples/hash/digest"
	"github.com/kgen-go/kgen/examples/internal/hostrun"
)

// TestVectors hashes the messages of FIPS 180-2, appendix B, and none.
func TestVectors(t *testing.T) {
	messages := []string{"", "abc", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"}
	want := []string{
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
	}
	k := digest.SHA256{Sums: make([]digest.Sum, len(messages))}
	for _, m := range messages {
		k.Text = append(k.Text, m...)
		k.End = append(k.End, len(k.Text))
	}
	hostrun.Range(t, k.Kernel, len(messages))
	for i, w := range want {
		if got := hex.EncodeToString(k.Sums[i][:]); got != w {
			t.Errorf("%q: %s, want %s", messages[i], got, w)
		}
	}
}
