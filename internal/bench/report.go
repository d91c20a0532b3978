package bench

import (
	"encoding/json"
	"fmt"
	"io"
	goruntime "runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/kgen-go/kgen/runtime"
)

// A Report contains the results of the suite on one device.
type Report struct {
	Device   string
	Driver   string `json:",omitempty"`
	System   string // operating system of the host
	Scale    string
	Rounds   int
	Duration float64 // duration of the whole suite, in seconds
	// Memory and Arithmetic are the ceilings of the device, in bytes and floating-point operations
	// per second. Each ceiling is the highest rate among the rows that measure the ceiling.
	Memory, Arithmetic float64
	Notes              []string
	Rows               []Row

	begin time.Time
}

// A Row is the result of a work (one row of the benchmark).
type Row struct {
	Group, Name, Size string
	Amount            float64
	Unit              Unit
	Ceiling           bool
	Times             []Timing // times of the contestants; the first is kgen's
	Share             float64  // rate divided by the ceiling, if the device has a ceiling for the unit
	Remark            string   `json:",omitempty"`
	Failed            []string `json:",omitempty"` // names of peers that failed
	Skipped, Error    string   `json:",omitempty"`

	n int // argument of Make for the row
}

// A Timing contains a contestant's times for one run, in seconds.
type Timing struct {
	Peer             string
	Median, P10, P90 float64
	Rounds           int
}

func newReport(info runtime.DeviceInfo, o Options) *Report {
	return &Report{Device: info.Name, Driver: info.Driver, Scale: o.Scale.String(), Rounds: o.Rounds,
		System: fmt.Sprintf("%s/%s, %d processors, %s", goruntime.GOOS, goruntime.GOARCH, goruntime.NumCPU(), goruntime.Version()), begin: time.Now()}
}

// workRate returns the amount of work per second of a contestant.
func (r *Row) workRate(t Timing) float64 {
	if t.Median == 0 {
		return 0
	}
	return r.Amount / t.Median
}

// computeShares computes the ceilings, and the share of a ceiling that each row reaches.
func (r *Report) computeShares() {
	r.Duration = time.Since(r.begin).Seconds()
	ceiling := map[Unit]float64{}
	for i := range r.Rows {
		row := &r.Rows[i]
		for _, t := range row.Times {
			if row.Ceiling {
				ceiling[row.Unit] = max(ceiling[row.Unit], row.workRate(t))
			}
		}
	}
	r.Memory, r.Arithmetic = ceiling[Bytes], ceiling[Flop]
	for i := range r.Rows {
		row := &r.Rows[i]
		if c := ceiling[row.Unit]; c > 0 && len(row.Times) > 0 && row.Group != "Transfers" {
			row.Share = row.workRate(row.Times[0]) / c
		}
	}
}

// Failed reports whether a row, or a peer in a row, has an error.
func (r *Report) Failed() bool {
	return slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Error != "" || len(row.Failed) > 0 })
}

// WriteJSON writes the complete report as JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// peerNames are all contestants besides kgen, in the order of the report's columns.
var peerNames = []string{"CUDA", "CUDA pinned", "CUB", "cuBLAS", "cuSPARSE", "cuFFT", "GLSL", "Go", float32Peer}

// peersUsed returns the peers that at least one row has.
func (r *Report) peersUsed() []string {
	var list []string
	for _, name := range peerNames {
		if slices.ContainsFunc(r.Rows, func(row Row) bool { _, ok := row.speedRatio(name); return ok }) {
			list = append(list, name)
		}
	}
	return list
}

// speedRatio returns kgen's speed as a multiple of the speed of the given peer. The second result is
// false if the row lacks the given peer.
func (row *Row) speedRatio(peer string) (float64, bool) {
	i := slices.IndexFunc(row.Times, func(t Timing) bool { return t.Peer == peer })
	if i < 1 || row.Times[0].Median == 0 {
		return 0, false
	}
	return row.Times[i].Median / row.Times[0].Median, true
}

// headerLines returns the lines of text above the report's table.
func (r *Report) headerLines() []string {
	list := []string{fmt.Sprintf("Device: %s", r.Device)}
	if r.Driver != "" {
		list[0] += " (" + r.Driver + ")"
	}
	list = append(list, "Host: "+r.System, fmt.Sprintf("Sizes: %s; medians of up to %d rounds, by turns; %.0f s in all", r.Scale, r.Rounds, r.Duration))
	if r.Memory > 0 {
		list = append(list, "Ceiling of memory: "+perSecond(r.Memory, Bytes))
	}
	if r.Arithmetic > 0 {
		list = append(list, "Ceiling of arithmetic: "+perSecond(r.Arithmetic, Flop))
	}
	return append(list, r.Notes...)
}

