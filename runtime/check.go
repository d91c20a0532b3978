package runtime

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/matrix"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/exec"
	"github.com/kgen-go/kgen/runtime/internal/launch"
)

// checkLaunch compares a launch with its kernel and the device, before anything is dispatched. If a
// launch has several errors, the order of the checks decides which error is returned.
func (d *Device) checkLaunch(k *Kernel, c *exec.Launch, o *launchOptions) (exec.Plan, error) {
	var p exec.Plan
	if c.Form != k.abi.Form || c.Rank != k.abi.Rank {
		return p, errorf(ErrInvalid, "BUG: a launch of form %v and rank %d for a kernel of form %v and rank %d",
			c.Form, c.Rank, k.abi.Form, k.abi.Rank).setKernel(k)
	}
	if err := d.checkArguments(k, c); err != nil {
		return p, err.setKernel(k)
	}
	p, err := d.planFor(k, c, o)
	if err != nil {
		return p, err
	}
	if err := k.checkVariables(); err != nil {
		return p, err.setKernel(k)
	}
	return p, nil
}

// planFor does only some checks of checkLaunch. The results of these checks cannot change until the
// launch runs. For example, planFor does not check whether buffers are open.
func (d *Device) planFor(k *Kernel, c *exec.Launch, o *launchOptions) (exec.Plan, error) {
	var p exec.Plan
	if err := k.checkStated(); err != nil {
		return p, err
	}
	props, err := mergeProperties(k, o.props)
	if err != nil {
		return p, err.setKernel(k)
	}
	p.Props = props
	p.Options = len(o.props) > 0 || len(o.specs) > 0 || o.exe != nil || len(o.valuesOf) > 0 || len(o.printing) > 0
	// First check the kernel's requirements that do not depend on the launch.
	if p.SubGroup, err = d.checkSupport(k, props); err != nil {
		return p, err.setKernel(k)
	}
	if err := checkRange(c, &p); err != nil {
		return p, err.setKernel(k)
	}
	if err := d.checkWorkGroup(k, c, props, &p); err != nil {
		return p, err.setKernel(k)
	}
	if k.output != nil {
		if p.Print, err = d.printing.withOptions(o.printing); err != nil {
			return p, err.setKernel(k)
		}
	}
	if d.isHost() && k.code.Host == nil {
		return p, errorf(ErrKernelNotSupported, "it has no Go code that the host device could run").setKernel(k)
	}
	set, err := o.settingsFor(d, k)
	if err != nil {
		return p, err.setKernel(k)
	}
	if err := resolveSpecs(k, c, set); err != nil {
		return p, err.setKernel(k)
	}
	local, wrong := d.checkLocalMemory(k, c, p.SubGroup)
	if wrong != nil && d.fitsNative(k, c, &p) {
		local, wrong = 0, nil
	}
	if wrong != nil {
		return p, wrong.setKernel(k)
	}
	p.LocalMemory = local
	p.Native, _ = d.usesNative(k, p.Local, p.SubGroup)
	if err := d.checkPrivateMemory(k, c.Specs); err != nil {
		return p, err.setKernel(k)
	}
	return p, nil
}

// checkVariables checks the package-level variables that the kernel reads. The kernel's modules
// contain the variables' values as constants, so the variables must not have changed.
func (k *Kernel) checkVariables() *Error {
	v := k.watch.Changed()
	switch {
	case v == nil:
		return nil
	case v.Sum == 0:
		return errorf(ErrInvalid, "the variable %s (%s) is another specialization constant than it was at first", v.Name, v.Pos).
			advise("set the constant's value with runtime.WithSpec or runtime.SetSpec")
	}
	return errorf(ErrInvalid, "the package-level variable %s (%s) has another value than kgen compiled into the kernel", v.Name, v.Pos).
		advise("pass what changes as a field of the kernel; if the source has the other value, run kgen again")
}

// checkSupport checks that the device has the work-group size, the aspects and the sub-group size
// that the kernel demands.
func (d *Device) checkSupport(k *Kernel, props properties.List) (subGroup int, err *Error) {
	if w, ok := props.Get(properties.KeyWorkGroupSize); ok {
		if limit, ok := d.fitsWorkGroup(w.Dims()); !ok {
			return 0, errorf(ErrKernelNotSupported, "its work-group size %v is above the limit of the device %s, %s", w.Dims(), d.Name(), limit)
		}
	}
	if err := d.checkAspects(k, props); err != nil {
		return 0, err
	}
	return d.checkSubGroup(props)
}

