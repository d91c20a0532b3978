//go:build browser

package view_test

// This file drives a headless browser over the pipe that Chromium's DevTools protocol has: no
// package and no network is needed.

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// browser is a Chromium with one page.
type browser struct {
	t       *testing.T
	to      *os.File
	from    *bufio.Reader
	session string
	next    int
	errors  []string // that scripts of the page have thrown, and what the console has of errors
	urls    []string // that the page asked for
}

// start starts the browser that KGEN_BROWSER names, or the first that there is.
func start(t *testing.T) *browser {
	t.Helper()
	path := os.Getenv("KGEN_BROWSER")
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path == "" {
			path, _ = exec.LookPath(name)
		}
	}
	if path == "" {
		t.Fatal("there is no Chromium: make browser installs it, or set KGEN_BROWSER")
	}
	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// Processes of the browser may write there for a while after it has ended.
	dir, err := os.MkdirTemp("", "kgen-browser")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-ipc-flooding-protection", "--force-color-profile=srgb",
		"--remote-debugging-pipe", "--user-data-dir="+dir, "about:blank")
	cmd.ExtraFiles = []*os.File{in, out}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	out.Close()
	b := &browser{t: t, to: to, from: bufio.NewReaderSize(from, 1<<20)}
	t.Cleanup(func() {
		b.send("Browser.close", nil, "")
		to.Close()
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			cmd.Process.Kill()
			<-done
		}
		from.Close()
		os.RemoveAll(dir)
	})
	target := b.call("Target.createTarget", map[string]any{"url": "about:blank"})["targetId"]
	b.session = b.call("Target.attachToTarget", map[string]any{"targetId": target, "flatten": true})["sessionId"].(string)
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		b.call(domain+".enable", nil)
	}
	b.call("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": "window.alerts = []; window.alert = x => alerts.push(x)"})
	return b
}

func (b *browser) send(method string, params map[string]any, session string) int {
	b.next++
	message := map[string]any{"id": b.next, "method": method}
	if params != nil {
		message["params"] = params
	}
	if session != "" {
		message["sessionId"] = session
	}
	text, err := json.Marshal(message)
	if err != nil {
		b.t.Fatal(err)
	}
	b.to.Write(append(text, 0))
	return b.next
}

// call calls a method and waits for its result.
func (b *browser) call(method string, params map[string]any) map[string]any {
	b.t.Helper()
	id := b.send(method, params, b.session)
	for {
		text, err := b.from.ReadBytes(0)
		if err != nil {
			b.t.Fatalf("%s: the browser has ended: %v", method, err)
		}
		var m struct {
			ID     int
			Method string
			Params map[string]any
			Result map[string]any
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
			b.t.Fatal(err)
		}
		switch m.Method {
		case "Runtime.exceptionThrown", "Log.entryAdded":
			b.errors = append(b.errors, fmt.Sprint(m.Params))
		case "Network.requestWillBeSent":
			b.urls = append(b.urls, m.Params["request"].(map[string]any)["url"].(string))
		}
		if m.ID != id {
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error.Message)
		}
		return m.Result
	}
}

// open opens a page and waits until it is ready.
func (b *browser) open(url string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": url})
	b.wait("document.documentElement && document.documentElement.dataset.ready === 'yes'")
}

// eval returns the value of an expression.
func (b *browser) eval(expr string) any {
	b.t.Helper()
	r := b.call("Runtime.evaluate", map[string]any{"expression": expr, "awaitPromise": true, "returnByValue": true})
	if e, ok := r["exceptionDetails"]; ok {
		b.t.Fatalf("%s: %v", expr, e)
	}
	return r["result"].(map[string]any)["value"]
}

