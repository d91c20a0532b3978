package exec

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// maxPipelines is the number of pipelines that a device keeps in addition to those of live
// Executables. If more pipelines exist, the device frees the pipelines that were launched longest
// ago. Later launches make freed pipelines again. Drivers need about 200 KB for each pipeline.
const maxPipelines = 512

// Pipelines contains the pipelines of a device, by kernel and constants. The first caller that asks
// for a pipeline makes it. Other callers that ask for the same pipeline wait. Launches of other
// pipelines never wait, because mu is never held while the driver compiles.
type Pipelines struct {
	mu       sync.Mutex
	all      map[pipelineKey]*Pipeline // maps a key's hash to a chain of pipelines with that hash; nil when closed
	count    int
	clock    uint64
	maxCount int // largest number of pipelines that are kept
	total    atomic.Int64
	maker    Maker
	of       *stream.Stream
}

// Maker makes the pipelines of a device. All callers that wait for a pipeline get the errors of its
// Maker.
type Maker interface {
	Make(k *Kernel, s Shape, desc hal.PipelineDesc) (hal.Pipeline, error)
}

type pipelineKey struct {
	kernel *Kernel
	hash   uint64
}

// Shape contains the facts that, with the kernel and the values of its constants, identify a
// pipeline.
type Shape struct {
	Local    [3]int // the work-group size, in the order of the kernel's indexes
	SubGroup int    // sub-group size that the launch requires, or 0
	Small    bool   // use the module for small launches
	Cancel   bool   // use a variant whose work-items return when the host asks for it
	Native   bool   // use the device's own matrix instructions, if possible
}

// Pipeline is a kernel with values for all its specialization constants.
type Pipeline struct {
	// Code is the backend's pipeline. Handle frees the backend's pipeline when no batch uses it any
	// more. Code and Handle are set once Find has returned the pipeline.
	Code   hal.Pipeline
	Handle *stream.Memory
	Shape  Shape

	key   pipelineKey
	specs []hal.SpecValue
	done  chan struct{} // closed when the pipeline is made, or when making it has failed
	err   error

	// The field users is the number of users of the pipeline, which are Executables and launches in
	// preparation. While users is above zero, the pipeline is not freed. Pipelines.mu must be
	// locked while users grows from zero.
	users atomic.Int64

	// Pipelines.mu guards the fields below.
	next  *Pipeline // next pipeline with the same hash
	ready bool
	gone  bool   // the pipeline was removed from Pipelines
	used  uint64 // value of the clock at the last request
}

// pipelineMemory lets a stream free a pipeline as it frees memory, when the last batch that uses it
// has completed. Commands cannot access a pipelineMemory as memory.
type pipelineMemory struct{ hal.Pipeline }

func (pipelineMemory) Size() uint64    { return 0 }
func (pipelineMemory) Address() uint64 { return 0 }
func (pipelineMemory) Bytes() []byte   { return nil }

// Init prepares the pipelines of a device. The stream of the device frees the pipelines.
func (s *Pipelines) Init(m Maker, of *stream.Stream) {
	s.all, s.maxCount, s.maker, s.of = map[pipelineKey]*Pipeline{}, maxPipelines, m, of
}

// Made returns the number of pipelines made so far.
func (s *Pipelines) Made() int { return int(s.total.Load()) }

// SetMost sets the number of pipelines that are kept, for tests.
func (s *Pipelines) SetMost(n int) { s.maxCount = n }

// Of yields the pipelines of the kernel k. Only tests call Of.
func (s *Pipelines) Of(k *Kernel, yield func(*Pipeline)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, p := range s.all {
		for ; p != nil && key.kernel == k; p = p.next {
			yield(p)
		}
	}
}

// LetGo ends a use of the pipeline, so that the device may free it.
func (p *Pipeline) LetGo() { p.users.Add(-1) }

// Hold adds a user to a pipeline that already has one.
func (p *Pipeline) Hold() { p.users.Add(1) }

// hashSpecs returns a hash (FNV-1a, by 32-bit words) of everything that distinguishes a
// kernel's pipelines.
func (s Shape) hashSpecs(specs []hal.SpecValue) uint64 {
	h := uint64(14695981039346656037)
	mix := func(v uint64) {
		h = (h ^ v) * 1099511628211
		h ^= h >> 29
	}
	for _, n := range s.Local {
		mix(uint64(n))
	}
	mix(uint64(s.SubGroup))
	if s.Small {
		mix(1)
	}
	if s.Cancel {
		mix(2)
	}
	if s.Native {
		mix(3)
	}
	for i := range specs {
		mix(uint64(specs[i].ID)<<8 | uint64(specs[i].Size))
		mix(specs[i].Bits)
	}
	return h
}

