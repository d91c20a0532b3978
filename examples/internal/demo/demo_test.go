package demo

import (
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestPerSecond(t *testing.T) {
	for _, c := range []struct {
		work float64
		d    time.Duration
		want string
	}{
		{0, time.Second, "     0 B/s"},
		{12, time.Second, "    12 B/s"},
		{1500, time.Second, "   1.5 kB/s"},
		{4.2e9, time.Millisecond, "   4.2 TB/s"},
		{1e20, time.Second, " 1e+05 PB/s"},
	} {
		if got := PerSecond(c.work, c.d, "B"); got != c.want {
			t.Errorf("%g in %v: %q, want %q", c.work, c.d, got, c.want)
		}
	}
}

func TestWritePNG(t *testing.T) {
	name := filepath.Join(t.TempDir(), "b.png")
	if err := WritePNG(name, image.NewRGBA(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil || img.Bounds().Dx() != 3 || img.Bounds().Dy() != 2 {
		t.Errorf("read back %v, %v", img, err)
	}
}

// TestWriteFile: a folder that is not there is a mistake in a name, and made by nobody.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ folder, want string }{
		{"none", "cannot be written: there is no folder"},
		{"none/below", "make it first, or name another one"},
		{"file", "cannot be written: there is no folder"},
	} {
		err := WriteFile(filepath.Join(dir, c.folder, "x.gif"), func(io.Writer) error { t.Error("it is written"); return nil })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.folder, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestInt(t *testing.T) {
	n := number{5, 1, 10}
	for s, want := range map[string]int{"1": 1, "10": 10, "0": 0, "11": 0, "-3": 0, "x": 0, "": 0, "99999999999999999999": 0} {
		n.value = 5
		err := n.Set(s)
		if want == 0 && (err == nil || n.value != 5) || want != 0 && (err != nil || n.value != want) {
			t.Errorf("%q: %d, %v", s, n.value, err)
		}
	}
}
