package runtime

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// CheckError lists the errors that the host device's checked mode found in a kernel.
type CheckError struct {
	Kernel   string // package and name, such as "saxpy.SAXPY"
	Findings []Finding
}

// Finding is one error in a kernel.
type Finding struct {
	Kind FindingKind
	Pos  string // file:line:col in the kernel's source
	// Other is the source position of a race's second access, or of a second barrier. Other is ""
	// if the finding has only one position.
	Other   string
	Message string
}

// FindingKind says which mistake in a kernel a [Finding] reports.
type FindingKind uint8

// The kinds of findings.
const (
	// FindRace means that two work-items access the same memory in no defined order, and at least
	// one of them writes.
	FindRace FindingKind = iota
	// FindUnwritten means that a work-item loads work-group memory that no work-item has written.
	FindUnwritten
	// FindDivergence means that work-items of a group wait at different barriers.
	FindDivergence
	// FindNotUniform means that the argument of dsl.Uniform is not uniform.
	FindNotUniform
)

// Error returns a line for each finding, such as
//
//	saxpy.SAXPY: saxpy/kernel.go:18:2: a data race: this store by work-item [1 0 0] and ...
func (e *CheckError) Error() string {
	var b strings.Builder
	for i, f := range e.Findings {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s: %s: %s", e.Kernel, f.Pos, f.Message)
	}
	return b.String()
}

func newCheckError(k *Kernel, found []hal.Finding) *CheckError {
	e := &CheckError{Kernel: k.Name()}
	for _, f := range found {
		e.Findings = append(e.Findings, Finding{FindingKind(f.Kind), f.Pos, f.Other, f.Message})
	}
	return e
}
