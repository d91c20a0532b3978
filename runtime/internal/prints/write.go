package prints

import (
	"fmt"
	"io"
	"os"
)

// Options say where the printed text of a launch is written, and how its lines begin.
type Options struct {
	To    io.Writer // writer of all text; nil for os.Stdout and, for print and println, os.Stderr
	Bytes int       // size of the print buffer in bytes
	Items bool      // each line begins with the kernel's name and the work-item
}

// Write writes the text of a print buffer. The parameter name is the kernel's name.
func (o *Options) Write(p *Printer, name string, words []uint32) error {
	prefix := ""
	if o.Items {
		prefix = name
	}
	var failed error
	to := func(w io.Writer, text []byte) {
		if failed != nil {
			return
		}
		if o.To != nil {
			w = o.To
		}
		n, err := w.Write(text)
		if err == nil && n < len(text) {
			err = io.ErrShortWrite
		}
		failed = err
	}
	chunks := p.Chunks(words, prefix)
	if o.To != nil { // all text goes to one writer
		chunks = joinTexts(chunks)
	}
	for _, c := range chunks {
		if c.Stderr {
			to(os.Stderr, c.Text)
		} else {
			to(os.Stdout, c.Text)
		}
	}
	if n := Lost(words); n > 0 {
		to(os.Stderr, fmt.Appendf(nil, "kgen: %d calls in %s printed nothing, since the print buffer of %d bytes is full; runtime.PrintBuffer sets its size\n",
			n, name, 4*len(words)))
	}
	return failed
}

// joinTexts joins the texts of all chunks, in order, into one chunk.
func joinTexts(chunks []Chunk) []Chunk {
	if len(chunks) < 2 {
		return chunks
	}
	var all Chunk
	for _, c := range chunks {
		all.Text = append(all.Text, c.Text...)
	}
	return []Chunk{all}
}
