package vectors

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSaveLoad(t *testing.T) {
	s := &Set{Dim: 3, Data: []float32{1, -2.5, 3e-40, float32(math.Inf(1)), 0, 7}}
	name := filepath.Join(t.TempDir(), "v.knn")
	if err := s.Save(name); err != nil {
		t.Fatal(err)
	}
	got, err := Load(name)
	if err != nil || got.Dim != 3 || got.Len() != 2 || !slices.Equal(got.Data, s.Data) {
		t.Fatalf("%+v, %v", got, err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	// The format as the package's documentation has it: 1 is 3f800000.
	if len(data) != 24+24+4 || string(data[:12]) != "KNNV\x01\x00\x00\x00\x03\x00\x00\x00" || string(data[24:28]) != "\x00\x00\x80\x3f" {
		t.Errorf("% x", data)
	}
	// Any damage is found.
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 0x10
		if err := os.WriteFile(name, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		if s, err := Load(name); err == nil {
			t.Errorf("byte %d changed: %+v", i, s)
		}
	}
	for n := range data {
		if err := os.WriteFile(name, data[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		if s, err := Load(name); err == nil {
			t.Errorf("%d bytes: %+v", n, s)
		}
	}
}

func TestText(t *testing.T) {
	s, err := ReadText(strings.NewReader("# two\n1, 2.5\n-3e8,4\n"))
	if err != nil || s.Dim != 2 || !slices.Equal(s.Data, []float32{1, 2.5, -3e8, 4}) {
		t.Fatalf("%+v, %v", s, err)
	}
	var b bytes.Buffer
	if err := s.WriteText(&b); err != nil || b.String() != "1,2.5\n-3e+08,4\n" {
		t.Errorf("%q, %v", &b, err)
	}
	for _, bad := range []string{"", "1,2\n3\n", "1,x\n"} {
		if s, err := ReadText(strings.NewReader(bad)); err == nil {
			t.Errorf("%q: %+v", bad, s)
		}
	}
}
