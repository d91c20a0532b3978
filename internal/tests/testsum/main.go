// Testsum runs go test and summarizes its output. When a package is done, testsum prints a line for
// the package. Testsum prints failures immediately. At the end, testsum prints the number of tests
// on each device, the skipped tests with their reasons, and the failures. Testsum exits with the
// status of go test. The arguments of testsum are flags and packages of go test:
//
//	testsum [flags and packages of go test]
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	cmd := exec.Command("go", append([]string{"test", "-json"}, os.Args[1:]...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testsum:", err)
		os.Exit(2)
	}
	s := newSummary(os.Stdout)
	s.read(out)
	err = cmd.Wait()
	s.printEnd()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		os.Exit(max(exit.ExitCode(), 1))
	}
	if err != nil || s.failed > 0 {
		fmt.Fprintln(os.Stderr, "testsum:", err)
		os.Exit(1)
	}
}

// testEvent is a line of go test -json, as "go doc test2json" describes it.
type testEvent struct {
	Action, Package, Test, Output string
	ImportPath                    string // package that go build was building when it wrote Output
	FailedBuild                   string // package that did not build
	Elapsed                       float64
}

// runSummary is the state of the run so far.
type runSummary struct {
	to      io.Writer
	begin   time.Time
	output  map[[2]string][]string // maps a package and a test, or a package and "", to the output so far
	devices map[string]int         // maps a device to the number of tests that it ran
	skips   map[string][]string    // maps a reason to the tests that were skipped for this reason
	passed  int
	failed  int
	fails   []string // tests and packages that failed
}

func newSummary(to io.Writer) *runSummary {
	return &runSummary{to: to, begin: time.Now(), output: map[[2]string][]string{}, devices: map[string]int{}, skips: map[string][]string{}}
}

func (s *runSummary) read(r io.Reader) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e testEvent
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Fprintln(s.to, lines.Text())
			continue
		}
		s.event(e)
	}
}

// devicePattern matches the line that package devtest logs.
var devicePattern = regexp.MustCompile(`: device: (.*)\n$`)

// placePattern matches the file and line at the beginning of a line of a test's log.
var placePattern = regexp.MustCompile(`^ *[\w.-]+\.go:\d+: `)

func (s *runSummary) event(e testEvent) {
	key := [2]string{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(s.to, e.Output)
	case "output":
		if m := devicePattern.FindStringSubmatch(e.Output); m != nil {
			s.devices[m[1]]++
		}
		s.output[key] = append(s.output[key], e.Output)
	case "skip":
		if e.Test == "" { // a package without tests
			break
		}
		why := "no reason is given"
		for _, line := range s.output[key] {
			if placePattern.MatchString(line) {
				why = strings.TrimSpace(placePattern.ReplaceAllString(line, ""))
			}
		}
		s.skips[why] = append(s.skips[why], e.Test)
		delete(s.output, key)
	case "pass":
		if e.Test != "" {
			s.passed++
			delete(s.output, key)
			break
		}
		fmt.Fprintf(s.to, "ok    %7.1fs  %s\n", e.Elapsed, e.Package)
	case "fail":
		if e.Test != "" {
			s.failed++
			for _, line := range s.output[key] {
				fmt.Fprint(s.to, line)
			}
			delete(s.output, key)
			s.fails = append(s.fails, e.Package+" "+e.Test)
			break
		}
		why, amid := "", []string(nil)
		if e.FailedBuild != "" {
			why = ", which does not build"
		}
		for _, line := range s.output[key] { // output of a panic, or of the package itself
			fmt.Fprint(s.to, line)
		}
		// A panic or the time limit may end a package while its tests run.
		for k, lines := range s.output {
			if k[0] == e.Package && k[1] != "" {
				fmt.Fprint(s.to, strings.Join(lines, ""))
				delete(s.output, k)
				amid = append(amid, k[1])
			}
		}
		if slices.Sort(amid); len(amid) > 0 {
			why = ", in " + strings.Join(amid, ", ")
		}
		tested := func(name string) bool { return strings.HasPrefix(name, e.Package+" ") }
		if why != "" || !slices.ContainsFunc(s.fails, tested) {
			s.fails = append(s.fails, e.Package+why)
		}
		fmt.Fprintf(s.to, "FAIL  %7.1fs  %s\n", e.Elapsed, e.Package)
		s.failed++
	}
}

// printEnd prints the number of tests on each device, then the skipped tests, and then the failures.
func (s *runSummary) printEnd() {
	fmt.Fprintf(s.to, "\n%d tests passed, %d failed, in %v\n", s.passed, s.failed, time.Since(s.begin).Round(time.Second))
	for _, name := range slices.Sorted(maps.Keys(s.devices)) {
		fmt.Fprintf(s.to, "  on %s: %d tests that open it\n", name, s.devices[name])
	}
	reasons := slices.SortedFunc(maps.Keys(s.skips), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(s.skips[b]), len(s.skips[a])), cmp.Compare(a, b))
	})
	for _, why := range reasons {
		tests := s.skips[why]
		fmt.Fprintf(s.to, "  skipped %d, as %s: %s\n", len(tests), tests[0], why)
	}
	for _, what := range s.fails {
		fmt.Fprintf(s.to, "  failed: %s\n", what)
	}
}
