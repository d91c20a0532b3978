// Package vectors reads and writes files of vectors.
//
// A file is, in little-endian order:
//
//	4 bytes        "KNNV"
//	uint32         the format's version, 1
//	uint32         dim, the number of elements of a vector, at least 1
//	uint32         0
//	uint64         count, the number of vectors
//	count*dim*4    all vectors, one after the other, as float32s
//	uint32         the CRC-32C (Castagnoli) of all preceding bytes
package vectors

import (
	"bufio"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"strconv"
)

const (
	magic   = "KNNV"
	version = 1
	header  = 24 // size of the header in bytes
	// MaxSize is the largest size of a file for Load, in bytes.
	MaxSize = 1 << 36
)

// Set is a set of vectors, all of the same dimension.
type Set struct {
	Dim  int
	Data []float32 // all vectors, one after the other
}

// Len returns the number of vectors.
func (s *Set) Len() int { return len(s.Data) / s.Dim }

// At returns vector i.
func (s *Set) At(i int) []float32 { return s.Data[i*s.Dim:][:s.Dim] }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Save writes a file.
func (s *Set) Save(name string) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	sum := crc32.New(castagnoli)
	b := bufio.NewWriterSize(f, 1<<16)
	w := io.MultiWriter(b, sum)
	head := make([]byte, 0, header)
	head = append(head, magic...)
	for _, v := range []uint32{version, uint32(s.Dim), 0} {
		head = binary.LittleEndian.AppendUint32(head, v)
	}
	head = binary.LittleEndian.AppendUint64(head, uint64(s.Len()))
	if _, err := w.Write(head); err != nil {
		return err
	}
	row := make([]byte, 4*s.Dim)
	for i := range s.Len() {
		for j, x := range s.At(i) {
			binary.LittleEndian.PutUint32(row[4*j:], math.Float32bits(x))
		}
		if _, err := w.Write(row); err != nil {
			return err
		}
	}
	if err := binary.Write(b, binary.LittleEndian, sum.Sum32()); err != nil {
		return err
	}
	return b.Flush()
}

// Load reads a file that Save wrote.
func Load(name string) (*Set, error) {
	s, err := load(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

func load(name string) (*Set, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Size() > MaxSize {
		return nil, fmt.Errorf("%d bytes are too many", info.Size())
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if len(data) < header+4 || string(data[:4]) != magic {
		return nil, fmt.Errorf("no file of vectors")
	}
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(data[i:]) }
	dim, count := uint64(word(8)), binary.LittleEndian.Uint64(data[16:])
	body := data[header : len(data)-4]
	switch {
	case word(4) != version:
		return nil, fmt.Errorf("version %d, not %d", word(4), version)
	case dim == 0 || dim > MaxSize || count > MaxSize || 4*dim*count != uint64(len(body)) || count > uint64(len(body)):
		return nil, fmt.Errorf("%d vectors of %d numbers in %d bytes", count, dim, len(body))
	case crc32.Checksum(data[:len(data)-4], castagnoli) != word(len(data)-4):
		return nil, fmt.Errorf("the checksum is wrong: the file is damaged")
	}
	s := &Set{Dim: int(dim), Data: make([]float32, len(body)/4)}
	for i := range s.Data {
		s.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:]))
	}
	return s, nil
}

// ReadText reads vectors from text. Each line has one vector, with its numbers separated by commas.
func ReadText(r io.Reader) (*Set, error) {
	c := csv.NewReader(r)
	c.Comment, c.TrimLeadingSpace, c.ReuseRecord = '#', true, true
	s := &Set{}
	for {
		row, err := c.Read() // Read checks that all lines have the same length
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		s.Dim = len(row)
		for i, text := range row {
			x, err := strconv.ParseFloat(text, 32)
			if err != nil {
				line, col := c.FieldPos(i)
				return nil, fmt.Errorf("line %d, column %d: %w", line, col, err)
			}
			s.Data = append(s.Data, float32(x))
		}
	}
	if s.Dim == 0 {
		return nil, fmt.Errorf("no vectors")
	}
	return s, nil
}

// WriteText writes the set as text that ReadText can read.
func (s *Set) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	for i := range s.Len() {
		for j, x := range s.At(i) {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.FormatFloat(float64(x), 'g', -1, 32))
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}
