package runtime

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/stream"
)

// maxVariants is how many pipelines a device keeps that no live Executable promises.
// Past it the ones that were not launched for longest are freed, and made again when
// they are launched. Drivers take about 200 KB for each.
const maxVariants = 512

// variants are the pipelines of a device, by what they were made of. A pipeline is made
// by the first who asks for it; others that ask for the same one wait for that, and
// nobody else does: mu is never held while the driver works.
type variants struct {
	mu    sync.Mutex
	all   map[variantKey]*variant // chains of those with one hash; nil when closed
	count int
	clock uint64
	most  int // bound of count
}

type variantKey struct {
	kernel *Kernel
	hash   uint64
}

// shape is what tells a kernel's pipelines apart, but for the values of constants.
type shape struct {
	local    [3]int // work-group size in index order
	subGroup int
	small    bool
	cancel   bool // work-items leave when they are asked to
}

// variant is a kernel with all its constants set.
type variant struct {
	key   variantKey
	shape shape
	specs []hal.SpecValue

	done     chan struct{} // closed when the pipeline is made, or was not
	pipeline hal.Pipeline
	handle   *stream.Memory // frees the pipeline when no batch uses it any more
	err      error

	// users are launches on their way and Executables: none of them may lose the
	// pipeline. It grows under variants.mu only.
	users atomic.Int64

	// Guarded by variants.mu.
	next  *variant // with the same key
	ready bool
	gone  bool   // it is none of the device's any more
	used  uint64 // when it was last asked for
}

// pipelineMemory lets a stream free a pipeline as it frees memory: when the last batch
// that uses it has completed. It has no memory that a command could name.
type pipelineMemory struct{ hal.Pipeline }

func (pipelineMemory) Size() uint64    { return 0 }
func (pipelineMemory) Address() uint64 { return 0 }
func (pipelineMemory) Bytes() []byte   { return nil }

func (s *variants) init() { s.all, s.most = map[variantKey]*variant{}, maxVariants }

// hash mixes all that tells pipelines apart (FNV-1a, by words).
func (s shape) hash(specs []hal.SpecValue) uint64 {
	h := uint64(14695981039346656037)
	mix := func(v uint64) {
		h = (h ^ v) * 1099511628211
		h ^= h >> 29
	}
	for _, n := range s.local {
		mix(uint64(n))
	}
	mix(uint64(s.subGroup))
	if s.small {
		mix(1)
	}
	if s.cancel {
		mix(2)
	}
	for i := range specs {
		mix(uint64(specs[i].ID)<<8 | uint64(specs[i].Size))
		mix(specs[i].Bits)
	}
	return h
}

// find sets the plan's variant, which is made if it is not there. The wait for that
// ends with ctx, and making it goes on: the next launch finds it. Whoever calls it
// calls p.letGo.
func (d *Device) find(ctx context.Context, k *Kernel, c *exec.Launch, p *plan) error {
	if p.variant != nil {
		return nil
	}
	local := deviceOrder(c.Rank, p.local)
	cancel := c.Cancel != nil && !d.direct() && k.leaves()
	sh := shape{p.local, p.subGroup, !cancel && d.hasSmall(k) && k.isSmall(c), cancel}
	reservedSpecs(c, local, d.correct, d.byFma, d.flushes, d.whole(local))
	v, err := d.variant(ctx, k, sh, local, c)
	p.variant = v
	return err
}

// hasSmall reports whether small launches of the kernel have a module of their own.
func (d *Device) hasSmall(k *Kernel) bool {
	if !d.small || k.small == nil || d.direct() {
		return false
	}
	v, missing := k.variant(d.Has, false)
	return v == nil && missing == 0
}

// letGo ends the plan's use of its variant.
func (p *plan) letGo() {
	if p.variant != nil {
		p.variant.users.Add(-1)
		p.variant = nil
	}
}

// variant returns a variant for whoever counts as its user from then on.
func (d *Device) variant(ctx context.Context, k *Kernel, sh shape, local [3]uint32, c *exec.Launch) (*variant, error) {
	key := variantKey{k, sh.hash(c.Specs)}
	for {
		v, ready, first := d.variants.get(key, sh, c.Specs)
		switch {
		case v == nil:
			return nil, d.usable()
		case ready:
			return v, nil
		case first:
			if err := ctx.Err(); err != nil {
				d.variants.failed(v, errNotBegun)
				v.users.Add(-1)
				return nil, waitError(err)
			}
			desc := hal.PipelineDesc{
				Kernel: k.abi, Specs: v.specs, LocalSize: local,
				SubGroupSize: sh.subGroup, Host: k.host, HostSpecs: slices.Clone(c.HostSpecs),
			}
			if ctx.Done() == nil {
				d.make(k, v, desc)
			} else {
				go d.make(k, v, desc)
			}
		}
		select {
		case <-v.done:
		case <-ctx.Done():
			v.users.Add(-1)
			return nil, waitError(ctx.Err())
		}
		if v.err == nil {
			return v, nil
		}
		v.users.Add(-1)
		if v.err != errNotBegun {
			return nil, v.err
		}
	}
}

// errNotBegun is the end of a variant that nobody has begun to make.
var errNotBegun = errors.New("BUG: nobody made the pipeline")

