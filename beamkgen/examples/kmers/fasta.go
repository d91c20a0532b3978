package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/kgen-go/kgen/beamkgen/examples/kmers/count"
)

// PieceLen is the largest number of letters of a Piece.
const PieceLen = 1 << 14

// Piece is a part of a FASTA record. Consecutive pieces of a record overlap by K-1 letters, so that each k-mer of the
// record is in exactly one piece.
type Piece struct {
	Record string // name of the file, and the record's header line, which begins with ">"
	Start  int    // index of the piece's first letter in the record
	Bases  string // letters of the piece as in the file, without line ends
}

func init() {
	register.Function3x1(readPieces)
	register.Function2x0(keepFASTA)
	register.Emitter1[Piece]()
	register.Emitter1[fileio.FileMetadata]()
}

// readFASTA returns the pieces of all FASTA files of a folder.
func readFASTA(s beam.Scope, folder string) beam.PCollection {
	s = s.Scope("readFASTA")
	files := fileio.MatchFiles(s, folder+"/*")
	pieces := beam.ParDo(s, readPieces, fileio.ReadMatches(s, beam.ParDo(s, keepFASTA, files)))
	return beam.Reshuffle(s, pieces) // so that different workers can process the pieces of one file
}

func keepFASTA(file fileio.FileMetadata, emit func(fileio.FileMetadata)) {
	if isFASTA(file.Path) {
		emit(file)
	}
}

// isFASTA reports whether a file's name has an extension of FASTA files for nucleotide sequences.
func isFASTA(name string) bool {
	switch path.Ext(strings.TrimSuffix(name, ".gz")) {
	case ".fa", ".fasta", ".fna":
		return true
	}
	return false
}

// readPieces reads a file, and emits its pieces.
func readPieces(ctx context.Context, file fileio.ReadableFile, emit func(Piece)) error {
	r, err := file.Open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := splitPieces(r, path.Base(file.Metadata.Path), PieceLen, emit); err != nil {
		return fmt.Errorf("%s: %w", file.Metadata.Path, err)
	}
	return nil
}

// splitPieces splits a FASTA text into pieces of at most size letters. Parameter size must be at least K. Records with
// less than K letters have no piece. The lines of the text may have any length.
func splitPieces(r io.Reader, file string, size int, emit func(Piece)) error {
	lines := bufio.NewReader(r)
	var record string
	var letters []byte // letters of the record, from index start on
	var start int
	cut := func(n int) {
		emit(Piece{record, start, string(letters[:n])})
		n -= count.K - 1
		start, letters = start+n, letters[n:]
	}
	for begins, header := true, false; ; {
		line, more, err := lines.ReadLine()
		if err != nil && err != io.EOF {
			return err
		}
		if begins {
			header = bytes.HasPrefix(line, []byte(">"))
		}
		ends := err == io.EOF || begins && header // whether the record ends
		if ends && len(letters) >= count.K {
			cut(len(letters))
		}
		switch {
		case err == io.EOF:
			return nil
		case begins && header:
			record, start, letters = file+" "+string(line), 0, nil
		case header:
			record += string(line)
		case len(line) > 0 && record == "":
			return fmt.Errorf("it is no FASTA file: its first line is %.40q", line)
		default:
			letters = append(letters, line...)
			for len(letters) >= size {
				cut(size)
			}
		}
		begins = !more
	}
}
