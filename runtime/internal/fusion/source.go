package fusion

import (
	"fmt"
	"path"
	"sync"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/back"
	"github.com/kgen-go/kgen/codegen/ir"
	"github.com/kgen-go/kgen/codegen/pass/facts"
)

// Source contains the IR of a kernel that may be fused with other kernels. The IR is read when it
// is first used.
type Source struct {
	ABI  *abi.Kernel
	once sync.Once

	module    *ir.Module // IR of the kernel, which must not be changed
	paramUses []paramUse // use of memory for each parameter
	loops     bool
	whyAlone  string // reason why the kernel cannot be fused with any other kernel, or ""

	// accessPositions returns the footprints with source positions of the memory accesses. Messages
	// contain these positions.
	accessPositions func() []facts.Footprint
}

// paramUse describes how a kernel uses the memory of a parameter.
type paramUse struct {
	abi.Footprint
	Access   abi.Access
	ElemSize int
}

// readIR reads the IR and analyses the kernel's use of memory.
func (s *Source) readIR() {
	s.once.Do(func() {
		defer func() {
			if bug := recover(); bug != nil {
				s.whyAlone = fmt.Sprintf("BUG: its IR: %v", bug)
			}
		}()
		switch {
		case s.ABI.IR == "":
			s.whyAlone = "it has no IR, as kernels of LoadModule have none"
			return
		case s.ABI.Damaged() != "":
			s.whyAlone = "the file " + s.ABI.Damaged() + " is not the one that its stubs were written with"
			return
		}
		m, err := back.Restore(s.ABI)
		if err != nil {
			s.whyAlone = err.Error()
			return
		}
		s.module, s.loops = m, facts.HasLoop(m.Kernel)
		s.accessPositions = sync.OnceValue(func() []facts.Footprint { return facts.Footprints(m) })
		for _, p := range s.ABI.Params {
			s.paramUses = append(s.paramUses, paramUse{p.Footprint, p.Access, p.ElemSize})
		}
		if s.ABI.PrintParam() >= 0 {
			s.whyAlone = "it prints"
		}
		if m.UsesGroup && m.Form != abi.NDRange {
			s.whyAlone = "it has barriers or group operations without an nd-range"
		}
		for _, v := range s.ABI.Variants {
			if v.Cancel {
				s.whyAlone = "it can be cancelled (//kgen:cancel)"
			}
		}
	})
}

// sourceName returns the kernel's name as Go source writes it.
func (s *Source) sourceName() string { return path.Base(s.ABI.Package) + "." + s.ABI.Name }

// valueCount returns the number of values in the kernel's IR.
func (s *Source) valueCount() int { return s.module.Len() }

// accessText describes a kernel's access to a parameter, such as "k.go:3:4 writes Out".
func (s *Source) accessText(param int) string {
	return fmt.Sprintf("%s %s %s", s.accessPosition(param), s.accessVerb(param), s.ABI.Params[param].Name)
}

// elementText returns the accessed element of a parameter in Go notation, such as "Out[i+1]". If
// this text is too long, elementText returns only the name of the parameter.
func (s *Source) elementText(param int) string {
	name := s.ABI.Params[param].Name
	if index := s.accessPositions()[param].Index; index != "" {
		return fmt.Sprintf("%s[%s]", name, index)
	}
	return name
}

// accessVerb returns a verb for a kernel's access to a parameter, such as "reads".
func (s *Source) accessVerb(param int) string {
	f := &s.paramUses[param]
	verb := map[abi.Access]string{abi.Read: "reads", abi.Write: "writes", abi.ReadWrite: "reads and writes"}[f.Access]
	if f.Atomic {
		verb = "has atomic operations on"
	}
	return verb
}

// accessPosition returns the source position of an access to a parameter or, if the position is
// unknown, the kernel's name.
func (s *Source) accessPosition(param int) string {
	if pos := s.accessPositions()[param].Pos; pos.File != "" {
		return pos.String()
	}
	return s.sourceName()
}
