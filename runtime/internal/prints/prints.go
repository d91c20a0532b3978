// Package prints converts the records in a kernel's print buffer to text. The text has the format
// of package fmt, or of the predeclared functions print and println.
package prints

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/kgen-go/kgen/abi"
)

// Printer converts the records of one kernel to text.
type Printer struct {
	kernel *abi.Kernel
	sites  []site
}

type site struct {
	*abi.PrintSite
	args []*typ
}

// New returns the kernel's printer, or an error if the kernel's description is damaged.
func New(k *abi.Kernel) (*Printer, error) {
	p := &Printer{kernel: k}
	for i := range k.Prints {
		s := site{PrintSite: &k.Prints[i]}
		for _, a := range s.Args {
			t, err := parse(a)
			if err != nil {
				return nil, fmt.Errorf("what %s prints at %s: %w", k.FullName(), s.Pos, err)
			}
			s.args = append(s.args, t)
		}
		p.sites = append(p.sites, s)
	}
	return p, nil
}

// Chunk is a piece of text for one writer.
type Chunk struct {
	Stderr bool // the text is output of print and println
	Text   []byte
}

// Chunks returns the text of all records of a print buffer, in their order. If prefix is not empty,
// each line begins with the prefix, the work-item's global id and a colon.
func (p *Printer) Chunks(words []uint32, prefix string) []Chunk {
	var out []Chunk
	r := &valueReader{words: recordsIn(words), texts: p.kernel.PrintTexts}
	for {
		begin := r.at
		number := r.takeWord()
		if number == 0 || uint64(number) > uint64(len(p.sites)) {
			return out // the end of the records, or a last record that was not written completely
		}
		id := [3]uint32{r.takeWord(), r.takeWord(), r.takeWord()}
		s := &p.sites[number-1]
		args := make([]any, len(s.args))
		for i, t := range s.args {
			args[i] = t.readValue(r)
		}
		if r.short || r.at == begin {
			return out
		}
		text := s.textOf(args)
		if prefix != "" {
			text = addMark(text, prefix+p.itemText(id)+": ")
		}
		onStderr := s.Func == abi.PredPrint || s.Func == abi.PredPrintln
		if n := len(out); n == 0 || out[n-1].Stderr != onStderr {
			out = append(out, Chunk{Stderr: onStderr})
		}
		last := &out[len(out)-1]
		last.Text = append(last.Text, text...)
	}
}

// recordsIn returns the part of a print buffer that may contain records.
func recordsIn(words []uint32) []uint32 {
	if len(words) < abi.PrintHeader {
		return nil
	}
	all := words[abi.PrintHeader:]
	return all[:min(uint64(words[abi.PrintUsed]), uint64(len(all)))]
}

// Used returns how many 32-bit words, at the beginning of a print buffer, may differ from zero.
func Used(words []uint32) int { return min(len(words), abi.PrintHeader+len(recordsIn(words))) }

// Lost returns the number of records that did not fit into the print buffer.
func Lost(words []uint32) uint64 {
	return uint64(words[abi.PrintLostHigh])<<32 | uint64(words[abi.PrintLost])
}

// itemText returns a work-item's global id as text in brackets, in the order of the kernel's
// indexes.
func (p *Printer) itemText(id [3]uint32) string {
	rank := p.kernel.Rank
	if rank == 0 {
		return ""
	}
	index := make([]uint32, rank)
	for i := range index {
		index[i] = id[rank-1-i]
	}
	return fmt.Sprint(index)
}

// addMark adds a prefix to each line of the text, and a newline at the end if the text
// does not end with one.
func addMark(text []byte, prefix string) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		out = append(append(out, prefix...), bytes.TrimSuffix(line, []byte("\n"))...)
		out = append(out, '\n')
	}
	return out
}

// textOf returns the output of a print call.
func (s *site) textOf(args []any) []byte {
	switch s.Func {
	case abi.Printf:
		return fmt.Appendf(nil, s.Format, args...)
	case abi.Println:
		return fmt.Appendln(nil, args...)
	case abi.Print:
		return fmt.Append(nil, args...)
	}
	var out []byte
	for i, a := range args {
		if i > 0 && s.Func == abi.PredPrintln {
			out = append(out, ' ')
		}
		out = appendPredeclared(out, a)
	}
	if s.Func == abi.PredPrintln {
		out = append(out, '\n')
	}
	return out
}

// appendPredeclared appends the text that gc's print writes for a value.
func appendPredeclared(out []byte, v any) []byte {
	switch v := v.(type) {
	case float32:
		return strconv.AppendFloat(out, float64(v), 'g', -1, 32)
	case float64:
		return strconv.AppendFloat(out, v, 'g', -1, 64)
	case complex64:
		return append(out, strconv.FormatComplex(complex128(v), 'g', -1, 64)...)
	case complex128:
		return append(out, strconv.FormatComplex(v, 'g', -1, 128)...)
	}
	return fmt.Append(out, v)
}
