package diag

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// The variable `explanations` contains one text file for each code. The first line of a file is a
// summary. After the summary, each file explains the meaning of the code, the reason for the error,
// and the way to correct the kernel. Each file ends with two small packages. The first package in a
// file has the error, and the second package is equivalent but correct.
//
//go:embed explain/KG*.txt
var explanations embed.FS

const (
	badMark  = "-- bad.go --\n"
	goodMark = "-- good.go --\n"
)

type explanation struct {
	summary   string
	text      string
	bad, good string
}

// readExplanations returns the explanations of all codes. The first call of readExplanations reads
// the files, and later calls return the same map.
func readExplanations() map[Code]*explanation {
	cachedExplanations.once.Do(func() {
		all := map[Code]*explanation{}
		files, err := explanations.ReadDir("explain")
		if err != nil {
			panic("BUG: " + err.Error())
		}
		for _, f := range files {
			data, err := explanations.ReadFile("explain/" + f.Name())
			code, ok := ParseCode(strings.TrimSuffix(f.Name(), ".txt"))
			if err != nil || !ok {
				panic("BUG: explain/" + f.Name())
			}
			e := &explanation{}
			e.text, e.bad, _ = strings.Cut(string(data), badMark)
			e.bad, e.good, _ = strings.Cut(e.bad, goodMark)
			e.summary, e.text, _ = strings.Cut(e.text, "\n")
			e.text = strings.TrimSpace(e.text)
			all[code] = e
		}
		cachedExplanations.all = all
	})
	return cachedExplanations.all
}

// cachedExplanations caches the result of readExplanations.
var cachedExplanations struct {
	once sync.Once
	all  map[Code]*explanation
}

// Codes returns all codes in ascending order.
func Codes() []Code {
	var codes []Code
	for c := range Code(1000) {
		if readExplanations()[c] != nil {
			codes = append(codes, c)
		}
	}
	return codes
}

// ParseCode parses a code such as KG203. ParseCode also accepts the forms kg203 and 203. ParseCode
// does not check that the code exists.
func ParseCode(s string) (Code, bool) {
	if len(s) > 2 && strings.EqualFold(s[:2], "KG") {
		s = s[2:]
	}
	if len(s) != 3 {
		return 0, false
	}
	n, err := strconv.ParseUint(s, 10, 16)
	return Code(n), err == nil
}

// Summary returns the meaning of a code in one sentence, or "" if the code does not exist.
func Summary(c Code) string {
	if e := readExplanations()[c]; e != nil {
		return e.summary
	}
	return ""
}

// Example returns the sources of two small packages. The package bad has the error, and the package
// good does the same as bad without the error.
func Example(c Code) (bad, good string) {
	if e := readExplanations()[c]; e != nil {
		return e.bad, e.good
	}
	return "", ""
}

// Explain returns a readable text with the meaning of a code, the reason, the way to correct the error, and examples.
// If the code does not exist, the second result of Explain is false.
func Explain(c Code) (string, bool) {
	e := readExplanations()[c]
	if e == nil {
		return "", false
	}
	return fmt.Sprintf("%v: %s\n\n%s\n\nThis gives %v:\n\n%s\nThis does not:\n\n%s",
		c, e.summary, e.text, c, indent(e.bad), indent(e.good)), true
}

func indent(src string) string {
	var b strings.Builder
	for line := range strings.Lines(src) {
		if line != "\n" {
			b.WriteByte('\t')
		}
		b.WriteString(line)
	}
	return b.String()
}
