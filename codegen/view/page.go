package view

// This file writes the page as HTML.

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
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

//go:embed page.js columns.js code.js main.js
var scripts embed.FS

// pageJS is the page's script.
var pageJS = sync.OnceValue(func() string {
	var text strings.Builder
	for _, name := range []string{"page.js", "columns.js", "code.js", "main.js"} {
		b, err := scripts.ReadFile(name)
		if err != nil {
			panic("BUG: " + err.Error())
		}
		text.Write(b)
	}
	return text.String()
})

// Write writes the page as a single file, which depends only on the data. Only writing to w can
// cause errors.
func (p *Page) Write(w io.Writer) error {
	bodies, err := p.encodeBodies()
	if err != nil {
		return err
	}
	index, err := json.Marshal(p)
	if err != nil {
		return err
	}
	sources, err := encodeData(p.sources())
	if err != nil {
		return err
	}
	// json.Marshal escapes <, > and &, so no text can end the script element that contains it.
	// Compressed data are encoded as base64. All other text in the page is constant.
	parts := map[string][]string{
		"policy": {securityPolicy()}, "css": {pageCSS}, "js": {pageJS()},
		"index": {string(index)}, "sources": {sources}, "bodies": bodies,
	}
	rest := pageHTML
	for {
		before, after, ok := strings.Cut(rest, "{{")
		if _, err := io.WriteString(w, before); err != nil || !ok {
			return err
		}
		name, last, _ := strings.Cut(after, "}}")
		part, ok := parts[name]
		if !ok {
			panic("BUG: page.html has {{" + name)
		}
		for i, text := range part {
			if name == "bodies" {
				text = fmt.Sprintf("<script type=\"application/octet-stream\" id=\"body%d\">%s</script>\n", i, text)
			}
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
		}
		rest = last
	}
}

// excerptSet holds the kernels' source excerpts. Several kernels may share an excerpt.
type excerptSet struct {
	Excerpts []Excerpt `json:"excerpts"`
	Of       [][]int   `json:"of"` // indices of the excerpts, for each kernel
}

func (p *Page) sources() *excerptSet {
	s := &excerptSet{Excerpts: []Excerpt{}, Of: [][]int{}}
	type key struct {
		file, text string
		line       int
	}
	seen := map[key]int{}
	for _, k := range p.Kernels {
		of := []int{}
		for _, e := range k.Body.Source {
			at := key{e.File, strings.Join(e.Text, "\n"), e.Line}
			i, ok := seen[at]
			if !ok {
				i = len(s.Excerpts)
				seen[at] = i
				s.Excerpts = append(s.Excerpts, e)
			}
			of = append(of, i)
		}
		s.Of = append(s.Of, of)
	}
	return s
}

// securityPolicy returns the page's Content-Security-Policy. The policy permits only the page's own style and script.
func securityPolicy() string {
	sum := func(text string) string {
		h := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(h[:]) + "'"
	}
	return "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src " + sum(pageCSS) + "; script-src " + sum(pageJS())
}

// encodeBodies returns the encoded Body of each kernel.
func (p *Page) encodeBodies() ([]string, error) {
	out, errs := make([]string, len(p.Kernels)), make([]error, len(p.Kernels))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(p.Kernels)) {
		wg.Go(func() {
			for i := range next {
				out[i], errs[i] = encodeData(p.Kernels[i].Body)
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

// encodeData converts data to JSON, compresses the JSON by gzip, and encodes the result as
// base64.
func encodeData(data any) (string, error) {
	var text bytes.Buffer
	z, err := gzip.NewWriterLevel(&text, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	e := json.NewEncoder(z)
	e.SetEscapeHTML(false)
	if err := e.Encode(data); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(text.Bytes()), nil
}

// decodeData reverses encode.
func decodeData(s string, data any) error {
	text, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return err
	}
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return json.NewDecoder(z).Decode(data)
}
