package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime"
)

// TestWords compares the program's output with words that plain Go has counted.
func TestWords(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"empty": "", "one": "One", "few": "a b\nA-c, Über  a", "page": string(page)} {
		*file = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(*file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		counts, total := map[string]int{}, 0
		for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r < 0x80 && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			small := func(r rune) rune {
				if r < 0x80 {
					return unicode.ToLower(r)
				}
				return r
			}
			counts[strings.Map(small, w)]++
			total++
		}
		var most []int
		for _, n := range counts {
			most = append(most, -n)
		}
		slices.Sort(most)
		devtest.Run(t, func(ctx context.Context, dev *runtime.Device) error {
			lines := strings.Split(strings.TrimSuffix(printed(t, func() error { return run(ctx, dev) }), "\n"), "\n")
			if want := fmt.Sprintf("%-10s %d, of which %d are different", "words", total, len(counts)); lines[0] != want {
				t.Errorf("%s: the first line is %q, want %q", name, lines[0], want)
			}
			if len(lines) != 1+min(10, len(counts)) {
				t.Errorf("%s: %d lines, for %d words", name, len(lines), len(counts))
			}
			for i, line := range lines[1:] {
				var word string
				var n int
				if _, err := fmt.Sscan(line, &word, &n); err != nil || n != -most[i] || counts[word] != n {
					t.Errorf("%s: line %d is %q, want a word that comes %d times", name, i+1, line, -most[i])
				}
			}
			return nil
		})
	}
}

// printed returns the standard output of a function.
func printed(t *testing.T, f func() error) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func(old *os.File) { os.Stdout = old }(os.Stdout)
	os.Stdout = w
	err = f() // whose output fits the pipe
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
