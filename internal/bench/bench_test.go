package bench

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/runtime"
)

func TestMain(m *testing.M) {
	devtest.ManyKernels()
	os.Exit(m.Run())
}

// TestSuite runs all works on each device at the smallest sizes: what they come to is checked,
// what they take is not.
func TestSuite(t *testing.T) {
	works := 0
	// With -short one of three works, and the ceilings.
	only := func(name string) bool { return name == fma.Name || name == copy4.Name || sample.Has(name, 3) }
	for _, w := range Works {
		if only(w.Name) {
			works++
		}
	}
	devtest.Each(t, func(t *testing.T, dev *runtime.Device) {
		r := Run(t.Context(), dev, Options{Only: only, Scale: Tiny, Rounds: 1, Peers: []string{"GLSL", "Go", float32Peer}, Log: t.Logf})
		var text bytes.Buffer
		if err := r.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		t.Log("\n" + text.String())
		if len(r.Rows) != works || works == 0 {
			t.Fatalf("%d rows, want %d", len(r.Rows), works)
		}
		for _, row := range r.Rows {
			switch {
			case row.Error != "" || len(row.Failed) > 0:
				t.Errorf("%s: %s %q", row.Name, row.Error, row.Failed)
			case row.Skipped != "":
				if row.Name != startWork.Name && !strings.Contains(row.Skipped, runtime.ErrKernelNotSupported.Error()) {
					t.Errorf("%s: skipped: %s", row.Name, row.Skipped)
				}
			case len(row.Times) == 0 || row.Times[0].Peer != kgen || row.Times[0].Median <= 0:
				t.Errorf("%s: no time of kgen's: %+v", row.Name, row.Times)
			case strings.HasSuffix(row.Name, " f16") && len(row.Times) != 2:
				t.Errorf("%s: no float32s beside it: %+v", row.Name, row.Times)
			case !strings.Contains(text.String(), row.Name+" "):
				t.Errorf("%s: not in the table", row.Name)
			}
		}
		if r.Memory <= 0 || r.Arithmetic <= 0 {
			t.Errorf("ceilings %v and %v", r.Memory, r.Arithmetic)
		}
		wellFormed(t, r)
	})
}

// wellFormed reads the other forms of a report.
func wellFormed(t *testing.T, r *Report) {
	t.Helper()
	var js, svg, md bytes.Buffer
	if err := errors.Join(r.WriteJSON(&js), r.WriteSVG(&svg), r.WriteMarkdown(&md)); err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(js.Bytes(), &back); err != nil || len(back.Rows) != len(r.Rows) {
		t.Errorf("JSON with %d rows of %d: %v", len(back.Rows), len(r.Rows), err)
	}
	bars := 0
	for d := xml.NewDecoder(&svg); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("SVG: %v", err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "rect" && e.Attr[0].Value == "kgen" {
			bars++
		}
	}
	if bars < sample.Of(20, 4) {
		t.Errorf("the picture has %d bars", bars)
	}
	columns := 0
	for line := range strings.Lines(md.String()) {
		if n := strings.Count(line, "|"); n > 0 && columns > 0 && n != columns {
			t.Errorf("a table with %d and %d bars in a line: %s", columns, n, line)
		} else if n > 0 {
			columns = n
		}
	}
}

// TestParsePeers: a name that there is not is an error, and no table without peers.
func TestParsePeers(t *testing.T) {
	for list, want := range map[string][]string{"all": nil, "none": {}, "CUDA": {"CUDA"}, "GLSL,Go": {"GLSL", "Go"}} {
		if got, err := ParsePeers(list); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %#v, %v", list, got, err)
		}
	}
	for _, list := range []string{"", "cuFFT", "CUDA,go", "CUDA,"} {
		if got, err := ParsePeers(list); err == nil || !strings.Contains(err.Error(), "there are [CUDA GLSL Go f32]") {
			t.Errorf("%q: %#v, %v", list, got, err)
		}
	}
}

// TestPoison: a contestant that does nothing is found out.
func TestPoison(t *testing.T) {
	dev := devtest.Host(t)
	b := &Bench{Options: Options{Scale: Tiny}, ctx: t.Context(), dev: dev, q: dev.DefaultQueue(), cpu: true}
	for _, w := range Works {
		job, err := w.Make(b, w.Sizes[Tiny])
		var skip skipReason
		if errors.As(err, &skip) {
			continue
		}
		if err != nil {
			t.Fatal(w.Name, err)
		}
		for _, c := range job.Contestants {
			if c.Check == nil {
				if w.Name != independent.Name {
					t.Errorf("%s: nothing checks %s", w.Name, c.Name)
				}
				continue
			}
			c.Run = func(int) error { return nil }
			if err := verifyRun(c); err == nil {
				t.Errorf("%s: %s did nothing, and passes", w.Name, c.Name)
			}
		}
		b.close()
	}
}