func (d *Device) checkArguments(k *Kernel, c *exec.Launch) *Error {
	for i := range c.Placed {
		a := &c.Placed[i]
		name := k.abi.Params[a.Param].Name
		if a.Len == launch.NoBuffer {
			return errorf(ErrKernelArgument, "%s is a view of a nil buffer", name).advise(nilBuffer)
		}
		if a.View.Bad {
			return errorf(ErrInvalid, "%s is a view with properties that views do not have", name).
				advise("give a view AccessScope, FusionInternalMemory and NoInit alone")
		}
		if a.Mem == nil {
			continue
		}
		if a.Mem.Stream() != d.stream {
			return foreignView(name, deviceOf(a.Mem), d)
		}
		if a.Mem.Released() {
			return errorf(ErrKernelArgument, "%s is a view of a closed buffer", name)
		}
	}
	n := 0
	for i := range k.abi.Params {
		if k.abi.Params[i].Kind != abi.LocalAccessor {
			continue
		}
		if l := c.Accessors[n]; l < 1 || l > math.MaxInt32 {
			return errorf(ErrKernelArgument, "%s is a local accessor of %d elements", k.abi.Params[i].Name, l).
				advise("set it with dsl.LocalLen to at least 1, and to what a work-group has memory for")
		}
		n++
	}
	return nil
}

func mergeProperties(k *Kernel, extra properties.List) (properties.List, *Error) {
	if len(extra) == 0 {
		return k.abi.Properties, nil
	}
	if err := extra.Validate(); err != nil {
		return nil, &Error{Class: ErrInvalid, Problem: "the launch's properties", Err: err}
	}
	for _, p := range extra {
		if p.Key().OfGraphs() {
			return nil, errorf(ErrInvalid, "%v is a property of graphs, and not of launches", p).advise("give it to Graph.Finalize")
		}
		if p.Key().OfMemory() {
			return nil, errorf(ErrInvalid, "%v is a property of memory, and not of launches", p).advise("give it to NewBuffer, or to a view's method With")
		}
	}
	merged, err := k.abi.Properties.Merge(extra)
	if err != nil {
		return nil, &Error{Class: ErrInvalid, Problem: "the launch's properties", Err: err}
	}
	// A launch cannot change the floating-point mode, because the mode is fixed when the module is
	// compiled.
	if p, ok := extra.Get(properties.KeyFloatMode); ok && !k.abi.Properties.Has(properties.KeyFloatMode) &&
		p.FloatMode() != properties.FloatGo {
		return nil, errorf(ErrInvalid, "%v cannot be set at a launch", p).
			advise("state it in the kernel's Properties method")
	}
	return merged, nil
}

// checkRange checks the sizes of a launch's range.
func checkRange(c *exec.Launch, p *exec.Plan) *Error {
	total := uint64(1)
	for i := range c.Rank {
		n := c.Global[i]
		switch {
		case n < 0:
			return errorf(ErrInvalid, "the range %v has a negative size", c.Global[:c.Rank])
		case n > maxRange:
			return errorf(ErrInvalid, "the range %v has a size above %d", c.Global[:c.Rank], maxRange)
		case c.Form == abi.NDRange && c.Local[i] < 0:
			return errorf(ErrInvalid, "the work-group size %v has a negative size", c.Local[:c.Rank])
		case n == 0:
			p.Empty = true
		}
	}
	for i := range c.Rank {
		hi, lo := bits.Mul64(total, uint64(c.Global[i]))
		if total = lo; !p.Empty && (hi != 0 || lo > math.MaxInt64) {
			return errorf(ErrInvalid, "the range %v has more work-items than an int counts", c.Global[:c.Rank])
		}
	}
	return nil
}

