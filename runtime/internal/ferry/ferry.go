package ferry

import (
	"context"
	"sync/atomic"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

const (
	// PieceSize is the largest size of a piece, in bytes.
	PieceSize = 8 << 20
	// leastPiece is the least size of a piece, unless the move is smaller. A stencil of 640³ on two H200s
	// exchanges 6.5 MB beside kernels. A step took 0.52 ms with four pieces, and 0.53 to 0.58 ms with one.
	leastPiece = 1 << 20
	// Flight is the largest number of pieces that are in the host's memory at the same time.
	Flight = 4
	// PeerSize is the least size, in bytes, of a copy that a destination makes directly from the
	// source's memory. An H200 that runs kernels takes 0.5 ms to change to such a copy and back,
	// and waits for the kernels. In that time about PeerSize bytes go through the host's memory,
	// while the kernels run.
	PeerSize = 8 << 20
)

// End is the source or the destination of a move.
type End struct {
	Device hal.Device
	Memory hal.Memory
	Off    uint64
}

// Outcome is the outcome of a move: the failures of the two devices, and whether the caller's
// request or context ended the move early.
type Outcome struct {
	Src, Dst  error
	Cancelled bool
}

// Tests set staging, so that all moves go through additional memory of the host.
var staging atomic.Bool

// Stage makes all moves go through additional memory of the host, even if they do not need it.
// Stage is for tests.
func Stage(on bool) { staging.Store(on) }

// fromPeers is the least size, in bytes, of a copy that a destination makes directly from the
// source's memory.
var fromPeers = func() *atomic.Uint64 {
	n := new(atomic.Uint64)
	n.Store(PeerSize)
	return n
}()

// FromPeers sets the least size, in bytes, of a copy that a destination makes directly from the
// source's memory. FromPeers returns the previous size. FromPeers is for tests.
func FromPeers(least uint64) (before uint64) { return fromPeers.Swap(least) }

// Move copies size bytes from the memory of one device to that of another. Before Move is called,
// all earlier commands that use the bytes must have completed. During the move no other command may
// use them. Move ends early if cancel requests it, or if ctx ends because a device was abandoned.
//
// A destination may be able to copy from other devices. Move calls the function note when the first
// such copy succeeds or fails, with the reason of the failure.
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

// bytes returns the bytes of the End if the host can access them, else nil.
func (e *End) bytes(size uint64) []byte {
	b := e.Memory.Bytes()
	if b == nil {
		return nil
	}
	return b[e.Off : e.Off+size]
}

// copyBytes copies between two memories that the host accesses.
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

// command is a command that is submitted as a batch of its own.
type command struct {
	batch  [1]hal.Command
	fault  hal.Fault
	ticket hal.Ticket
	err    error
}

// start submits a command.
func start(d hal.Device, c hal.Command) *command {
	s := &command{batch: [1]hal.Command{c}}
	s.batch[0].Fault = &s.fault
	s.ticket, s.err = d.Submit(s.batch[:])
	return s
}

// wait waits for the command. If the device is lost or abandoned, the wait ends.
func (s *command) wait() (cancelled bool, err error) {
	if s.err != nil {
		return false, s.err
	}
	for !s.ticket.Done() {
		s.ticket.Wait(context.Background())
	}
	return s.fault.Cancelled, s.fault.Failed
}

// run runs a command and waits for it.
func run(d hal.Device, c hal.Command) (cancelled bool, err error) { return start(d, c).wait() }