// TestReport: shares are of the best row that measures ceilings, whoever reached it, and peers
// are compared by time.
func TestReport(t *testing.T) {
	r := &Report{Device: "NVIDIA H200", Scale: "large", Rows: []Row{
		{Name: "copy", Amount: 100, Unit: Bytes, Ceiling: true, Times: []Timing{{Peer: kgen, Median: 2}, {Peer: "CUDA", Median: 1}}},
		{Name: "cached", Amount: 150, Unit: Bytes, Times: []Timing{{Peer: kgen, Median: 1}}},
		{Name: "sort u32", Amount: 8, Unit: Keys, Times: []Timing{{Peer: kgen, Median: 4}, {Peer: "CUB", Median: 1}}},
		{Name: "none", Skipped: "why", Failed: []string{"CUB: how"}},
	}}
	r.computeShares()
	if r.Memory != 100 || r.Rows[0].Share != 0.5 || r.Rows[1].Share != 1.5 || r.Rows[2].Share != 0 {
		t.Errorf("ceiling %v, shares %v %v %v", r.Memory, r.Rows[0].Share, r.Rows[1].Share, r.Rows[2].Share)
	}
	if x, ok := r.Rows[2].speedRatio("CUB"); !ok || x != 0.25 {
		t.Errorf("beside CUB: %v, %v", x, ok)
	}
	if !r.Failed() {
		t.Error("a peer's failure is none of the report's")
	}
	table := r.tableCells(true)
	want := []string{"Work", "Size", "Time", "Rate", "Of ceiling", "x CUDA", "x CUB", "Aim"}
	if strings.Join(table[0], ",") != strings.Join(want, ",") || len(table) != 4 {
		t.Errorf("%d lines below %q", len(table), table[0])
	}
	want = []string{"sort u32", "", "4.00 s", "2.00 keys/s", "", "CUB 0.25", "≥ 0.75 CUB ✗"}
	if got := r.tableCells(false)[3]; strings.Join(got, ",") != strings.Join(want, ",") {
		t.Errorf("%q, want %q", got, want)
	}
	if got := strings.Join(r.remarkLines(), "; "); got != "none: CUB: how; none: skipped: why" {
		t.Error(got)
	}
}