// checkWorkGroup chooses the work-group size. checkWorkGroup returns an error if the launch
// contradicts the kernel's requirements.
func (d *Device) checkWorkGroup(k *Kernel, c *exec.Launch, props properties.List, p *exec.Plan) *Error {
	p.Local = [3]int{1, 1, 1}
	var required, hint []int
	if w, ok := props.Get(properties.KeyWorkGroupSize); ok {
		required = w.Dims()
	}
	if w, ok := props.Get(properties.KeyWorkGroupSizeHint); ok {
		hint = w.Dims()
	}
	if c.Form == abi.Task {
		for _, n := range required {
			if n != 1 {
				return errorf(ErrNDRange, "a task has one work-item, and its work-group size is %v", required)
			}
		}
		return nil
	}
	for _, dims := range [2][]int{required, hint} {
		if dims != nil && len(dims) != c.Rank {
			return errorf(ErrNDRange, "its work-group size %v has not the %d dimensions of the launch", dims, c.Rank)
		}
	}
	if c.Form == abi.Range {
		switch _, ok := d.fitsWorkGroup(hint); {
		case required != nil:
			copy(p.Local[:], required)
		case hint != nil && ok:
			copy(p.Local[:], hint)
		default:
			p.Local = d.chooseLocal(c.Rank, c.Global)
		}
		return nil
	}
	local, global := c.Local[:c.Rank], c.Global[:c.Rank]
	copy(p.Local[:], local)
	if required != nil && !slices.Equal(local, required) && !(p.Empty && slices.Contains(local, 0)) {
		return errorf(ErrNDRange, "the launch's work-group size %v is not the kernel's, %v", local, required)
	}
	if p.Empty {
		return nil
	}
	for i := range local {
		switch {
		case local[i] == 0:
			return errorf(ErrNDRange, "the work-group size %v has no work-items", local)
		case global[i]%local[i] != 0:
			return errorf(ErrNDRange, "the range %v is no multiple of the work-group size %v", global, local).
				advise("round the range up with its method RoundUp and let the kernel skip the rest")
		}
	}
	if limit, ok := d.fitsWorkGroup(local); !ok {
		return errorf(ErrNDRange, "the work-group size %v is above the limit of the device %s, %s", local, d.Name(), limit)
	}
	return nil
}

// fitsWorkGroup reports whether the device can run work-groups of the size dims, in the order of
// the range's dimensions. If the device cannot run them, the first result describes the exceeded
// limit.
func (d *Device) fitsWorkGroup(dims []int) (string, bool) {
	l := &d.info.Limits
	items := uint64(1)
	for i, n := range dims {
		axis := len(dims) - 1 - i
		if n > l.MaxWorkGroupSize[axis] {
			return sprint(l.MaxWorkGroupSize[axis], " in dimension ", i), false
		}
		items *= uint64(n) // cannot overflow, because each factor is at most a device limit, which fits into an int
		if items > uint64(l.MaxWorkItems) {
			return sprint(l.MaxWorkItems, " work-items"), false
		}
	}
	return "", true
}

// checkLocalMemory returns the number of bytes of work-group memory that the kernel needs.
func (d *Device) checkLocalMemory(k *Kernel, c *exec.Launch, subGroup int) (total uint64, err *Error) {
	var crowded *Error
	for i := range k.abi.Locals {
		l := &k.abi.Locals[i]
		n := l.Len
		switch {
		case l.Matrices && d.isHost(): // the host device stores each matrix of a sub-group only once, not in work-group memory
			continue
		case l.Shape != "":
			held, least := d.matrixHeld(c, l.Len, subGroup)
			if n = 1; held > matrix.MaxHeld {
				n = d.matrixWords(c, l.Len, subGroup)
				crowded = cmp.Or(crowded, d.matrixError(l, held, least, n, subGroup))
			}
		case l.Matrices:
			n = d.matrixWords(c, l.Len, subGroup)
		case l.Expr != "":
			length, err := evalLength(k, l.Expr, c.Specs)
			if err != nil {
				return 0, err
			}
			n = int(length)
		case n >= 0:
		case l.Accessor >= 0:
			n = c.Accessors[l.Accessor]
		default: // memory for one element per work-item
			n = 1
			for _, size := range c.Local[:c.Rank] {
				n *= size // cannot overflow, because the sizes were compared with the device's limits
			}
		}
		hi, size := bits.Mul64(uint64(max(n, 0)), uint64(l.ElemSize))
		if total += size; hi != 0 || total > uint64(d.info.Limits.LocalMemory) || total < size {
			if crowded != nil {
				return 0, crowded
			}
			return 0, errorf(ErrMemoryAllocation, "its work-group memory takes %d bytes and more, and the device %s has %d",
				max(total, size), d.Name(), d.info.Limits.LocalMemory)
		}
	}
	return total, nil
}

// matrixWords returns the number of 32-bit words of work-group memory that a work-group needs for
// matrix products. The parameter `words` is the number of words that one sub-group needs.
func (d *Device) matrixWords(c *exec.Launch, words, subGroup int) int {
	items, size := 1, d.dividesSubGroups(subGroup)
	for _, n := range c.Local[:c.Rank] {
		items *= n // cannot overflow, because the sizes were compared with the device's limits
	}
	return (items + size - 1) / size * words
}

