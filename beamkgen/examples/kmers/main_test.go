package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/kgen-go/kgen/beamkgen"
	"github.com/kgen-go/kgen/beamkgen/examples/kmers/count"
)

// The workers of most tests are in this process, so last steps can collect elements here.
var collected struct {
	sync.Mutex
	totals []Total
	bad    []string
}

func collectTotal(t Total) {
	collected.Lock()
	defer collected.Unlock()
	collected.totals = append(collected.totals, t)
}

func collectBad(line string) {
	collected.Lock()
	defer collected.Unlock()
	collected.bad = append(collected.bad, line)
}

func init() {
	register.Function1x0(collectTotal)
	register.Function1x0(collectBad)
}

func TestMain(m *testing.M) {
	os.Setenv("KGEN_DEVICE", "host")
	if os.Getenv("KMERS_WORKER") != "" {
		// Prism has started this process with two flags, as it starts the program of Beam's containers. That one
		// would start the worker with these flags. Prism serves all of them at one address.
		flag.Set("worker", "true")
		for _, arg := range os.Args[1:] {
			if id, ok := strings.CutPrefix(arg, "--id="); ok {
				flag.Set("id", strings.Trim(id, "'"))
			}
			if at, ok := strings.CutPrefix(arg, "--provision_endpoint="); ok {
				flag.Set("logging_endpoint", at)
				flag.Set("control_endpoint", at)
			}
		}
	} else {
		flag.Parse()
	}
	beam.Init() // which is all that a worker does
	os.Exit(m.Run())
}

// text is a FASTA file, with the counts of its k-mers by plain Go, which looks at strings.
type text struct {
	bytes.Buffer
	counts map[string]uint64
}

// add adds a record of random letters, in lines of some length.
func (t *text) add(rng *rand.Rand, name string, length, line int, letters string) {
	seq := make([]byte, length)
	for i := range seq {
		seq[i] = letters[rng.IntN(len(letters))]
	}
	fmt.Fprintf(t, ">%s\n", name)
	for part := range slices.Chunk(seq, line) {
		t.Write(part)
		t.WriteByte('\n')
	}
	dna := strings.ReplaceAll(strings.ToUpper(string(seq)), "U", "T")
	for i := range len(dna) - count.K + 1 {
		if kmer := dna[i : i+count.K]; strings.Trim(kmer, "ACGT") == "" {
			t.counts[kmer]++
		}
	}
}

// folder returns a folder with four FASTA files that have a number of records, other files, and the counts.
func folder(t *testing.T, records, length int) (string, map[string]uint64) {
	dir, counts := t.TempDir(), map[string]uint64{}
	rng := rand.New(rand.NewPCG(1, uint64(records)))
	for f, name := range []string{"a.fa", "b.fasta", "c.fna", "d.fa"} {
		file := &text{counts: counts}
		for r := range records / 4 {
			letters := "ACGT"
			if r%10 == 3 {
				letters = "ACGTacgtuNRYSWKMBDHV-"
			}
			file.add(rng, fmt.Sprint("record ", f, r), length, 60, letters)
		}
		write(t, filepath.Join(dir, name), file.Bytes())
	}
	write(t, filepath.Join(dir, "notes.txt"), []byte(">no\nACGT\n"))
	return dir, counts
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// runKmers runs the pipeline and returns the counts, the lines of bad pieces, and the metrics.
func runKmers(t *testing.T, runner, dir string) (map[string]uint64, []string, map[string]int64) {
	t.Helper()
	collected.totals, collected.bad = nil, nil
	p, s := beam.NewPipelineWithRoot()
	total, failures := kmers(s, dir)
	beam.ParDo0(s, collectTotal, total)
	beam.ParDo0(s, collectBad, beam.ParDo(s, formatBad, failures))
	res, err := beam.Run(context.Background(), runner, p)
	if err != nil {
		t.Fatal(runner, err)
	}
	if len(collected.totals) != 1 {
		t.Fatalf("%s: %d totals", runner, len(collected.totals))
	}
	counts, metrics := map[string]uint64{}, map[string]int64{}
	for kmer, n := range collected.totals[0].Counts {
		if n > 0 {
			counts[count.Name(kmer)] = n
		}
	}
	for _, c := range res.Metrics().AllMetrics().Counters() {
		metrics[c.Name()] += c.Result()
	}
	for _, d := range res.Metrics().AllMetrics().Distributions() {
		metrics[d.Name()] += d.Result().Sum
	}
	slices.Sort(collected.bad)
	return counts, collected.bad, metrics
}

func compare(t *testing.T, name string, got, want map[string]uint64) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %v\nwant %v", name, got, want)
	}
}

