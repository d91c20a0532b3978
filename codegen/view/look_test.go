//go:build browser

package view_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/kgen-go/kgen/codegen"
)

// written writes the page of packages and returns its address.
func written(t *testing.T, patterns ...string) string {
	t.Helper()
	page, _, _, err := codegen.View(t.Context(), codegen.Config{Dir: "../..", Patterns: patterns})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := page.Write(&text); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(name, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return "file://" + name
}

func TestTry(t *testing.T) {
	url := written(t, "./examples/...")
	b := start(t)
	b.look(1500, 900, "light")
	b.open(url)
	b.shoot("light.png")
	b.eval("open(listed.find(i => page.kernels[i].name === 'Tiled') ?? 3)")
	b.wait("state.body && state.kernel > 0")
	b.press("1")
	b.point("document.querySelector('.l.k')", true)
	b.look(1500, 900, "dark")
	b.shoot("dark.png")
	b.press("d")
	b.press("[")
	b.eval("state.facts='checks'; showFacts()")
	b.shoot("diff.png")
	b.look(420, 800, "light")
	b.shoot("narrow.png")
	b.press("2")
	b.shoot("narrow2.png")
	b.press("?")
	b.shoot("help.png")
	b.clean(url)
}