// get returns the variant, new if it is not there: then first is true, and the caller
// makes it. The caller is a user of it. It returns nil if the device is closed.
func (s *variants) get(key variantKey, sh shape, specs []hal.SpecValue) (v *variant, ready, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		return nil, false, false
	}
	s.clock++
	for v = s.all[key]; v != nil; v = v.next {
		if v.shape == sh && slices.Equal(v.specs, specs) {
			v.used = s.clock
			v.users.Add(1)
			return v, v.ready, false
		}
	}
	v = &variant{key: key, shape: sh, specs: slices.Clone(specs), done: make(chan struct{}), next: s.all[key], used: s.clock}
	v.users.Add(1)
	s.all[key] = v
	s.count++
	return v, false, true
}

// again makes the caller a user of a variant that get has returned before, and reports false if
// the device has let go of it since.
func (s *variants) again(v *variant) bool {
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

// make makes a variant's pipeline.
func (d *Device) make(k *Kernel, v *variant, desc hal.PipelineDesc) {
	start := hal.Now()
	h, taken, err := d.build(k, desc, v.shape.small, v.shape.cancel)
	d.made(k, v, taken, h, err, start)
	if err != nil {
		if e := new(Error); !errors.As(err, &e) {
			if e = d.unbacked(k, desc.Specs, err); e == nil {
				e = backendError(d, k, "the device "+d.Name()+" does not take the kernel", err)
			}
			err = e
		}
		d.variants.failed(v, err)
		return
	}
	d.pipelines.Add(1)
	v.pipeline, v.handle = h, d.stream.NewMemory(pipelineMemory{h})
	for _, old := range d.variants.made(v) {
		old.handle.Free()
	}
}

// failed removes a variant that was not made, so that the next launch tries again.
func (s *variants) failed(v *variant, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(v)
	v.err = err
	close(v.done)
}

// made notes that a variant is ready, and returns those that have to go for it.
func (s *variants) made(v *variant) (old []*variant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v.ready = true
	close(v.done)
	if s.count <= s.most {
		return nil
	}
	// A quarter at once: looking for the oldest takes a walk through all.
	var free []*variant
	for _, c := range s.all {
		for ; c != nil; c = c.next {
			if c.ready && c.users.Load() == 0 {
				free = append(free, c)
			}
		}
	}
	slices.SortFunc(free, func(a, b *variant) int { return cmp.Compare(a.used, b.used) })
	old = free[:min(len(free), s.count-s.most+s.most/4)]
	for _, c := range old {
		s.remove(c)
	}
	return old
}

// remove takes a variant out of its chain, if the device is not closed.
func (s *variants) remove(v *variant) {
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

// close lets go of all variants. The device's end frees them.
func (s *variants) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = nil
}

// build makes a pipeline of the kernel's module, or of the variant that the device
// needs, or of that for small launches, or one that leaves when it is asked to; it returns which,
// nil for the kernel's own. Where the
// driver fails on the module, as compilers do, a variant may do: it is other code for the
// same results.
func (d *Device) build(k *Kernel, desc hal.PipelineDesc, small, cancel bool) (h hal.Pipeline, taken *abi.Variant, err error) {
	if d.direct() {
		h, err = d.newPipeline(&desc)
		return h, nil, err
	}
	if k.own != nil {
		if err := d.checkModule(k.own, k.abi, desc.Specs); err != nil {
			return nil, nil, err.about(k)
		}
	}
	if name := k.abi.Damaged(); name != "" {
		return nil, nil, errorf(ErrBuild, "the file %s that was built in is not the one that its stubs were written with", name).about(k).
			advise("run kgen again, and commit what it writes")
	}
	v, missing := k.variant(d.Has, cancel)
	if missing != 0 && cancel {
		v, missing = k.variant(d.Has, false)
	}
	if missing != 0 {
		return nil, nil, d.lacks(k, "needs", missing).about(k)
	}
	d.passedOver(k, v)
	if v == nil && small {
		if h, err := d.buildVariant(k, k.small, desc); err == nil {
			return h, k.small, nil
		}
	}
	h, err = d.buildVariant(k, v, desc)
	if cancel && errors.Is(err, hal.ErrPipeline) {
		return d.build(k, desc, false, false) // which runs, if it does not leave
	}
	if v == nil && errors.Is(err, hal.ErrPipeline) {
		for i := range k.abi.Variants {
			if k.abi.Variants[i].Products != nil || k.abi.Variants[i].Cancel != cancel {
				continue
			}
			if h, err := d.buildVariant(k, &k.abi.Variants[i], desc); err == nil {
				return h, &k.abi.Variants[i], nil
			}
		}
	}
	return h, v, err
}

// buildVariant makes a pipeline of the kernel's own module, if v is nil, or of v.
func (d *Device) buildVariant(k *Kernel, v *abi.Variant, desc hal.PipelineDesc) (hal.Pipeline, error) {
	desc.SPIRV, desc.Loops = k.module(v), k.abi.Loops
	if v != nil {
		desc.Loops, desc.Cancels = v.Loops, v.Cancel
	}
	if v != nil && slices.Contains(v.Without, properties.Int64) {
		desc.Specs = splitSpecs(k.abi, desc.Specs)
	}
	h, err := d.newPipeline(&desc)
	if err != nil {
		d.refused(k, v, err.Error())
	}
	return h, err
}

func (d *Device) newPipeline(desc *hal.PipelineDesc) (hal.Pipeline, error) {
	if !d.stream.Enter() {
		return nil, stream.ErrClosed
	}
	defer d.stream.Leave()
	return d.hal.NewPipeline(desc)
}
