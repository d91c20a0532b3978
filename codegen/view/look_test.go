//go:build browser

package view_test

// This file looks at pages in a browser: make browser.

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/codegen"
	"github.com/kgen-go/kgen/codegen/view"
	"github.com/kgen-go/kgen/internal/tests/need"
)

// compiled returns the page of packages.
func compiled(t *testing.T, patterns ...string) *view.Page {
	t.Helper()
	page, _, _, err := codegen.View(t.Context(), codegen.Config{Dir: "../..", Patterns: patterns})
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// written writes a page and returns its address.
func written(t *testing.T, page *view.Page) string {
	t.Helper()
	var text bytes.Buffer
	if err := page.Write(&text); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(need.Dir(t), "page.html")
	if err := os.WriteFile(name, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return "file://" + name
}

// find chooses a kernel by the search. Its package's path ends with the query's first word.
func (b *browser) find(query, name string) {
	b.t.Helper()
	b.eval("history.replaceState(null, '', '#')")
	b.press("/")
	b.is("document.activeElement.id", "search")
	b.write(query)
	b.press("Enter")
	b.wait("location.hash.endsWith('" + strings.Fields(query)[0] + "." + name + "')")
	b.press("Escape")
	b.is("state.query", "")
}

const lineOf = "[...document.querySelectorAll('.l')].find(l => l.textContent.includes(%q))"

func TestLook(t *testing.T) {
	page := compiled(t, "./examples/...")
	url := written(t, page)
	b := start(t)
	b.look(1500, 900, "light")
	b.open(url)
	t.Run("keys", func(t *testing.T) {
		b.t = t
		b.is("document.querySelectorAll('#list button').length", len(page.Kernels))
		b.is("state.kernel", 0)
		for _, key := range []struct {
			key  string
			want int
		}{{"j", 1}, {"ArrowDown", 2}, {"k", 1}, {"ArrowUp", 0}, {"k", 0}} {
			b.press(key.key)
			b.wait(fmt.Sprintf("state.kernel === %d && document.querySelector('[aria-current]').dataset.kernel == %d", key.want, key.want))
		}
		b.press("?")
		b.is("document.querySelector('dialog').open", true)
		b.press("j") // it is the dialog's
		b.press("Escape")
		b.wait("!document.querySelector('dialog').open")
		b.is("state.kernel", 0)
	})
	t.Run("search", func(t *testing.T) {
		b.t = t
		b.find("plate step", "Step")
		b.press("/")
		b.write("near - 4")
		b.wait("listed.length === 1")
		b.is("document.querySelector('#list button').textContent.includes('Step1 line')", true)
		b.press("Enter")
		b.wait("document.querySelectorAll('.l.hit').length === 1")
		b.is("document.querySelector('.l.hit').textContent.includes('near - 4*v')", true)
		b.press("Escape")
		b.is("listed.length", len(page.Kernels))
		b.press("/")
		b.write("no such kernel")
		b.wait("listed.length === 0 && document.querySelector('#list').textContent === 'No kernel matches.'")
		b.press("Escape")
	})
	t.Run("links", func(t *testing.T) { b.t = t; links(b) })
	t.Run("passes", func(t *testing.T) { b.t = t; passes(b, page) })
	t.Run("facts", func(t *testing.T) { b.t = t; facts(b, page) })
	t.Run("looks", func(t *testing.T) { b.t = t; looks(b) })
	b.t = t
	b.clean(url)
}

// links points at lines and clicks them.
func links(b *browser) {
	b.find("plate step", "Step")
	line := fmt.Sprintf(lineOf, "v := k.In[at]")
	b.point(line, false)
	b.wait(line + ".classList.contains('s')")
	b.is("[...cols[1].code.querySelectorAll('.l')].filter(l => / = Arg /.test(l.textContent) && l.querySelector('.same')).length > 0", true)
	b.is("[...cols[1].code.querySelectorAll('.l')].filter(l => / = Load f32/.test(l.textContent) && l.querySelector('.differ')).length > 0", true)
	b.is("new Set([0, 1, 2].flatMap(c => cols[c].lines.map((l, i) => [l, cols[c].keys[i]]).filter(x => x[0].classList.contains('h')).map(x => x[1]))).size", 1)
	b.is("[1, 2].every(c => cols[c].code.querySelectorAll('.h').length > 1)", true)
	b.is("[...cols[1].code.querySelectorAll('.h')].some(l => /Load f32/.test(l.textContent))", true)
	b.is("[...cols[2].code.querySelectorAll('.h')].some(l => /OpLoad/.test(l.textContent))", true)
	b.is("document.querySelectorAll('.p').length", 0)
	b.point(line, true)
	b.wait("document.querySelectorAll('.l.p').length > 3")
	b.is("[1, 2].every(c => visible(cols[c].code.querySelector('.p')))", true)
	b.is("/kernel.go:22: \\d+ lines of IR, \\d+ of SPIR-V/.test(document.querySelector('#said').textContent)", true)
	b.press("Escape")
	b.is("document.querySelectorAll('.l.p').length", 0)

	// A line of IR is linked to the very instructions that are written for it, and back.
	b.eval("show(1, cols[1].lines.findIndex(l => / = Fma f32/.test(l.textContent)))")
	b.is("[...cols[2].code.querySelectorAll('.s')].map(l => l.textContent).join().replace(/\\d+/g, '').includes('OpExtInst')", true)
	b.is("cols[2].code.querySelectorAll('.s').length", 1)
	b.eval("show(2, cols[2].lines.indexOf(cols[2].code.querySelector('.s')))")
	b.is("/ = Fma f32/.test(cols[1].code.querySelector('.s').textContent)", true)

	// By keys alone.
	b.press("1")
	b.is("document.activeElement === cols[0].code", true)
	b.press("ArrowDown")
	b.press("ArrowDown")
	b.is("cols[0].lines[cols[0].cursor].classList.contains('c') && /^\\d+ .*/.test(document.querySelector('#said').textContent)", true)
	b.eval("cols[0].move(cols[0].find({file: page.kernels[state.kernel].pos.file, line: 26}) + 0)")
	b.press("ArrowUp")
	b.press("Enter")
	b.is("pinned.col === 0 && cols[0].keys[pinned.i].endsWith(':25')", true)
	b.press("Escape")
}

// passes compares what the page shows behind each pass, and of each module, with the data.
func passes(b *browser, page *view.Page) {
	for i, k := range page.Kernels {
		if k.Name != "Step" && k.Name != "MatMul" {
			continue
		}
		b.eval(fmt.Sprintf("open(%d)", i))
		shown := func(col int) string {
			return b.eval(fmt.Sprintf("cols[%d].lines.map(l => l.querySelector('.t').lastChild && [...l.querySelector('.t').childNodes].filter(n => !n.classList || !n.classList.contains('m')).map(n => n.textContent).join('')).join('\\n')", col)).(string)
		}
		listing := k.Body.Built
		b.eval("state.diff = false; choose(0, -1)")
		for n := -1; n < len(k.Body.Passes); n++ {
			if n >= 0 {
				b.press("]")
				listing = view.Apply(listing, k.Body.Passes[n].Edits)
				if got := b.eval("cols[1].code.querySelectorAll('.add').length"); fmt.Sprint(got) != fmt.Sprint(added(k.Body.Passes[n].Edits)) {
					b.t.Errorf("%s: pass %s has %v new lines in the page", k.Name, k.Body.Passes[n].Name, got)
				}
				b.press("d")
				if got := b.eval("cols[1].code.querySelectorAll('.add').length + cols[1].code.querySelectorAll('.del').length"); fmt.Sprint(got) != fmt.Sprint(added(k.Body.Passes[n].Edits)+removed(k.Body.Passes[n].Edits)) {
					b.t.Errorf("%s: pass %s has %v changes in the page", k.Name, k.Body.Passes[n].Name, got)
				}
				b.press("d")
			}
			if shown(1) != strings.Join(listing.Text, "\n") {
				b.t.Errorf("%s: other IR behind pass %d", k.Name, n)
			}
		}
		b.is("document.querySelector('#pass-next').disabled", true)
		b.press("[")
		b.is("state.pass", len(k.Body.Passes)-2)
		for n, m := range k.Body.Modules {
			if m.Text == nil {
				continue
			}
			b.eval(fmt.Sprintf("cols[2].pick.value = '%d'; cols[2].pick.dispatchEvent(new Event('change'))", n))
			text := view.Apply(listing, m.Edits)
			if m.IR != nil {
				text = *m.IR
			}
			if shown(2) != strings.Join(m.Text, "\n") || shown(1) != strings.Join(text.Text, "\n") {
				b.t.Errorf("%s: another module %d", k.Name, n)
			}
		}
	}
}

func added(edits []view.Edit) (n int) {
	for _, e := range edits {
		n += len(e.Text)
	}
	return n
}

func removed(edits []view.Edit) (n int) {
	for _, e := range edits {
		n += e.Lines
	}
	return n
}

// facts opens what was found.
func facts(b *browser, page *view.Page) {
	b.find("plate step", "Step")
	var k view.Kernel
	for _, k = range page.Kernels {
		if k.Name == "Step" && strings.HasSuffix(k.Package, "/plate") {
			break
		}
	}
	chip := func(name string) string { return "document.querySelector('[data-facts=" + name + "]')" }
	b.is(chip("checks")+".textContent", fmt.Sprintf("%d checks left", k.Checks))
	b.point(chip("checks"), true)
	b.is("document.querySelectorAll('#facts li').length", len(k.Body.Checks.Remain))
	b.is(chip("checks")+".getAttribute('aria-expanded')", "true")
	b.point("document.querySelector('#facts .at')", true)
	b.is("cols[0].keys[pinned.i]", fmt.Sprintf("%s:%d", k.Pos.File, k.Body.Checks.Remain[0].Pos.Line))
	for _, fact := range []struct{ name, want string }{
		{"integers", "64-bit integers done in 32"}, {"fused", "rounds once"}, {"slices", "Out: written, each work-item its own element"},
		{"args", "in push constants"}, {"modules", fmt.Sprint(k.Body.Modules[1].Bytes)}, {"passes", "mem2reg"},
	} {
		b.point(chip(fact.name), true)
		if text := b.eval("document.querySelector('#facts').textContent").(string); !strings.Contains(text, fact.want) {
			b.t.Errorf("%s: %.300s", fact.name, text)
		}
	}
	b.point("[...document.querySelectorAll('#facts .at')].find(x => x.textContent === 'mem2reg')", true)
	b.is("state.body.passes[state.pass].name === 'mem2reg' && state.diff", true)
	b.point(chip("passes"), true)
	b.is("document.querySelector('#facts').hidden", true)
	b.point("document.querySelector('.note.w')", true)
	b.is("/set by the host/.test(document.querySelector('.why:not([hidden])').textContent)", true)
	b.is("document.querySelectorAll('.l.p').length", 0)
}

// looks takes pictures, and tries themes and a narrow window.
func looks(b *browser) {
	b.find("plate step", "Step")
	b.eval("show(0, cols[0].find({file: page.kernels[state.kernel].pos.file, line: 25}))")
	b.eval("document.querySelector('.note.w').click()")
	b.is("document.documentElement.dataset.theme", "light")
	b.look(1200, 640, "light")
	b.shoot("view-light.png")
	b.look(1200, 640, "dark")
	b.wait("document.documentElement.dataset.theme === 'dark'")
	for range 3 {
		b.press("t")
	}
	b.is("document.documentElement.dataset.theme", "dark")
	b.eval("move(-1)")
	b.eval("choose(0, state.body.passes.findIndex(p => p.name === 'fuse')); changes()")
	b.eval("document.querySelector('[data-facts=fused]').click()")
	b.eval("show(0, cols[0].find({file: page.kernels[state.kernel].pos.file, line: 25}))")
	b.shoot("view-dark.png")
	b.press("t")
	b.is("document.documentElement.dataset.theme", "light")
	b.press("t")
	b.is("document.documentElement.dataset.theme", "dark")
	b.press("t")
	b.look(400, 800, "light")
	b.wait("document.querySelectorAll('.col:not([hidden])').length === 1")
	b.is("document.documentElement.scrollWidth <= 400", true)
	b.shoot("narrow.png")
	b.point("document.querySelector('[data-facts=checks]')", true)
	for i, name := range []string{"Go", "IR", "SPIR-V"} {
		b.point(fmt.Sprintf("document.querySelector('[data-col=\"%d\"]')", i), true)
		b.is("document.querySelector('.col:not([hidden])').getAttribute('aria-label')", name)
	}
	b.shoot("narrow-spirv.png")
	b.point("document.querySelector('#menu')", true)
	b.is("getComputedStyle(document.querySelector('#list')).display", "block")
	b.shoot("narrow-list.png")
	b.press("Escape")
	b.is("getComputedStyle(document.querySelector('#list')).display", "none")
	b.look(1280, 720, "light")
	b.wait("document.querySelectorAll('.col:not([hidden])').length === 3")

	// All that can be pressed has a name, and shows when it has the focus.
	b.is("[...document.querySelectorAll('button, select, input')].filter(e => !(e.getAttribute('aria-label') || e.textContent.trim())).length", 0)
	b.eval("document.querySelector('#search').focus()")
	for range 5 {
		b.press("Tab")
		b.is("getComputedStyle(document.activeElement).outlineStyle", "solid")
	}
	b.press("?")
	b.shoot("help.png")
	b.press("Escape")
}

// TestEvil: no text of a kernel becomes part of the page.
func TestEvil(t *testing.T) {
	url := written(t, view.EvilPage())
	b := start(t)
	b.look(1280, 720, "light")
	b.open(url)
	b.is("document.querySelector('main').textContent.includes('KG000')", true)
	b.press("j")
	b.wait("state.kernel === 0 && state.body")
	b.is("/const s = .*<.script><script>alert/.test(cols[0].code.textContent)", true)
	b.is("document.querySelector('.note.x').textContent", "KG000")
	b.press("j")
	b.wait("state.kernel === 1 && state.body.modules")
	for _, name := range []string{"checks", "integers", "fused", "slices", "args", "modules", "passes"} {
		b.eval("document.querySelector('[data-facts=" + name + "]').click()")
	}
	b.press("d")
	b.is("document.querySelectorAll('img, main script, nav script').length", 0)
	b.is("document.querySelectorAll('script').length", 5)
	b.clean(url)
}

// TestFailedLook: kernels with mistakes are shown with them.
func TestFailedLook(t *testing.T) {
	page := compiled(t, "./codegen/check/testdata/reject")
	url := written(t, page)
	b := start(t)
	b.look(1280, 720, "light")
	b.open(url)
	for i, k := range page.Kernels {
		b.eval(fmt.Sprintf("open(%d)", i))
		if !k.Failed {
			continue
		}
		b.is("document.querySelectorAll('#facts > ul > li').length", len(k.Body.Problems))
		b.is("document.querySelectorAll('.note.x').length > 0", true)
		b.is("document.querySelector('[data-col=\"1\"]').disabled", true)
		b.press("]") // which there is nothing for
		b.press("d")
		b.press("2")
	}
	b.shoot("failed.png")
	b.clean(url)
}

// TestMany opens the page of all kernels of this repository's tests.
func TestMany(t *testing.T) {
	page := compiled(t, "./internal/...")
	if len(page.Kernels) < 500 {
		t.Fatalf("%d kernels", len(page.Kernels))
	}
	url := written(t, page)
	info, err := os.Stat(strings.TrimPrefix(url, "file://"))
	if err != nil {
		t.Fatal(err)
	}
	b := start(t)
	b.look(1500, 900, "light")
	begin := time.Now()
	b.open(url)
	t.Logf("%d kernels, %d bytes: ready after %v", len(page.Kernels), info.Size(), time.Since(begin))
	b.is("document.querySelectorAll('#list button').length", len(page.Kernels))
	most, large := time.Duration(0), ""
	begin = time.Now()
	for i, k := range page.Kernels {
		one := time.Now()
		b.eval(fmt.Sprintf("open(%d)", i))
		if d := time.Since(one); d > most {
			most, large = d, fmt.Sprintf("%s, %d bytes", k.Name, k.Bytes)
		}
	}
	t.Logf("each kernel was chosen once in %v; the longest took %v: %s", time.Since(begin), most, large)
	begin = time.Now()
	b.press("/")
	b.write("globalid")
	b.wait("listed.length > 0 && listed.length < page.kernels.length")
	t.Logf("a search took %v", time.Since(begin))
	b.shoot("many.png")
	b.clean(url)
}