// TestKmers: both runners count as plain Go does, a million elements with one device. With -short there are ten
// thousand.
func TestKmers(t *testing.T) {
	records := 1_000_000
	if testing.Short() {
		records = 10_000
	}
	dir, want := folder(t, records, 30)
	for _, runner := range []string{"direct", "prism"} {
		got, bad, metrics := runKmers(t, runner, dir)
		compare(t, runner, got, want)
		if metrics["batch_elements"] != int64(records) || len(bad) != 0 || metrics["launches"] >= int64(records)/10 {
			t.Errorf("%s: %d elements in %d launches, %d bad ones; want %d elements", runner, metrics["batch_elements"], metrics["launches"], len(bad), records)
		}
		t.Logf("%s: %v", runner, metrics)
	}
	if n := beamkgen.OpenedDevices(); n != 1 {
		t.Errorf("%d devices were opened", n)
	}
}

// TestBad: a piece with a byte that is no base is listed with its record and its place. All other pieces
// count.
func TestBad(t *testing.T) {
	dir, want := folder(t, 400, 30)
	write(t, filepath.Join(dir, "e.fa"), []byte(">good\nACGT\n>bad\n"+strings.Repeat("A", PieceLen)+"AC*T\n>good\nAAA"))
	want["ACG"]++
	want["CGT"]++
	want["AAA"] += PieceLen - 2 + 1
	for _, runner := range []string{"direct", "prism"} {
		got, bad, _ := runKmers(t, runner, dir)
		compare(t, runner, got, want)
		if len(bad) != 1 || !strings.HasPrefix(bad[0], fmt.Sprintf("e.fa >bad\t%d\tcount.Count: ", PieceLen-2)) || !strings.HasSuffix(bad[0], "no letter of a nucleotide (work-item [0])") {
			t.Errorf("%s: %q", runner, bad)
		}
	}
}

// TestOtherProcess: a worker in a process of its own finds the function and opens the device. This process, which
// makes the pipeline, opens none.
func TestOtherProcess(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{"command": exe, "env": map[string]string{"KMERS_WORKER": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func(kind, config, worker string) {
		*jobopts.EnvironmentType, *jobopts.EnvironmentConfig, *jobopts.WorkerBinary = kind, config, worker
	}(*jobopts.EnvironmentType, *jobopts.EnvironmentConfig, *jobopts.WorkerBinary)
	*jobopts.EnvironmentType, *jobopts.EnvironmentConfig, *jobopts.WorkerBinary = "PROCESS", string(config), exe
	if err := beamkgen.CloseDevice(); err != nil {
		t.Fatal(err)
	}
	opened := beamkgen.OpenedDevices()
	dir, want := folder(t, 400, 30)
	output := filepath.Join(dir, "counts.tsv")
	if _, err := beam.Run(context.Background(), "prism", pipeline(dir, output, filepath.Join(dir, "bad.tsv"))); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]uint64{}
	for line := range strings.Lines(string(text)) {
		var kmer string
		var n uint64
		if _, err := fmt.Sscanf(line, "%s\t%d", &kmer, &n); err != nil {
			t.Fatal(line, err)
		}
		got[kmer] = n
	}
	compare(t, "other process", got, want)
	if n := beamkgen.OpenedDevices() - opened; n != 0 {
		t.Errorf("%d devices were opened in this process", n)
	}
}

// TestNoFASTA: a file that has no record at its beginning fails the pipeline, with its name.
func TestNoFASTA(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "wrong.fa"), []byte("ACGT\n"))
	p, s := beam.NewPipelineWithRoot()
	total, _ := kmers(s, dir)
	beam.ParDo0(s, collectTotal, total)
	if _, err := beam.Run(context.Background(), "direct", p); err == nil || !strings.Contains(err.Error(), `wrong.fa: it is no FASTA file: its first line is "ACGT"`) {
		t.Error(err)
	}
}

// TestPieces: each k-mer of a record is in exactly one piece, for all lengths of pieces, lines and readers.
func TestPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for size := count.K; size < 20; size++ {
		for length := range 60 {
			file := &text{counts: map[string]uint64{}}
			file.WriteString("\n\r\n")
			file.add(rng, "first "+strings.Repeat("x", 5000), length, 1+rng.IntN(30), "ACGT")
			file.add(rng, "second", length, 1+rng.IntN(30), "ACGT")
			got := map[string]uint64{}
			names := map[string]bool{}
			err := splitPieces(iotest.OneByteReader(&file.Buffer), "f", size, func(p Piece) {
				if len(p.Bases) > size || len(p.Bases) < count.K {
					t.Errorf("a piece of %d letters, of at most %d", len(p.Bases), size)
				}
				names[p.Record] = true
				for i := range len(p.Bases) - count.K + 1 {
					got[p.Bases[i:i+count.K]]++
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			compare(t, fmt.Sprintf("%d letters by %d", length, size), got, file.counts)
			if length >= count.K && (len(names) != 2 || !names["f >second"] || !names["f >first "+strings.Repeat("x", 5000)]) {
				t.Errorf("%d letters by %d: records %v", length, size, names)
			}
		}
	}
}
