package graph

import (
	"errors"
	"runtime"
	"time"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// Memory is an owner's handle of device memory. The memory is released by Free,
// or when the handle is forgotten, and freed once no batch uses it.
type Memory struct {
	stream  *Stream
	state   *memoryState
	cleanup runtime.Cleanup
}

// memoryState outlives the handle while commands use the memory.
type memoryState struct {
	hal      hal.Memory
	size     uint64
	last     uint64 // sequence number of the newest batch that uses it
	released bool
}

// NewMemory makes a handle for m, which belongs to it from now on.
func (s *Stream) NewMemory(m hal.Memory) *Memory {
	h := &Memory{stream: s, state: &memoryState{hal: m, size: m.Size()}}
	h.cleanup = runtime.AddCleanup(h, s.release, h.state)
	return h
}

// Alloc allocates memory. If the device has none left, it collects forgotten
// handles, waits for memory that is about to be freed and tries again.
func (s *Stream) Alloc(size uint64, kind hal.MemoryKind) (*Memory, error) {
	s.keepUp()
	m, err := s.alloc(size, kind)
	for try := 0; err != nil && errors.Is(err, hal.ErrOutOfMemory) && try < 3; try++ {
		runtime.GC()
		time.Sleep(time.Millisecond) // cleanups run on a goroutine of their own
		s.drain()
		m, err = s.alloc(size, kind)
	}
	if err != nil {
		return nil, err
	}
	return s.NewMemory(m), nil
}

// maxDying is how many bytes of released memory may wait to be freed before an
// allocation waits for some of it.
const maxDying = 64 << 20

// keepUp frees what can be freed, and waits if a program that makes and closes
// buffers is far ahead of the device.
func (s *Stream) keepUp() {
	s.mu.Lock()
	s.collect()
	var size, last uint64
	for _, m := range s.dying {
		if size += m.size; size > maxDying/2 && last == 0 {
			last = m.last
		}
	}
	s.mu.Unlock()
	if size > maxDying {
		s.waitThrough(background, last)
	}
}

func (s *Stream) alloc(size uint64, kind hal.MemoryKind) (hal.Memory, error) {
	if !s.Enter() {
		return nil, ErrClosed
	}
	defer s.Leave()
	return s.dev.Alloc(size, kind)
}

// Stream returns the stream whose commands may use the memory.
func (m *Memory) Stream() *Stream { return m.stream }

// HAL returns the backend's memory.
func (m *Memory) HAL() hal.Memory { return m.state.hal }

// Free releases the memory. It may be called twice, and after the stream's end.
func (m *Memory) Free() {
	m.cleanup.Stop()
	m.stream.release(m.state)
}

// Released reports whether Free was called.
func (m *Memory) Released() bool {
	m.stream.mu.Lock()
	defer m.stream.mu.Unlock()
	return m.state.released
}

// Idle reports whether no recorded or running command uses the memory.
func (m *Memory) Idle() bool {
	m.stream.poll()
	m.stream.mu.Lock()
	defer m.stream.mu.Unlock()
	return m.state.last <= m.stream.retired
}

// release frees the memory now, or when its last batch has completed.
func (s *Stream) release(m *memoryState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.released {
		return
	}
	m.released = true
	if s.closed {
		return // the device's end has freed it
	}
	if m.last <= s.retired {
		m.hal.Free()
		return
	}
	s.dying = append(s.dying, m)
	if !s.draining {
		s.draining = true
		go s.drain()
	}
}

// drain waits until all released memory has been freed.
func (s *Stream) drain() {
	for {
		s.mu.Lock()
		var last uint64
		for _, m := range s.dying {
			last = max(last, m.last)
		}
		if last == 0 || s.closed {
			s.draining = false
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		s.waitThrough(background, last)
	}
}

// freeDying frees the released memory that no batch uses any more.
func (s *Stream) freeDying() {
	kept := s.dying[:0]
	for _, m := range s.dying {
		if m.last <= s.retired {
			m.hal.Free()
		} else {
			kept = append(kept, m)
		}
	}
	clear(s.dying[len(kept):])
	s.dying = kept
}
