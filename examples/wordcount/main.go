// Wordcount counts the words of a file on the device, and prints the most frequent words.
package main

import (
	"context"
	"errors"
	"flag"
	"os"

	"github.com/kgen-go/kgen/examples/internal/demo"
	"github.com/kgen-go/kgen/examples/wordcount/letters"
	lettersgen "github.com/kgen-go/kgen/generated/examples/wordcount/letters"
	"github.com/kgen-go/kgen/prim/pick"
	"github.com/kgen-go/kgen/prim/sort"
	"github.com/kgen-go/kgen/runtime"
)

var file = flag.String("file", "README.md", "a file of text")

func main() { demo.Main(run) }

func run(ctx context.Context, dev *runtime.Device) error {
	text, err := os.ReadFile(*file)
	if err != nil {
		return err
	}
	starts, hashes := make([]bool, len(text)), make([]uint64, len(text))
	err1 := lettersgen.RunWords(ctx, dev, letters.Words{Text: text, Starts: starts, Hashes: hashes}, runtime.Range1(len(text)))
	all, err2 := pick.Flagged(ctx, dev, hashes, starts)
	sorted, err3 := sort.Keys(ctx, dev, all)
	words, counts, err4 := pick.RunLengths(ctx, dev, sorted)
	counts, words, err5 := sort.Pairs(ctx, dev, counts, words, sort.Descending())
	demo.Line("words", "%d, of which %d are different", len(all), len(words))
	for i := range min(10, len(words)) {
		demo.Line(letters.Find(text, words[i]), "%d", counts[i])
	}
	return errors.Join(err1, err2, err3, err4, err5)
}
