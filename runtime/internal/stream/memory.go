package stream

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/kgen-go/kgen/internal/memoryhook"
	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// Memory is an owner's handle of device memory. Free releases the memory. The garbage collector
// also releases the memory if the handle is unused. Released memory is freed when no batch uses the
// memory any more.
type Memory struct {
	stream  *Stream
	state   *memoryState
	cleanup runtime.Cleanup
}

// memoryState is the state of a Memory. While commands use the memory, the memoryState exists even if
// the handle is garbage.
type memoryState struct {
	hal      hal.Memory
	size     uint64
	last     uint64        // number of the newest batch that uses the memory
	released atomic.Bool   // Free was called; set under the stream's mu
	poison   []poisonRange // poisoned ranges of the memory, without overlaps
}

// NewMemory makes a handle for m. After the call of NewMemory, m belongs to the handle.
func (s *Stream) NewMemory(m hal.Memory) *Memory {
	h := &Memory{stream: s, state: &memoryState{hal: m, size: m.Size()}}
	h.cleanup = runtime.AddCleanup(h, s.releaseMemory, h.state)
	return h
}

// Alloc allocates memory. If the device has too little memory, Alloc runs the garbage collector to
// find unused handles. Then Alloc waits at most allocPatience for memory that is about to be freed,
// and tries again.
func (s *Stream) Alloc(size uint64, kind hal.MemoryKind) (*Memory, error) {
	s.keepUp()
	m, err := s.alloc(size, kind)
	if err != nil && errors.Is(err, hal.ErrOutOfMemory) {
		ctx, cancel := context.WithTimeout(s.life, allocPatience)
		defer cancel()
		for try := 0; err != nil && errors.Is(err, hal.ErrOutOfMemory) && try < 3 && ctx.Err() == nil; try++ {
			runtime.GC()
			time.Sleep(time.Millisecond) // the runtime calls cleanups on another goroutine
			s.waitDying(ctx)
			m, err = s.alloc(size, kind)
		}
		if size := s.dyingBytes(); err != nil && size > 0 {
			err = fmt.Errorf("%w; %d bytes of closed buffers are still used by commands that run", err, size)
		}
	}
	if err != nil {
		return nil, err
	}
	return s.NewMemory(m), nil
}

const (
	// maxDying is the largest total size, in bytes, of released memory that is not freed yet. If
	// the limit is exceeded, an allocation waits until some of that memory is freed.
	maxDying = 64 << 20
	// paceTime is the longest time that an allocation waits because of maxDying.
	paceTime = 100 * time.Millisecond
	// allocPatience is the longest time that an allocation waits for released memory if the device
	// has too little memory.
	allocPatience = 10 * time.Second
)

// keepUp frees released memory that no command uses. If a program makes and closes buffers faster
// than the device completes commands, keepUp waits briefly.
func (s *Stream) keepUp() {
	s.freeReleased()
	s.mu.Lock()
	var size, last uint64
	for _, m := range s.dying {
		if size += m.size; size > maxDying/2 && last == 0 {
			last = m.last
		}
	}
	s.mu.Unlock()
	if size > maxDying {
		ctx, cancel := context.WithTimeout(s.life, paceTime)
		defer cancel()
		s.waitThrough(ctx, last)
	}
}

// dyingBytes returns the size of the released memory that commands still use.
func (s *Stream) dyingBytes() (size uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.dying {
		size += m.size
	}
	return size
}

func (s *Stream) alloc(size uint64, kind hal.MemoryKind) (hal.Memory, error) {
	if !s.Enter() {
		return nil, ErrClosed
	}
	defer s.Leave()
	if watch := memoryhook.Watch; watch != nil && !watch(int64(size)) {
		return nil, hal.ErrOutOfMemory
	}
	return s.dev.Alloc(size, kind)
}

// Keep makes the memory stay allocated even if its handle is unused, until Free is called or the
// device is closed.
func (m *Memory) Keep() { m.cleanup.Stop() }

// Stream returns the stream whose commands may use the memory.
func (m *Memory) Stream() *Stream { return m.stream }

// HAL returns the backend's memory.
func (m *Memory) HAL() hal.Memory { return m.state.hal }

// Free releases the memory. Free may be called twice, and after the stream is closed.
func (m *Memory) Free() {
	m.cleanup.Stop()
	m.stream.releaseMemory(m.state)
}

// Released reports whether Free was called.
func (m *Memory) Released() bool { return m.state.released.Load() }

// Idle reports whether no recorded or running command uses the memory.
func (m *Memory) Idle() bool {
	m.stream.poll()
	m.stream.mu.Lock()
	defer m.stream.mu.Unlock()
	return m.state.last <= m.stream.retired
}

// releaseMemory frees the memory now, or when the last batch that uses the memory has
// completed.
func (s *Stream) releaseMemory(m *memoryState) {
	s.mu.Lock()
	if m.released.Load() {
		s.mu.Unlock()
		return
	}
	m.released.Store(true)
	if s.closed.Load() {
		s.mu.Unlock()
		return // closing the device frees the memory
	}
	s.dying = append(s.dying, m)
	wait := m.last > s.retired
	if wait && !s.draining {
		s.draining = true
		go s.drainReleased()
	}
	s.mu.Unlock()
	if !wait {
		s.freeReleased()
	}
}

// freeReleased frees released memory that no batch uses any more.
func (s *Stream) freeReleased() {
	s.mu.Lock()
	s.collect()
	if s.closed.Load() {
		s.mu.Unlock()
		return
	}
	var free []hal.Memory
	kept := s.dying[:0]
	for _, m := range s.dying {
		if m.last > s.retired {
			kept = append(kept, m)
			continue
		}
		free = append(free, m.hal)
		s.poisons -= len(m.poison)
		m.poison = nil
	}
	clear(s.dying[len(kept):])
	s.dying = kept
	s.users++ // keeps the device open while the memory is freed
	s.mu.Unlock()
	for _, m := range free { // mu is not held here, because Free calls the driver, which may block
		size := int64(m.Size())
		m.Free()
		if watch := memoryhook.Watch; watch != nil {
			watch(-size)
		}
	}
	s.Leave()
}

// drainReleased waits until all released memory has been freed, or until the stream has ended.
func (s *Stream) drainReleased() {
	for {
		s.mu.Lock()
		if len(s.dying) == 0 || s.closed.Load() {
			s.draining = false
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		s.waitDying(s.life)
	}
}

// waitDying waits for the commands that use released memory, and then frees that memory.
func (s *Stream) waitDying(ctx context.Context) {
	s.mu.Lock()
	var last uint64
	for _, m := range s.dying {
		last = max(last, m.last)
	}
	s.mu.Unlock()
	s.waitThrough(ctx, last)
}
