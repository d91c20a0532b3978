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

// Source is a kernel that may become part of a fused one. The kernel's IR is read at the first use.
type Source struct {
	ABI  *abi.Kernel
	once sync.Once

	module *ir.Module  // IR of the kernel, which must not be changed
	prints []footprint // footprint of each parameter
	loops  bool
	alone  string // reason why the kernel cannot be fused with any other, or ""

	// The function details returns the source positions of the accesses in the footprints. Messages
	// mention these positions.
	details func() []facts.Footprint
}

// footprint says how a kernel uses the memory of a parameter.
type footprint struct {
	abi.Footprint
	Access   abi.Access
	ElemSize int
}

// The method read reads the IR and analyses the kernel's use of memory.
func (s *Source) read() {
	s.once.Do(func() {
		defer func() {
			if bug := recover(); bug != nil {
				s.alone = fmt.Sprintf("BUG: its IR: %v", bug)
			}
		}()
		switch {
		case s.ABI.IR == "":
			s.alone = "it has no IR, as kernels of LoadModule have none"
			return
		case s.ABI.Damaged() != "":
			s.alone = "the file " + s.ABI.Damaged() + " is not the one that its stubs were written with"
			return
		}
		m, err := back.Restore(s.ABI)
		if err != nil {
			s.alone = err.Error()
			return
		}
		s.module, s.loops = m, facts.HasLoop(m.Kernel)
		s.details = sync.OnceValue(func() []facts.Footprint { return facts.Footprints(m) })
		for _, p := range s.ABI.Params {
			s.prints = append(s.prints, footprint{p.Footprint, p.Access, p.ElemSize})
		}
		if s.ABI.PrintParam() >= 0 {
			s.alone = "it prints"
		}
		if m.UsesGroup && m.Form != abi.NDRange {
			s.alone = "it has barriers or group operations without an nd-range"
		}
		for _, v := range s.ABI.Variants {
			if v.Cancel {
				s.alone = "it can be cancelled (//kgen:cancel)"
			}
		}
	})
}

// The method name returns the kernel's name as Go source writes it.
func (s *Source) name() string { return path.Base(s.ABI.Package) + "." + s.ABI.Name }

// The method size returns the number of values in the kernel's IR.
func (s *Source) size() int { return s.module.Len() }

// The method place returns a text with the source position and kind of a kernel's access to a
// parameter, such as "k.go:3:4 writes Out".
func (s *Source) place(param int) string {
	return fmt.Sprintf("%s %s %s", s.where(param), s.verb(param), s.ABI.Params[param].Name)
}

// The method element returns the accessed element, in the notation of Go source. The access is the
// access that the method place describes. If the text is too long, the method element returns only
// the parameter.
func (s *Source) element(param int) string {
	name := s.ABI.Params[param].Name
	if index := s.details()[param].Index; index != "" {
		return fmt.Sprintf("%s[%s]", name, index)
	}
	return name
}

// The method verb returns the verb for a kernel's access to a parameter.
func (s *Source) verb(param int) string {
	f := &s.prints[param]
	verb := map[abi.Access]string{abi.Read: "reads", abi.Write: "writes", abi.ReadWrite: "reads and writes"}[f.Access]
	if f.Atomic {
		verb = "has atomic operations on"
	}
	return verb
}

// The method where returns the source position of an access to a parameter, or the kernel's name.
func (s *Source) where(param int) string {
	if pos := s.details()[param].Pos; pos.File != "" {
		return pos.String()
	}
	return s.name()
}
