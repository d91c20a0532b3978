package prints

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
)

var kernel = &abi.Kernel{Name: "K", Package: "p", Rank: 2, PrintTexts: "abcdef", Prints: []abi.PrintSite{
	{Func: abi.Println, Args: []string{`"x ="`, "int32", "string", "nil"}},
	{Func: abi.Printf, Format: "%+v %v\n", Args: []string{"struct{X int16;y [2]bool;S struct{T string;};}", "[2]text"}},
	{Func: abi.PredPrintln, Args: []string{"float32", "complex128", "uint64"}},
	{Func: abi.Print, Args: []string{"text", "textstring", "int8", "int8"}},
}}

func printer(t *testing.T) *Printer {
	t.Helper()
	p, err := New(kernel)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// buffer is a print buffer with records.
func buffer(records ...[]uint32) []uint32 {
	b := make([]uint32, abi.PrintHeader)
	for _, r := range records {
		b = append(b, r...)
	}
	b[abi.PrintUsed] = uint32(len(b) - abi.PrintHeader)
	return b
}

var some = buffer(
	[]uint32{1, 7, 8, 0, 0xffffffff, abi.PrintTable | 3, 2},
	[]uint32{2, 0, 0, 0, 5, 1, 0, 5, 0x6c6c6568, 0x6f, abi.PrintTable | 1, 0, abi.PrintTable, 6},
	[]uint32{3, 1, 2, 3, 0x3fc00000, 0, 0x3ff00000, 0, 0xc0000000, 1, 1},
	[]uint32{4, 0, 0, 0, abi.PrintTable | 1, 1, 1, 0x7a, 3, 4},
)

func TestChunks(t *testing.T) {
	want := []Chunk{
		{Text: []byte("x = -1 cde <nil>\n{X:5 y:[true false] S:{T:hello}} [a ]\n")},
		{Stderr: true, Text: []byte("1.5 (1-2i) 4294967297\n")},
		{Text: []byte("bz3 4")},
	}
	if got := printer(t).Chunks(some, ""); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	got := printer(t).Chunks(some, "p.K")
	if text := string(got[0].Text); !strings.HasPrefix(text, "p.K[8 7]: x = -1 ") || !strings.Contains(text, "\np.K[0 0]: {X:5") {
		t.Errorf("got %q", text)
	}
	if text := string(got[2].Text); text != "p.K[0 0]: bz3 4\n" {
		t.Errorf("got %q", text)
	}
}

// A buffer with anything in it is printed as far as that goes, and never more than there is.
func TestDamaged(t *testing.T) {
	p := printer(t)
	whole := fmt.Sprint(p.Chunks(some, ""))
	for n := range some {
		cut := some[:n:n]
		for _, c := range p.Chunks(cut, "") {
			if len(c.Text) > len(whole) {
				t.Errorf("%d words print %q", n, c.Text)
			}
		}
		if n >= abi.PrintHeader && Used(cut) > n {
			t.Errorf("%d words of %d are used", Used(cut), n)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		b := append([]uint32(nil), some...)
		for range 1 + r.IntN(4) {
			b[r.IntN(len(b))] = []uint32{0, 1, 4, 5, 1 << 31, 1<<31 + 9, 0xffffffff, r.Uint32()}[r.IntN(8)]
		}
		p.Chunks(b, "x")
		if Used(b) > len(b) {
			t.Fatal("more words are used than there are")
		}
	}
}

func TestParse(t *testing.T) {
	for _, bad := range []string{"", "integer", "[x]int", "[2]", "[-1]int", "struct{X int}", "struct{X", "struct{X int;", `"a`, "int;", "[2]nil"} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q is a type", bad)
		}
	}
	if _, err := New(&abi.Kernel{Prints: []abi.PrintSite{{Args: []string{"int", "none"}}}}); err == nil {
		t.Error("a damaged description has a printer")
	}
}
