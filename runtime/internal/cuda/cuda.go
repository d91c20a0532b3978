package cuda

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// ErrNone is the error of all functions if the program was built without cgo, or for a system other
// than Linux.
var ErrNone = errors.New("cuda: the program was built without cgo, or not for Linux")

// UUID identifies a device. Vulkan and CUDA use the same UUIDs.
type UUID [16]byte

// Error is the failure of a call into CUDA's driver.
type Error struct {
	Call   string // name of the driver's function that failed
	Result string // name of the function's result code, such as CUDA_ERROR_OUT_OF_MEMORY
}

func (e *Error) Error() string { return "cuda: " + e.Call + ": " + e.Result }

// library is the driver's library, which the process opens once.
var library = struct {
	sync.Mutex
	name    string
	tried   bool
	err     error
	devices []UUID // UUIDs of the devices, in CUDA's order
}{name: "libcuda.so.1"}

// UseLibrary sets the name of the library that the package opens from now on, and returns the
// previous name. UseLibrary is for tests, and must be called while no Context is open.
func UseLibrary(name string) (before string) {
	library.Lock()
	defer library.Unlock()
	before = library.name
	library.name, library.tried, library.err, library.devices = name, false, nil, nil
	return before
}

// The function `number` returns CUDA's number of the device with the given UUID.
func number(uuid UUID) (int32, error) {
	library.Lock()
	defer library.Unlock()
	if !library.tried {
		library.tried = true
		library.devices, library.err = open(library.name)
	}
	if library.err != nil {
		return 0, library.err
	}
	if i := slices.Index(library.devices, uuid); i >= 0 {
		return int32(i), nil
	}
	return 0, fmt.Errorf("cuda: the driver has no device with the UUID %x", uuid)
}

// The function Has returns an error if the library cannot be opened, or has no device with the
// UUID.
func Has(uuid UUID) error {
	_, err := number(uuid)
	return err
}

// The function Reaches returns an error if the device dst cannot access memory of the device src.
func Reaches(dst, src UUID) error {
	d, err := number(dst)
	if err != nil {
		return err
	}
	s, err := number(src)
	if err != nil || s == d {
		return err
	}
	can, err := canAccess(d, s)
	if err == nil && !can {
		err = fmt.Errorf("cuda: device %d cannot access memory of device %d", d, s)
	}
	return err
}

// Context is a device's primary context in CUDA. Several goroutines may use the same Context.
type Context struct {
	device int32
	handle uintptr
	mu     sync.Mutex
	idle   []uintptr // CUDA streams that no Stream uses at present
}

// NewContext returns the primary context of a device. If the process has no primary context for the
// device yet, the driver makes one, which takes some tenths of a second.
func NewContext(uuid UUID) (*Context, error) {
	n, err := number(uuid)
	if err != nil {
		return nil, err
	}
	h, err := retain(n)
	if err != nil {
		return nil, err
	}
	return &Context{device: n, handle: h}, nil
}

// Close releases the context. The caller must first free all memory and close all streams.
func (c *Context) Close() error {
	var errs []error
	for _, s := range c.idle {
		errs = append(errs, destroyStream(c.handle, s))
	}
	c.idle = nil
	return errors.Join(append(errs, release(c.device))...)
}

// Memory is device memory that Vulkan has allocated and CUDA has imported.
type Memory struct {
	Address uint64
	ctx     *Context
	handle  uintptr
}

// Import imports an allocation of size bytes that Vulkan exported as the file descriptor fd. The
// memory may belong to another device than the context. The allocation must be dedicated to a
// single buffer. Import takes ownership of fd, even if Import fails.
func (c *Context) Import(fd int, size uint64) (*Memory, error) {
	h, err := importMemory(c.handle, fd, size)
	if err != nil {
		return nil, err
	}
	m := &Memory{ctx: c, handle: h}
	if m.Address, err = mapMemory(c.handle, h, size); err != nil {
		return nil, errors.Join(err, m.Free())
	}
	return m, nil
}

// Free ends CUDA's use of the memory. Vulkan must still free the memory itself.
func (m *Memory) Free() error {
	var err error
	if m.Address != 0 {
		err = unmapMemory(m.ctx.handle, m.Address)
	}
	return errors.Join(err, dropMemory(m.ctx.handle, m.handle))
}

// Stream runs copies one after another.
type Stream struct {
	ctx    *Context
	handle uintptr
}

// Stream returns an idle stream.
func (c *Context) Stream() (*Stream, error) {
	c.mu.Lock()
	if n := len(c.idle); n > 0 {
		h := c.idle[n-1]
		c.idle = c.idle[:n-1]
		c.mu.Unlock()
		return &Stream{c, h}, nil
	}
	c.mu.Unlock()
	h, err := createStream(c.handle)
	if err != nil {
		return nil, err
	}
	return &Stream{c, h}, nil
}

// Close returns the stream to the context, which reuses the stream later. All copies of the stream
// must have completed.
func (s *Stream) Close() {
	s.ctx.mu.Lock()
	defer s.ctx.mu.Unlock()
	s.ctx.idle = append(s.ctx.idle, s.handle)
}

// Copy starts a copy of size bytes between addresses of imported memory.
func (s *Stream) Copy(dst, src, size uint64) error {
	return startCopy(s.ctx.handle, s.handle, dst, src, size)
}

// Done reports whether the stream's copies have completed.
func (s *Stream) Done() (bool, error) { return streamDone(s.ctx.handle, s.handle) }
