//go:build !race

package runtime_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/kgen-go/kgen/internal/tests/conformance/prints"
	"github.com/kgen-go/kgen/internal/tests/conformance/prints/printsgen"
	"github.com/kgen-go/kgen/runtime"
)

// Under the race detector the host device prints by the kernel's own Go, to which no option
// applies; this example is left out there.

// Lines with the work-item that printed them, on a writer of one's own.
func ExamplePrintOption() {
	var text bytes.Buffer
	dev, err := runtime.Open(runtime.Select("host"), runtime.PrintTo(&text), runtime.PrintItems())
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	if err := printsgen.RunMany(context.Background(), dev, prints.Many{Lines: 2}, 1); err != nil {
		log.Fatal(err)
	}
	fmt.Print(text.String())
	// Output:
	// prints.Many[0]: item 0 line 0
	// prints.Many[0]: item 0 line 1
}
