// Package golden compares results with golden files, and writes these files when tests run with -update.
package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// Equal fails the test if got differs from the contents of the file. With -update Equal writes the file.
func Equal(t testing.TB, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; run the test with -update to write it", err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs (-want +got); run the test with -update if that is right:\n%s", file, cmp.Diff(string(want), string(got)))
	}
}

// Updating reports whether the test must write golden files.
func Updating() bool { return *update }