// cellTexts returns the texts of a row's cells, without the cells for peers. The second result of cellTexts is the
// row's aim.
func (r *Report) cellTexts(row *Row) (line []string, aim string) {
	t := row.Times[0]
	line = []string{row.Name, row.Size, duration(t.Median * perRun(row)), "", ""}
	if row.Unit != Launches {
		line[3] = perSecond(row.workRate(t), row.Unit)
	}
	if row.Share > 0 {
		line[4] = fmt.Sprintf("%.0f %%", 100*row.Share)
	}
	aim, met := r.aim(row)
	if met {
		aim += " ✓"
	} else if aim != "" {
		aim += " ✗"
	}
	return line, aim
}

// tableCells returns the cells of the heading and of all rows. If separatePeers is true, each peer has a column of its
// own. If separatePeers is false, all peers share one column.
func (r *Report) tableCells(separatePeers bool) [][]string {
	peers := r.peersUsed()
	aims := slices.ContainsFunc(r.Rows, func(row Row) bool { text, _ := r.aim(&row); return text != "" })
	head := []string{"Work", "Size", "Time", "Rate", "Of ceiling"}
	if !separatePeers {
		head = append(head, "Speed beside")
	}
	for _, p := range peers {
		if separatePeers {
			head = append(head, "x "+p)
		}
	}
	if aims {
		head = append(head, "Aim")
	}
	out := [][]string{head}
	for i := range r.Rows {
		row := &r.Rows[i]
		if len(row.Times) == 0 {
			continue
		}
		line, aim := r.cellTexts(row)
		var beside []string
		for _, p := range peers {
			x, ok := row.speedRatio(p)
			switch {
			case ok && separatePeers:
				line = append(line, fmt.Sprintf("%.2f", x))
			case separatePeers:
				line = append(line, "")
			case ok:
				beside = append(beside, fmt.Sprintf("%s %.2f", p, x))
			}
		}
		if !separatePeers {
			line = append(line, strings.Join(beside, ", "))
		}
		if aims {
			line = append(line, aim)
		}
		out = append(out, line)
	}
	return out
}

// remarkLines returns the lines of text below the report's table.
func (r *Report) remarkLines() []string {
	var list []string
	for _, row := range r.Rows {
		for _, s := range append([]string{row.Remark}, row.Failed...) {
			if s != "" {
				list = append(list, row.Name+": "+s)
			}
		}
		if i := slices.IndexFunc(list, func(s string) bool { return strings.HasSuffix(s, ": skipped: "+row.Skipped) }); row.Skipped != "" && i >= 0 {
			list[i] = row.Name + "; " + list[i]
		} else if row.Skipped != "" {
			list = append(list, row.Name+": skipped: "+row.Skipped)
		}
		if row.Error != "" {
			list = append(list, row.Name+": FAILED: "+row.Error)
		}
	}
	return list
}

// WriteText writes a table for a terminal.
func (r *Report) WriteText(w io.Writer) error {
	for _, line := range r.headerLines() {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range r.tableCells(true) {
		fmt.Fprintln(tw, strings.Join(line, "\t"))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, line := range r.remarkLines() {
		fmt.Fprintln(w, line)
	}
	return nil
}

// WriteMarkdown writes a table for docs/performance.md.
func (r *Report) WriteMarkdown(w io.Writer) error {
	for _, line := range r.headerLines() {
		fmt.Fprintf(w, "- %s\n", line)
	}
	fmt.Fprintln(w)
	for i, line := range r.tableCells(false) {
		fmt.Fprintf(w, "| %s |\n", strings.Join(line, " | "))
		if i == 0 {
			fmt.Fprintf(w, "|%s\n", strings.Repeat("---|", len(line)))
		}
	}
	fmt.Fprintln(w)
	for _, line := range r.remarkLines() {
		fmt.Fprintf(w, "- %s\n", line)
	}
	return nil
}

// scaledText prints a number with three digits and a prefix of its unit.
func scaledText(v float64, prefixes []string, by float64) string {
	i := 0
	for ; v >= 999.5 && i+1 < len(prefixes); i++ {
		v /= by
	}
	digits := 2
	for x := v; x >= 10 && digits > 0; x /= 10 {
		digits--
	}
	return fmt.Sprintf("%.*f %s", digits, v, prefixes[i])
}

func perSecond(v float64, u Unit) string {
	if u == Bytes { // memory rates are usually given in GB/s
		return scaledText(v/1e9, []string{"G"}, 1) + "B/s"
	}
	return scaledText(v, []string{"", "k", "M", "G", "T"}, 1000) + string(u) + "/s"
}

func duration(seconds float64) string {
	return scaledText(seconds*1e9, []string{"ns", "µs", "ms", "s"}, 1000)
}
