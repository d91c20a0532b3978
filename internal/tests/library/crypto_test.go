package library

import (
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/tests/oracle"
)

// overlapKernel stands in a package that has functions of the names that kgen knows, whose bodies
// it does not compile.
const overlapKernel = `package alias

import "github.com/kgen-go/kgen/dsl"

func AnyOverlap(x, y []byte) bool     { panic("not compiled") }
func InexactOverlap(x, y []byte) bool { panic("not compiled") }

type K struct {
	B     []byte
	Cases []int64 // four bounds and two capacities each
	Out   []uint8
}

func (k K) Kernel(it dsl.Item1) {
	i := it.GlobalID()
	c := k.Cases[6*i:]
	var own [100]byte
	for place := range 3 {
		x, y := k.B[c[0]:c[1]:c[4]], k.B[c[2]:c[3]:c[5]]
		if place > 0 {
			y = own[c[2]:c[3]:c[5]]
		}
		if place > 1 {
			x = own[c[0]:c[1]:c[4]]
		}
		k.Out[6*i+2*place], k.Out[6*i+2*place+1] = 0, 0
		if AnyOverlap(x, y) {
			k.Out[6*i+2*place] = 1
		}
		if InexactOverlap(x, y) {
			k.Out[6*i+2*place+1] = 1
		}
	}
}
`

// TestOverlap: slices overlap as the tests of golang.org/x/crypto/internal/alias say, in device
// memory and in an array, and none of one overlaps one of the other.
func TestOverlap(t *testing.T) {
	type arg struct {
		B     []byte
		Cases []int64
		Out   []uint8
	}
	cases := []struct {
		lo, hi, lo2, hi2, max, max2 int64
		overlap, inexact            uint8
	}{
		{0, 50, 50, 100, 50, 100, 0, 0}, {0, 100, 0, 0, 100, 100, 0, 0}, {0, 100, 0, 50, 100, 100, 1, 0},
		{40, 50, 50, 60, 100, 100, 0, 0}, {40, 50, 60, 70, 100, 100, 0, 0}, {0, 51, 50, 100, 100, 100, 1, 1}, {0, 100, 0, 100, 100, 100, 1, 0},
		{0, 50, 0, 60, 100, 100, 1, 0}, {0, 0, 0, 0, 0, 0, 0, 0}, {0, 10, 0, 10, 100, 20, 1, 0}, {0, 10, 5, 10, 100, 20, 1, 1}, {5, 9, 5, 5, 9, 9, 0, 0},
		{7, 8, 0, 100, 8, 100, 1, 1}, {0, 100, 99, 100, 100, 100, 1, 1},
	}
	for _, pkg := range []string{"crypto/internal/fips140/alias", "golang.org/x/crypto/internal/alias"} {
		prog, diags, err := newBench(t).c.Load(pkg, map[string]string{"alias.go": overlapKernel})
		if err != nil || len(diags) > 0 {
			t.Fatal(pkg, err, diags)
		}
		k, diags, err := oracle.CompileGeneral(prog, prog.Packages[0].Kernels[0], oracle.Points...)
		if err != nil || len(diags) > 0 {
			t.Fatal(pkg, err, diags)
		}
		for _, point := range []string{"built", lastForm} {
			a := arg{B: make([]byte, 100), Out: make([]uint8, 6*len(cases))}
			for _, c := range cases {
				a.Cases = append(a.Cases, c.lo, c.hi, c.lo2, c.hi2, c.max, c.max2)
			}
			l := oracle.Launch{Global: []int{len(cases)}, Local: []int{1}, Arg: &a, MaxSteps: 1 << 30}
			if err := l.Run(k, point); err != nil {
				t.Fatal(pkg, point, err)
			}
			for i, c := range cases {
				want := [6]uint8{c.overlap, c.inexact, 0, 0, c.overlap, c.inexact}
				if got := [6]uint8(a.Out[6*i:]); got != want {
					t.Errorf("%s at %s, %+v: %v, want %v", pkg, point, c, got, want)
				}
			}
		}
	}
}

var crypto = flag.Bool("crypto", false, "run sha3, aes and packages of golang.org/x/crypto, which the go command downloads, on a device")