// matrixHeld returns the number of matrix elements that a work-item of the smallest sub-group
// holds, and the size of that sub-group.
func (d *Device) matrixHeld(c *exec.Launch, elements, subGroup int) (held, least int) {
	items, size := 1, d.dividesSubGroups(subGroup)
	for _, n := range c.Local[:c.Rank] {
		items *= n // cannot overflow, because the sizes were compared with the device's limits
	}
	if least = items % size; least == 0 {
		least = size
	}
	return (elements + least - 1) / least, least
}

// matrixError returns the error for a matrix that is too large, because each work-item would hold
// too many of its elements. matrixError is called if work-group memory is also too small for the
// matrix.
func (d *Device) matrixError(l *abi.Local, held, least, n, subGroup int) *Error {
	e := errorf(ErrKernelNotSupported, "each work-item of a sub-group of %d would hold %d elements of its matrix dsl.%s, and %d are the most; in work-group memory "+
		"it takes %d bytes for each sub-group, %d together, and the device %s has %d for all that the kernel keeps there",
		least, held, l.Shape, matrix.MaxHeld, l.Len*l.ElemSize, n*l.ElemSize, d.Name(), d.info.Limits.LocalMemory)
	if size := d.dividesSubGroups(subGroup); least < size {
		return e.advise("use work-groups whose size is a multiple of %d, or smaller matrices", size)
	}
	return e.advise("use smaller matrices, or work-groups of fewer sub-groups")
}

func (d *Device) checkAspects(k *Kernel, props properties.List) *Error {
	missing := func(list []properties.Aspect, verb string) *Error {
		var lacking []properties.Aspect
		for _, a := range list {
			if !d.Has(a) {
				lacking = append(lacking, a)
			}
		}
		if len(lacking) == 0 {
			return nil
		}
		return d.aspectError(k, verb, lacking...)
	}
	if err := missing(k.abi.Aspects, "needs"); err != nil {
		return err
	}
	if p, ok := props.Get(properties.KeyDeviceHas); ok {
		return missing(p.Aspects(), "requires")
	}
	return nil
}

// aspectError returns the error for a kernel that needs aspects that the device lacks. A kernel
// needs an aspect if the kernel's code uses the aspect, or if the kernel's properties list the
// aspect. For each use of an aspect in the code, the error contains the chain of calls that leads
// to the use.
func (d *Device) aspectError(k *Kernel, verb string, aspects ...properties.Aspect) *Error {
	e := &Error{Class: ErrKernelNotSupported}
	var names, chains []string
	for _, a := range aspects {
		names = append(names, a.String())
		for i := range k.abi.Uses {
			if u := &k.abi.Uses[i]; u.Aspect == a && verb == "needs" {
				e.Uses = append(e.Uses, *u)
				chains = append(chains, u.String())
			}
		}
	}
	noun := "aspect"
	if len(aspects) > 1 {
		noun = "aspects"
	}
	e.Problem = sprint("it ", verb, " the ", noun, " ", strings.Join(names, ", "), ", which the device ", d.Name(), " lacks")
	if len(chains) > 0 {
		e.Problem += ": " + strings.Join(chains, "; ")
	}
	return e
}

func (d *Device) checkSubGroup(props properties.List) (int, *Error) {
	p, ok := props.Get(properties.KeySubGroupSize)
	if !ok {
		return 0, nil
	}
	n := p.Dims()[0]
	lo, hi := d.info.SubGroups[0], d.info.SubGroups[1]
	if n < lo || n > hi || n&(n-1) != 0 {
		return 0, errorf(ErrKernelNotSupported, "it requires sub-groups of %d, and those of the device %s are powers of two from %d to %d",
			n, d.Name(), lo, hi)
	}
	return n, nil
}

// Compatible returns nil if the device can run the kernels. If the device cannot run a kernel,
// Compatible returns an error of class ErrKernelNotSupported. A launch of a kernel that the device
// cannot run always returns the same error as Compatible.
func (d *Device) Compatible(kernels ...*Kernel) error {
	if err := d.usable(); err != nil {
		return err
	}
	for _, k := range kernels {
		if k == nil {
			return errorf(ErrInvalid, "no kernel")
		}
		if _, err := d.checkSupport(k, k.abi.Properties); err != nil {
			return err.setKernel(k)
		}
	}
	return nil
}
