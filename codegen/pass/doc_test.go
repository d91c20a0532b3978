package pass

import (
	"fmt"
	"os"
	"path"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// TestPicture: the picture of the passes in doc.go has the passes of the list, in their order and
// with their rooms and levels.
func TestPicture(t *testing.T) {
	var want []string
	names := map[string]bool{}
	level := "built"
	for _, p := range allPasses {
		run := reflect.ValueOf(p.Run)
		if p.Run == nil {
			run = reflect.ValueOf(p.RunNoting)
		}
		room, _, _ := strings.Cut(path.Base(runtime.FuncForPC(run.Pointer()).Name()), ".")
		if p.Level > 0 {
			level = p.Level.String()
		}
		want = append(want, fmt.Sprint(level, " ", room, " ", p.Name))
		names[p.Name] = true
	}
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, picture, _ := strings.Cut(string(text), "//	level     room         passes\n")
	var got []string
	for line := range strings.Lines(picture) {
		row, ok := strings.CutPrefix(line, "//	")
		if !ok && line != "//\n" {
			break
		}
		f := strings.Fields(row)
		if len(f) < 3 || !names[f[2]] {
			continue
		}
		if f[0] != "│" {
			level = f[0]
		} else if len(got) == 0 {
			t.Fatal("the picture begins without a level")
		}
		for _, name := range f[2:] {
			if !names[name] {
				break
			}
			got = append(got, fmt.Sprint(level, " ", f[1], " ", name))
		}
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("the picture has %v from here on, the list %v", got[min(i, len(got)):], want[min(i, len(want)):])
		}
	}
}