// wait waits until an expression is true. It takes as long as the machine needs.
func (b *browser) wait(expr string) {
	b.t.Helper()
	for end := time.Now().Add(2 * time.Minute); b.eval("Boolean("+expr+")") != true; {
		if time.Now().After(end) {
			b.t.Fatalf("never: %s; errors %v", expr, b.errors)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// is fails the test if an expression has another value.
func (b *browser) is(expr string, want any) {
	b.t.Helper()
	if got := b.eval(expr); fmt.Sprint(got) != fmt.Sprint(want) {
		b.t.Errorf("%s is %v, not %v", expr, got, want)
	}
}

// press presses a key.
func (b *browser) press(key string) {
	b.t.Helper()
	text := ""
	if len(key) == 1 {
		text = key
	}
	code := map[string]int{"Enter": 13, "Tab": 9, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38}[key]
	if key == "Enter" {
		text = "\r"
	}
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": key, "text": text, "windowsVirtualKeyCode": code})
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "windowsVirtualKeyCode": code})
}

// write writes text where the focus is.
func (b *browser) write(text string) {
	b.call("Input.insertText", map[string]any{"text": text})
}

// point moves the mouse to the element that an expression names, and clicks there if asked to.
func (b *browser) point(element string, click bool) {
	b.t.Helper()
	at := b.eval("(e => { e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); return [r.left + Math.min(r.width / 2, 90), r.top + r.height / 2] })(" + element + ")").([]any)
	mouse := func(kind string) {
		b.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1})
	}
	b.call("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": at[0], "y": at[1]})
	if click {
		mouse("mousePressed")
		mouse("mouseReleased")
	}
}

// look is how the page is seen.
func (b *browser) look(width, height int, scheme string) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
}

// shoot writes a picture of the page, in few colors, to the folder that KGEN_PICTURES names, if
// any. Those of docs/ are made so.
func (b *browser) shoot(name string) {
	b.t.Helper()
	b.call("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": 2, "y": 2}) // away from lines
	data := b.call("Page.captureScreenshot", map[string]any{"format": "png"})["data"].(string)
	picture, err := base64.StdEncoding.DecodeString(data)
	if err != nil || len(picture) < 1000 {
		b.t.Errorf("a picture of %d bytes: %v", len(picture), err)
	}
	dir := os.Getenv("KGEN_PICTURES")
	if dir == "" {
		return
	}
	m, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		b.t.Fatal(err)
	}
	var small bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(&small, fewColors(m, 16)); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), small.Bytes(), 0o666); err != nil {
		b.t.Error(err)
	}
}

// fewColors returns a picture in n colors, those that it has most of and that are not much
// alike.
func fewColors(m image.Image, n int) *image.Paletted {
	count := map[color.RGBA]int{}
	r := m.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			count[color.RGBAModel.Convert(m.At(x, y)).(color.RGBA)]++
		}
	}
	colors := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var palette color.Palette
	for _, c := range colors {
		near := func(p color.Color) bool {
			q := p.(color.RGBA)
			return max(max(c.R, q.R)-min(c.R, q.R), max(c.G, q.G)-min(c.G, q.G), max(c.B, q.B)-min(c.B, q.B)) < 20
		}
		// Grounds are alike, and there is much of them.
		if len(palette) < n && (count[c]*100 > r.Dx()*r.Dy() || !slices.ContainsFunc(palette, near)) {
			palette = append(palette, c)
		}
	}
	out := image.NewPaletted(r, palette)
	nearest := map[color.RGBA]uint8{}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c := color.RGBAModel.Convert(m.At(x, y)).(color.RGBA)
			i, ok := nearest[c]
			if !ok {
				i = uint8(palette.Index(c))
				nearest[c] = i
			}
			out.SetColorIndex(x, y, i)
		}
	}
	return out
}

// clean fails the test if a script has failed, or the page asked for anything but itself.
func (b *browser) clean(url string) {
	b.t.Helper()
	b.eval("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
	b.is("alerts.length", 0)
	if len(b.errors) > 0 {
		b.t.Errorf("errors of the page: %s", strings.Join(b.errors, "\n"))
	}
	for _, u := range b.urls {
		if u, _, _ := strings.Cut(u, "#"); u != url && !strings.HasPrefix(u, "blob:null") {
			b.t.Errorf("the page asks for %.200s", u)
		}
	}
}
