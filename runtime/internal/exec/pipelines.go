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

// maxPipelines is the number of pipelines that a device keeps in addition to pipelines in use. If
// more pipelines exist, the device frees the pipelines that have not been used for the longest
// time. Later launches make freed pipelines again. Drivers need about 200 KB for each pipeline.
const maxPipelines = 512

// Pipelines contains the pipelines of a device, by kernel and constants. The first caller that
// requests a pipeline makes the pipeline, and other callers that request the same pipeline wait.
// Callers that request another pipeline never wait, because mu is never locked while the driver
// compiles.
type Pipelines struct {
	mu       sync.Mutex
	all      map[pipelineKey]*Pipeline // maps a kernel and a hash to a linked list of pipelines; nil after Close
	count    int
	clock    uint64
	maxCount int // number of pipelines above which unused pipelines are freed
	total    atomic.Int64
	maker    Maker
	of       *stream.Stream
}

// Maker makes the pipelines of a device. If Make fails, all callers that wait for the pipeline get
// the error.
type Maker interface {
	Make(k *Kernel, s Shape, desc hal.PipelineDesc) (hal.Pipeline, error)
}

type pipelineKey struct {
	kernel *Kernel
	hash   uint64
}

// Shape, the kernel, and the values of the kernel's constants together identify a pipeline.
type Shape struct {
	Local    [3]int // work-group size, in the order of the kernel's indexes
	SubGroup int    // sub-group size that the launch requires, or 0
	Small    bool   // use the module for small launches
	Cancel   bool   // use a variant that can be cancelled
	Native   bool   // use the device's own matrix instructions, if possible
}

// Pipeline is a kernel with values for all its specialization constants.
type Pipeline struct {
	// Code is the backend's pipeline. Handle represents the pipeline as memory that commands use,
	// so that a stream frees the pipeline after the last command. Code and Handle are set before
	// Find returns the pipeline.
	Code   hal.Pipeline
	Handle *stream.Memory
	Shape  Shape

	key   pipelineKey
	specs []hal.SpecValue
	done  chan struct{} // closed when the pipeline has been made, or could not be made
	err   error

	// The field `users` counts the users of the pipeline, for example Executables, graphs and
	// launches that are being prepared. While `users` is above zero, the pipeline is not freed. To
	// increase `users` from zero, Pipelines.mu must be locked.
	users atomic.Int64

	// Pipelines.mu guards the fields below.
	next  *Pipeline // next pipeline with the same hash
	ready bool
	gone  bool   // the pipeline has been removed from Pipelines
	used  uint64 // value of Pipelines.clock when the pipeline was last requested
}

// pipelineMemory is a pipeline that implements hal.Memory. Therefore a stream can free the
// pipeline when the last batch that uses the pipeline has completed, as if the pipeline were memory.
// A pipelineMemory contains no bytes.
type pipelineMemory struct{ hal.Pipeline }

func (pipelineMemory) Size() uint64    { return 0 }
func (pipelineMemory) Address() uint64 { return 0 }
func (pipelineMemory) Bytes() []byte   { return nil }

// Init initializes the pipelines of a device. The argument `of` is the device's stream, which frees
// pipelines.
func (s *Pipelines) Init(m Maker, of *stream.Stream) {
	s.all, s.maxCount, s.maker, s.of = map[pipelineKey]*Pipeline{}, maxPipelines, m, of
}

// The method Made returns the number of pipelines that have been made so far.
func (s *Pipelines) Made() int { return int(s.total.Load()) }

// SetMost sets the number of pipelines above which unused pipelines are freed. SetMost is for
// tests.
func (s *Pipelines) SetMost(n int) { s.maxCount = n }

// The method Of, which is for tests, calls `yield` for each pipeline of the kernel k.
func (s *Pipelines) Of(k *Kernel, yield func(*Pipeline)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, p := range s.all {
		for ; p != nil && key.kernel == k; p = p.next {
			yield(p)
		}
	}
}

// LetGo removes a user of the pipeline. Without users, the device may free the pipeline.
func (p *Pipeline) LetGo() { p.users.Add(-1) }

// Hold adds a user to a pipeline that already has a user.
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

// Find returns the pipeline of the kernel for a launch, and makes the caller a user of the
// pipeline. If the pipeline does not exist yet, Find makes the pipeline. If ctx ends while Find
// waits, Find returns the error of ctx, but the driver still completes the pipeline for later
// launches. After Close, Find returns ErrClosed.
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

// makePipeline makes a pipeline that getPipeline has returned as a new pipeline.
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

// errNotBegun is the error of a pipeline if ctx ended before Find began to make it. Callers that
// wait for the pipeline then try again.
var errNotBegun = errors.New("BUG: nobody made the pipeline")

// getPipeline returns a pipeline, and makes the caller a user of the pipeline. If the pipeline is
// new, the result `first` is true, and the caller must make the pipeline. After Close, getPipeline
// returns nil.
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

// The method Again makes the caller a user of a pipeline that Find has returned earlier. If the
// pipeline has been removed since then, Again returns false.
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

// markMade marks a pipeline as ready. If there are too many pipelines, markMade removes and returns
// old pipelines, which the caller must free.
func (s *Pipelines) markMade(v *Pipeline) (old []*Pipeline) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v.ready = true
	close(v.done)
	if s.count <= s.maxCount {
		return nil
	}
	// Remove a quarter of the pipelines at once, because finding the oldest pipelines requires
	// looking at all pipelines.
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

// removePipeline removes a pipeline from the map of pipelines, unless Close has removed all
// pipelines.
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

// Close removes all pipelines. The pipelines are freed when the device is closed.
func (s *Pipelines) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = nil
}
