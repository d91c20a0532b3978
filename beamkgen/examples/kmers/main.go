// Kmers counts the k-mers of all FASTA files of a folder in a pipeline of Apache Beam. The k-mers of a sequence
// are its substrings of K bases.
//
//	go run ./examples/kmers -input genomes -output counts.tsv -bad bad.tsv
//
// The runners prism (the default) and direct run in the program's own process. For other runners,
// use -runner universal, and set -endpoint to the address of the runner.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"reflect"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/kgen-go/kgen/beamkgen"
	"github.com/kgen-go/kgen/beamkgen/examples/kmers/count"
	countgen "github.com/kgen-go/kgen/beamkgen/generated/examples/kmers/count"
	"github.com/kgen-go/kgen/runtime"
)

var (
	runner = flag.String("runner", "prism", "a runner: prism or direct, in this process, or universal, with -endpoint")
	input  = flag.String("input", "", "a folder with FASTA files: *.fa, *.fasta and *.fna, also with .gz")
	output = flag.String("output", "counts.tsv", "a file for the counts: a k-mer and its count in each line")
	bad    = flag.String("bad", "bad.tsv", "a file for the pieces with bytes that are no bases: record, place, error")
)

// Profile contains the k-mer counts of one sequence, indexed by the numbers of the k-mers.
type Profile struct{ Counts []uint32 }

// Total contains the k-mer counts of all sequences together, indexed by the numbers of the k-mers.
type Total struct{ Counts []uint64 }

// The Function profiles counts the k-mers of each Piece.
var profiles = beamkgen.Register("kmers.profiles", countKmers, beamkgen.Options{Size: 4096, Kernels: countgen.Kernels()})

// countKmers is the launch function of profiles. countKmers copies the letters of a batch to one array.
func countKmers(w *beamkgen.Worker, pieces []Piece) ([]Profile, error) {
	var letters []byte
	places := make([]int32, 1, len(pieces)+1)
	for _, p := range pieces {
		letters = append(letters, p.Bases...)
		places = append(places, int32(len(letters))) // number of letters so far, at most Size * PieceLen, which fits in an int32
	}
	bases, err := beamkgen.To(w, letters)
	if err != nil {
		return nil, err
	}
	starts, err := beamkgen.To(w, places)
	if err != nil {
		return nil, err
	}
	counts, err := beamkgen.New[uint32](w, len(pieces)*count.Kmers)
	if err != nil {
		return nil, err
	}
	k := countgen.Count{Bases: bases, Starts: starts, Counts: counts}
	if err := w.Run(k.ParallelFor(w.Queue(), runtime.Range1(len(pieces)))); err != nil {
		return nil, err
	}
	all := make([]uint32, counts.Len())
	if err := beamkgen.From(w, counts, all); err != nil {
		return nil, err
	}
	out := make([]Profile, len(pieces))
	for i := range out {
		out[i].Counts = all[i*count.Kmers:][:count.Kmers:count.Kmers]
	}
	return out, nil
}

// sumFn computes the sum of profiles.
type sumFn struct{}

func (sumFn) CreateAccumulator() Total { return Total{make([]uint64, count.Kmers)} }

func (sumFn) AddInput(t Total, p Profile) Total {
	for i, n := range p.Counts {
		t.Counts[i] += uint64(n)
	}
	return t
}

func (sumFn) MergeAccumulators(t, u Total) Total {
	for i, n := range u.Counts {
		t.Counts[i] += n
	}
	return t
}

func (sumFn) ExtractOutput(t Total) Total { return t }

func init() {
	register.Combiner3[Total, Profile, Total](&sumFn{})
	register.Function2x0(formatTotal)
	register.Function2x1(formatBad)
	register.Emitter1[string]()
	beam.RegisterType(reflect.TypeFor[Total]())
}

// The function `kmers` returns the counts of all files, and the pieces that made the kernel panic.
func kmers(s beam.Scope, folder string) (total, failures beam.PCollection) {
	results, failures := profiles.ParDo(s, readFASTA(s, folder))
	return beam.Combine(s, &sumFn{}, results), failures
}

func formatTotal(t Total, emit func(string)) {
	for kmer, n := range t.Counts {
		emit(fmt.Sprintf("%s\t%d", count.Name(kmer), n))
	}
}

func formatBad(f beamkgen.Failure, p Piece) string {
	return fmt.Sprintf("%s\t%d\t%s", p.Record, p.Start, f.Message)
}

// The function `pipeline` returns the pipeline that reads a folder and writes two files.
func pipeline(folder, output, bad string) *beam.Pipeline {
	p, s := beam.NewPipelineWithRoot()
	total, failures := kmers(s, folder)
	textio.Write(s.Scope("counts"), output, beam.ParDo(s, formatTotal, total))
	textio.Write(s.Scope("bad"), bad, beam.ParDo(s, formatBad, failures))
	return p
}

func main() {
	flag.Parse()
	beam.Init()
	if *input == "" {
		log.Fatal("kmers: name a folder with -input")
	}
	p := pipeline(strings.TrimSuffix(*input, "/"), *output, *bad)
	res, err := beam.Run(context.Background(), *runner, p)
	if err != nil {
		log.Fatal("kmers: ", err)
	}
	for _, c := range res.Metrics().AllMetrics().Counters() {
		if c.Namespace() == "beamkgen" {
			fmt.Println(c.Name(), c.Result())
		}
	}
}
