package view

// This file writes the page.

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// Write writes the page, which needs nothing but itself. It does not depend on anything but
// the page's data. An error is w's.
func (p *Page) Write(w io.Writer) error {
	bodies, err := p.bodies()
	if err != nil {
		return err
	}
	index, err := json.Marshal(p)
	if err != nil {
		return err
	}
	// json.Marshal escapes <, > and &, so that no text ends the script that it stands in. The
	// bodies are base64. What is put into the template besides stands in this package.
	var head bytes.Buffer
	rest := pageHTML
	for _, part := range []struct{ mark, text string }{
		{"{{policy}}", policy()},
		{"{{css}}", pageCSS},
		{"{{index}}", string(index)},
	} {
		before, after, ok := strings.Cut(rest, part.mark)
		if !ok {
			panic("BUG: page.html has no " + part.mark)
		}
		head.WriteString(before)
		head.WriteString(part.text)
		rest = after
	}
	before, after, ok := strings.Cut(rest, "{{bodies}}")
	end, last, ok2 := strings.Cut(after, "{{js}}")
	if !ok || !ok2 {
		panic("BUG: page.html has no {{bodies}} or no {{js}}")
	}
	head.WriteString(before)
	if _, err := head.WriteTo(w); err != nil {
		return err
	}
	for i, b := range bodies {
		if _, err := fmt.Fprintf(w, "<script type=\"application/octet-stream\" id=\"body%d\">%s</script>\n", i, b); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, end+pageJS+last)
	return err
}

// policy is the page's Content-Security-Policy: its own style and script, and nothing else.
func policy() string {
	sum := func(text string) string {
		h := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(h[:]) + "'"
	}
	return "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src " + sum(pageCSS) + "; script-src " + sum(pageJS)
}

// bodies encodes the kernels' bodies: JSON, compressed by gzip, as base64.
func (p *Page) bodies() ([]string, error) {
	out, errs := make([]string, len(p.Kernels)), make([]error, len(p.Kernels))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(p.Kernels)) {
		wg.Go(func() {
			for i := range next {
				out[i], errs[i] = encode(p.Kernels[i].Body)
			}
		})
	}
	for i := range p.Kernels {
		next <- i
	}
	close(next)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func encode(b *Body) (string, error) {
	var text bytes.Buffer
	z, err := gzip.NewWriterLevel(&text, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	e := json.NewEncoder(z)
	e.SetEscapeHTML(false)
	if err := e.Encode(b); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(text.Bytes()), nil
}

// decode is encode's inverse.
func decode(s string) (*Body, error) {
	text, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	b := &Body{}
	return b, json.NewDecoder(z).Decode(b)
}
