package archtest

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxTotal is the most bytes that all tracked files may have together, 32 MB: whoever clones
// or reviews the repository has all of them. Half of it is there for the modules of a library
// of kernels, which are committed because programs embed them.
const maxTotal = 32_000_000

// TestTotal measures the files that git tracks.
func TestTotal(t *testing.T) {
	out, err := exec.Command("git", "-C", "../../..", "ls-files", "-z", "--full-name").Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		t.Skipf("no checkout of git: git ls-files: %v", err)
	}
	sizes := map[string]int64{}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join("../../..", filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) { // which is not committed yet
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		sizes[name] = info.Size()
	}
	if len(sizes) < 500 {
		t.Skipf("git tracks %d files here: this is no checkout of the module alone", len(sizes))
	}
	if fault := tooMuch(sizes, maxTotal); fault != "" {
		t.Error(fault)
	}
}

// tooMuch says where the bytes are if there are more than most.
func tooMuch(sizes map[string]int64, most int64) string {
	total, kinds, folders := int64(0), map[string]int64{}, map[string]int64{}
	for name, n := range sizes {
		total += n
		kinds[kind(name)] += n
		folders[folder(name)] += n
	}
	if total <= most {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "the tracked files have %d bytes, %d more than they may", total, total-most)
	for _, list := range []struct {
		what string
		of   map[string]int64
	}{{"kinds", kinds}, {"folders", folders}, {"files", sizes}} {
		fmt.Fprintf(&b, "\nThe largest %s:\n", list.what)
		names := slices.SortedFunc(maps.Keys(list.of), func(x, y string) int {
			return cmp.Or(cmp.Compare(list.of[y], list.of[x]), cmp.Compare(x, y))
		})
		for _, name := range names[:min(12, len(names))] {
			fmt.Fprintf(&b, "\t%9d %s\n", list.of[name], name)
		}
	}
	return b.String()
}

// kind says what a file is.
func kind(name string) string {
	switch {
	case strings.HasSuffix(name, "_host_kgen.go"):
		return "host forms"
	case strings.HasSuffix(name, "_kgen.go"):
		return "stubs"
	case strings.HasSuffix(name, "_test.go"):
		return "tests"
	}
	return cmp.Or(path.Ext(name), path.Base(name))
}

// folder returns the folder of a file, two names of it at most.
func folder(name string) string {
	parts := strings.Split(path.Dir(name), "/")
	return strings.Join(parts[:min(2, len(parts))], "/")
}

func TestTooMuch(t *testing.T) {
	sizes := map[string]int64{"a/b/c/x.go": 10, "a/b/d/x_test.go": 5, "e/y_host_kgen.go": 20, "LICENSE": 1}
	if got := tooMuch(sizes, 36); got != "" {
		t.Error(got)
	}
	want := "the tracked files have 36 bytes, 1 more than they may\n" +
		"The largest kinds:\n\t       20 host forms\n\t       10 .go\n\t        5 tests\n\t        1 LICENSE\n\n" +
		"The largest folders:\n\t       20 e\n\t       15 a/b\n\t        1 .\n\n" +
		"The largest files:\n\t       20 e/y_host_kgen.go\n\t       10 a/b/c/x.go\n\t        5 a/b/d/x_test.go\n\t        1 LICENSE\n"
	if got := tooMuch(sizes, 35); got != want {
		t.Errorf("got\n%s", got)
	}
}