// TestAims: aims are compared as they are printed, where they apply.
func TestAims(t *testing.T) {
	beside := func(peer string, x float64) []Timing {
		return []Timing{{Peer: kgen, Median: 1}, {Peer: peer, Median: x}}
	}
	for _, test := range []struct {
		device string
		scale  Scale
		row    Row
		want   string
		met    bool
	}{
		{"NVIDIA H200", Large, Row{Name: "copy f32", Unit: Bytes, Amount: 4150e9, Times: beside("CUDA", 9)}, "≥ 4150 GB/s", true},
		{"NVIDIA H200", Large, Row{Name: "copy f32", Unit: Bytes, Amount: 4149e9, Times: beside("CUDA", 9)}, "≥ 4150 GB/s", false},
		{"NVIDIA H200", Small, Row{Name: "copy f32", Unit: Bytes, Amount: 4150e9, Times: beside("CUDA", 9)}, "", false},
		{"NVIDIA H100", Large, Row{Name: "copy f32", Unit: Bytes, Amount: 4150e9, Times: beside("CUDA", 9)}, "", false},
		{"NVIDIA H100", Large, Row{Name: "sum u32", Unit: Bytes, Times: beside("CUB", 0.966)}, "≥ 0.97 CUB", true},
		{"NVIDIA H100", Large, Row{Name: "sum u32", Unit: Bytes, Times: beside("CUB", 0.964)}, "≥ 0.97 CUB", false},
		{"NVIDIA H100", Large, Row{Name: "sum u32", Unit: Bytes, Times: beside("CUDA", 2)}, "", false},
		{"NVIDIA H100", Large, Row{Name: "copy f16", Unit: Bytes, Times: beside("f32", 0.944)}, "≥ 0.95 f32", false},
		{"NVIDIA H100", Large, Row{Name: "device to slice", Group: "Transfers", Unit: Bytes, Amount: 25e9, Times: beside("CUDA", 2)}, "≥ 25 GB/s", true},
		{"NVIDIA H100", Large, Row{Name: "device to pinned buffer", Group: "Transfers", Unit: Bytes, Times: beside("CUDA pinned", 0.9)}, "≥ 0.9 CUDA pinned", true},
		{"NVIDIA H200", Large, Row{Name: "launches, independent", Unit: Launches, Amount: 0.5, Times: []Timing{{Peer: kgen, Median: 1e-6}}}, "≤ 0.5 µs", true},
		{"NVIDIA H200", Large, Row{Name: "launches, independent", Unit: Launches, Amount: 0.6, Times: []Timing{{Peer: kgen, Median: 1e-6}}}, "≤ 0.5 µs", false},
		{"host (linux/amd64, 2 cores)", Small, Row{Name: "copy f32", Unit: Bytes, Times: beside("Go", 0.85)}, "≥ 0.9 Go", false},
		{"host (linux/amd64, 2 cores)", Small, Row{Name: "life (example)", Unit: Bytes, Times: beside("Go", 0.4)}, "≥ 0.4 Go", true},
		{"host (linux/amd64, 2 cores)", Small, Row{Name: "transpose f32", Unit: Bytes, Times: beside("Go", 2)}, "", false},
		{"host (linux/amd64, 2 cores)", Tiny, Row{Name: "life (example)", Unit: Bytes, Times: beside("Go", 2)}, "", false},
	} {
		r := &Report{Device: test.device, Scale: test.scale.String()}
		if got, met := r.aim(&test.row); got != test.want || met != test.met {
			t.Errorf("%s, %s, %s: %q, %v; want %q, %v", test.device, test.scale, test.row.Name, got, met, test.want, test.met)
		}
	}
	for _, w := range Works {
		for _, text := range []string{w.Target, w.OnHost} {
			if text != "" && !regexp.MustCompile(`^[≥≤] [0-9.]+ (GB/s|TFLOP/s|ms|µs|CUDA|CUB|cuBLAS|cuSPARSE|cuFFT|CUDA pinned|GLSL|Go|f32)$`).MatchString(text) {
				t.Errorf("%s: %q is no aim", w.Name, text)
			}
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{perSecond(4.2e12, Bytes), "4200 GB/s"}, {perSecond(0.5e9, Bytes), "0.50 GB/s"}, {perSecond(7.93e12, Flop), "7.93 TFLOP/s"},
		{perSecond(41.46e9, Keys), "41.5 Gkeys/s"}, {duration(2.2e-6), "2.20 µs"}, {duration(0.0305), "30.5 ms"}, {duration(300e-9), "300 ns"},
		{duration(999.7e-9), "1.00 µs"}, {sizeText(1 << 20), "2^20"}, {sizeText(1000), "1000"}, {bytesOf(1 << 30), "1 GiB"},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
	m := timing("x", []time.Duration{5, 1, 3, 2, 4})
	if m.Median != 3e-9 || m.P10 != 1e-9 || m.P90 != 5e-9 || m.Rounds != 5 {
		t.Errorf("%+v", m)
	}
}

// TestNear: what is NaN, or off at the ends, is found.
func TestNear(t *testing.T) {
	s := make([]float32, 3*nearSamples)
	want := func(int) float64 { return 0 }
	if err := near(s, 0, want); err != nil {
		t.Error(err)
	}
	for _, i := range []int{0, len(s) - 1} {
		for _, bad := range []float64{math.NaN(), 1e-3} {
			s[i] = float32(bad)
			if near(s, 1e-4, want) == nil {
				t.Errorf("%v at %d passes", bad, i)
			}
			s[i] = 0
		}
	}
}

// TestCUDASources: the program has the works that rows ask of it.
func TestCUDASources(t *testing.T) {
	text, err := cudaSources.ReadFile("cuda/kgencuda.cu")
	if err != nil {
		t.Fatal(err)
	}
	dev := devtest.Host(t)
	b := &Bench{Options: Options{Scale: Tiny}, ctx: t.Context(), dev: dev, q: dev.DefaultQueue()}
	for _, w := range Works {
		job, err := w.Make(b, w.Sizes[Tiny])
		if err != nil {
			continue // which TestPoison reports
		}
		for _, p := range job.CUDA {
			name := p.Work
			for _, end := range []string{"32", "64", "_pinned"} {
				name = strings.TrimSuffix(name, end)
			}
			if !strings.Contains(string(text), `"`+name+`"`) && !strings.Contains(string(text), `"`+p.Work+`"`) {
				t.Errorf("%s: the CUDA program has no %q", w.Name, name)
			}
		}
		b.close()
	}
}