// Find returns the pipeline of the kernel for a launch, and makes the caller one of its users. If
// the pipeline does not exist yet, Find makes it. If ctx ends during the wait, Find returns the
// error of ctx. The pipeline is still completed, and the next launch finds it. After Close, Find
// returns ErrClosed.
func (s *Pipelines) Find(ctx context.Context, k *Kernel, sh Shape, local [3]uint32, l *Launch) (*Pipeline, error) {
	key := pipelineKey{k, sh.hashSpecs(l.Specs)}
	for {
		p, ready, first := s.getPipeline(key, sh, l.Specs)
		switch {
		case p == nil:
			return nil, ErrClosed
		case ready:
			return p, nil
		case first:
			if err := ctx.Err(); err != nil {
				s.removeFailed(p, errNotBegun)
				p.LetGo()
				return nil, err
			}
			desc := hal.PipelineDesc{
				Kernel: k.ABI, Specs: p.specs, LocalSize: local,
				SubGroupSize: sh.SubGroup, Host: k.Host, HostSpecs: slices.Clone(l.HostSpecs),
			}
			if ctx.Done() == nil {
				s.makePipeline(k, p, desc)
			} else {
				go s.makePipeline(k, p, desc)
			}
		}
		select {
		case <-p.done:
		case <-ctx.Done():
			p.LetGo()
			return nil, ctx.Err()
		}
		if p.err == nil {
			return p, nil
		}
		p.LetGo()
		if p.err != errNotBegun {
			return nil, p.err
		}
	}
}

// makePipeline makes a pipeline. getPipeline must have returned the pipeline, and true as the
// result first.
func (s *Pipelines) makePipeline(k *Kernel, p *Pipeline, desc hal.PipelineDesc) {
	h, err := s.maker.Make(k, p.Shape, desc)
	if err != nil {
		s.removeFailed(p, err)
		return
	}
	s.total.Add(1)
	p.Code, p.Handle = h, s.of.NewMemory(pipelineMemory{h})
	for _, old := range s.markMade(p) {
		old.Handle.Free()
	}
}

// ErrClosed is the error that Find returns after Close.
var ErrClosed = errors.New("the device is closed")

// errNotBegun is the error of a pipeline that no caller has begun to make.
var errNotBegun = errors.New("BUG: nobody made the pipeline")

// getPipeline returns a pipeline and makes the caller one of its users. If the pipeline is new, the
// result first is true, and the caller must make the pipeline. getPipeline returns nil if the device is
// closed.
func (s *Pipelines) getPipeline(key pipelineKey, sh Shape, specs []hal.SpecValue) (v *Pipeline, ready, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		return nil, false, false
	}
	s.clock++
	for v = s.all[key]; v != nil; v = v.next {
		if v.Shape == sh && slices.Equal(v.specs, specs) {
			v.used = s.clock
			v.users.Add(1)
			return v, v.ready, false
		}
	}
	v = &Pipeline{key: key, Shape: sh, specs: slices.Clone(specs), done: make(chan struct{}), next: s.all[key], used: s.clock}
	v.users.Add(1)
	s.all[key] = v
	s.count++
	return v, false, true
}

// The method Again makes the caller a user of a pipeline that an earlier call of getPipeline returned.
// The method Again returns false if the pipeline has been removed since.
func (s *Pipelines) Again(v *Pipeline) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil || v.gone || !v.ready {
		return false
	}
	s.clock++
	v.used = s.clock
	v.users.Add(1)
	return true
}

// removeFailed removes a pipeline that could not be made, so that the next launch tries again.
func (s *Pipelines) removeFailed(v *Pipeline, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removePipeline(v)
	v.err = err
	close(v.done)
}

// markMade marks a pipeline as ready. markMade returns older pipelines that the
// caller must free, because there are too many.
func (s *Pipelines) markMade(v *Pipeline) (old []*Pipeline) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v.ready = true
	close(v.done)
	if s.count <= s.maxCount {
		return nil
	}
	// Remove a quarter of the pipelines at once, because finding the oldest ones needs a walk
	// through all.
	var free []*Pipeline
	for _, c := range s.all {
		for ; c != nil; c = c.next {
			if c.ready && c.users.Load() == 0 {
				free = append(free, c)
			}
		}
	}
	slices.SortFunc(free, func(a, b *Pipeline) int { return cmp.Compare(a.used, b.used) })
	old = free[:min(len(free), s.count-s.maxCount+s.maxCount/4)]
	for _, c := range old {
		s.removePipeline(c)
	}
	return old
}

// removePipeline removes a pipeline from its chain, if the device is not closed.
func (s *Pipelines) removePipeline(v *Pipeline) {
	v.gone = true
	if s.all == nil {
		return
	}
	s.count--
	if head := s.all[v.key]; head != v {
		for head.next != v {
			head = head.next
		}
		head.next = v.next
	} else if v.next != nil {
		s.all[v.key] = v.next
	} else {
		delete(s.all, v.key)
	}
}

// Close removes all pipelines. Closing the device frees the pipelines.
func (s *Pipelines) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = nil
}
