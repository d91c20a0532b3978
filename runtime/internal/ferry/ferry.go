package ferry

import (
	"context"
	"sync/atomic"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// This file chooses how to move bytes between the memory of two devices. The file pieces.go moves
// bytes in pieces through memory of the host.

const (
	// PieceSize is the largest size of a piece, in bytes.
	PieceSize = 8 << 20
	// leastPiece is the least size of a piece, in bytes, if a move needs several pieces. A stencil
	// of 640³ on two H200s, which moves 6.5 MB in each step while kernels run, took 0.52 ms per
	// step with four pieces. With one piece, a step took 0.53 to 0.58 ms.
	leastPiece = 1 << 20
	// Flight is the largest number of pieces of a move that are in the host's memory at the same
	// time.
	Flight = 4
	// PeerSize is the least size, in bytes, of a move that the destination device copies directly
	// from the source's memory. An H200 needs 0.5 ms to switch from kernels to a direct copy and
	// back, and runs no kernels meanwhile. In 0.5 ms, about PeerSize bytes can go through the
	// host's memory, while kernels run.
	PeerSize = 8 << 20
)

// End is the source or the destination of a move.
type End struct {
	Device hal.Device
	Memory hal.Memory
	Off    uint64
}

// Outcome is the outcome of a move. Src and Dst are the errors of the two devices, and Cancelled
// says that the caller's request or context ended the move early.
type Outcome struct {
	Src, Dst  error
	Cancelled bool
}

// If staging is set, all moves go through additional memory of the host. Only tests set staging.
var staging atomic.Bool

// Stage sets whether all moves go through additional memory of the host, even moves that do not
// need this memory. Stage is for tests.
func Stage(on bool) { staging.Store(on) }

// fromPeers is the least size, in bytes, of a move that the destination device copies directly from
// the source's memory.
var fromPeers = func() *atomic.Uint64 {
	n := new(atomic.Uint64)
	n.Store(PeerSize)
	return n
}()

// FromPeers sets the least size, in bytes, of a move that the destination device copies directly.
// FromPeers returns the previous size. FromPeers is for tests.
func FromPeers(least uint64) (before uint64) { return fromPeers.Swap(least) }

// The function Move copies size bytes from the memory of one device to the memory of another
// device. Before Move is called, all earlier commands that use the bytes must have completed.
// During the move, no other command may use the bytes. Move ends early if the method Ask of cancel
// is called, or if ctx ends because a device was abandoned.
//
// If the destination device copies directly from the source device, Move calls the function `note`
// with nil for the first such copy. If the device cannot copy directly, Move calls `note` with the
// reason.
func Move(ctx context.Context, cancel *hal.Cancel, dst, src End, size uint64, note func(refused error)) Outcome {
	from, to := src.bytes(size), dst.bytes(size)
	switch {
	case staging.Load():
	case from != nil && to != nil:
		return copyBytes(ctx, cancel, to, from)
	case from != nil:
		c, err := run(dst.Device, hal.Command{Op: hal.OpWrite, Cancel: cancel, Dst: dst.Memory, DstOff: dst.Off, Size: size, Host: from})
		return Outcome{Dst: err, Cancelled: c}
	case to != nil:
		c, err := run(src.Device, hal.Command{Op: hal.OpRead, Cancel: cancel, Src: src.Memory, SrcOff: src.Off, Size: size, Host: to})
		return Outcome{Src: err, Cancelled: c}
	}
	if p, ok := dst.Device.(hal.Peer); ok && size >= fromPeers.Load() {
		c := p.CopyFrom(ctx, cancel, dst.Memory, dst.Off, src.Device, src.Memory, src.Off, size)
		if c.First {
			note(c.Refused)
		}
		if c.Refused == nil {
			return Outcome{Dst: c.Failed, Cancelled: c.Cancelled}
		}
	}
	return newMove(ctx, cancel, dst, src, size).run()
}

// The method `bytes` returns the bytes of the End, or nil if the host cannot access them.
func (e *End) bytes(size uint64) []byte {
	b := e.Memory.Bytes()
	if b == nil {
		return nil
	}
	return b[e.Off : e.Off+size]
}

// copyBytes copies bytes on the host, if the host can access the memory of both devices.
func copyBytes(ctx context.Context, cancel *hal.Cancel, to, from []byte) Outcome {
	for len(to) > 0 {
		if cancel.Asked() || ctx.Err() != nil {
			return Outcome{Cancelled: true}
		}
		n := copy(to[:min(len(to), PieceSize)], from)
		to, from = to[n:], from[n:]
	}
	return Outcome{}
}

// The type `command` is a hal.Command that is submitted as the only command of a batch.
type command struct {
	batch  [1]hal.Command
	fault  hal.Fault
	ticket hal.Ticket
	err    error
}

// The function `start` submits a command.
func start(d hal.Device, c hal.Command) *command {
	s := &command{batch: [1]hal.Command{c}}
	s.batch[0].Fault = &s.fault
	s.ticket, s.err = d.Submit(s.batch[:])
	return s
}

// The method `wait` waits until the command has completed, or until its device is lost or
// abandoned.
func (s *command) wait() (cancelled bool, err error) {
	if s.err != nil {
		return false, s.err
	}
	for !s.ticket.Done() {
		s.ticket.Wait(context.Background())
	}
	return s.fault.Cancelled, s.fault.Failed
}

// The function `run` runs a command and waits for it.
func run(d hal.Device, c hal.Command) (cancelled bool, err error) { return start(d, c).wait() }