// cryptoFiles are a module with kernels that call the packages, and a program that runs them on the
// default device.
var cryptoFiles = map[string]string{
	"k/k.go": `package k

import (
	"crypto/aes"
	"crypto/sha3"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/blake2s"
	"golang.org/x/crypto/chacha20"

	"github.com/kgen-go/kgen/dsl"
)

type Sums struct{ In, Out []byte }

func (k Sums) Kernel(dsl.Task) {
	s, t := blake2b.Sum256(k.In), blake2s.Sum256(k.In)
	copy(k.Out[copy(k.Out, s[:]):], t[:])
}

type SHA3 struct{ In, Out []byte }

func (k SHA3) Kernel(dsl.Task) {
	s := sha3.Sum256(k.In)
	copy(k.Out, s[:])
}

type AES struct{ Key, In, Out []byte }

func (k AES) Kernel(dsl.Task) {
	c, err := aes.NewCipher(k.Key)
	if err != nil {
		return
	}
	c.Encrypt(k.Out, k.In)
	c.Decrypt(k.Out[16:], k.Out[:16])
}

type Cipher struct {
	Key, Nonce, In, Out []byte
	OK                  []bool
}

func (k Cipher) Kernel(dsl.Task) {
	c, err := chacha20.NewUnauthenticatedCipher(k.Key, k.Nonce)
	if k.OK[0] = err == nil; err != nil {
		return
	}
	c.SetCounter(1)
	c.XORKeyStream(k.Out[:10], k.In[:10])
	c.XORKeyStream(k.Out[10:], k.In[10:])
}
`,
	"main.go": `package main

import (
	"context"
	"fmt"
	"log"

	"example.com/m/generated/k"
	kernels "example.com/m/k"

	"github.com/kgen-go/kgen/runtime"
)

func main() {
	dev, err := runtime.Open()
	if err != nil {
		log.Fatal(err)
	}
	ctx, out := context.Background(), make([]byte, 64)
	if err := kgen.RunSums(ctx, dev, kernels.Sums{In: []byte("abc"), Out: out}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%x\n", out)
	if err := kgen.RunSHA3(ctx, dev, kernels.SHA3{In: []byte("abc"), Out: out[:32]}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%x\n", out[:32])
	block := []byte("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff")
	for _, n := range []int{16, 24, 32, 17} {
		key, out := make([]byte, n), make([]byte, 32)
		for i := range key {
			key[i] = byte(i)
		}
		if err := kgen.RunAES(ctx, dev, kernels.AES{Key: key, In: block, Out: out}); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%x\n", out)
	}
	text := []byte("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.")
	key, nonce := make([]byte, 32), make([]byte, 12)
	for i := range key {
		key[i] = byte(i)
	}
	nonce[7] = 0x4a
	for _, n := range []int{12, 11} {
		out, ok := make([]byte, len(text)), make([]bool, 1)
		if err := kgen.RunCipher(ctx, dev, kernels.Cipher{Key: key, Nonce: nonce[:n], In: text, Out: out, OK: ok}); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v %x\n", ok[0], out)
	}
}
`,
}

// cryptoWant has the vectors of RFC 7693, of FIPS 202's examples, of FIPS 197 (appendix C, each
// with the block that is decrypted again) and RFC 8439, section 2.4.2, and what becomes of keys and
// nonces of wrong lengths.
var cryptoWant = "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319" +
	"508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982\n" +
	"3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532\n" +
	"69c4e0d86a7b0430d8cdb78070b4c55a00112233445566778899aabbccddeeff\n" +
	"dda97ca4864cdfe06eaf70a0ec0d719100112233445566778899aabbccddeeff\n" +
	"8ea2b7ca516745bfeafc49904b49608900112233445566778899aabbccddeeff\n" +
	strings.Repeat("00", 32) + "\n" +
	"true 6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd62b3571639d624e65152ab" +
	"8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab77937365af90bbf74a35be6b40b8eedf2785e42874d\n" +
	"false " + strings.Repeat("00", 114) + "\n"

// TestCrypto: kernels that call sha3, aes and golang.org/x/crypto have the bits of published
// vectors, on the host and on a device, and kgen says which files it takes.
func TestCrypto(t *testing.T) {
	if !*crypto {
		t.Skip("it downloads a module and takes minutes: -crypto")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	files := maps.Clone(cryptoFiles)
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	files["go.mod"], _, _ = strings.Cut(strings.Replace(files["go.mod"], "module github.com/kgen-go/kgen", "module example.com/m", 1), "\ntool ")
	files["go.mod"] += "\nrequire github.com/kgen-go/kgen v0.0.0\n\nreplace github.com/kgen-go/kgen => " + root + "\n"
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	command := func(env string, args ...string) (string, string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env)
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, errs.String())
		}
		return string(out), errs.String()
	}
	const path, version = "golang.org/x/crypto/", "@v0.59.0"
	command("", "get", path+"blake2b"+version, path+"blake2s"+version, path+"chacha20"+version)
	_, says := command("", "run", "github.com/kgen-go/kgen/cmd/kgen", "./k")
	if !strings.Contains(says, "package golang.org/x/crypto/blake2b is compiled as with the build tag purego, since its function hashBlocksAVX has no body in Go otherwise") {
		t.Errorf("kgen says %q", says)
	}
	for _, device := range []string{"host", "vulkan"} {
		if out, _ := command("KGEN_DEVICE="+device, "run", "."); out != cryptoWant {
			t.Errorf("%s:\n%swant\n%s", device, out, cryptoWant)
		}
	}
}
