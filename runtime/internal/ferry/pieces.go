package ferry

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// A move copies bytes in pieces. The source device copies each piece to a slot, which is memory of
// the host that the device can access. After that, the destination device copies the piece from the
// slot. If the destination device has imported the slot, it copies directly from the slot:
//
//	source's leg        piece 0   piece 1   piece 2   piece 3   piece 4: waits for slot 0
//	destination's leg             piece 0   piece 1   piece 2
type move struct {
	ctx      context.Context
	cancel   *hal.Cancel
	dst, src End
	size     uint64
	piece    uint64 // size of each piece except the last

	free chan *slot    // slots that contain no piece
	read chan piece    // pieces whose copy to a slot has been started
	sent chan piece    // pieces whose copy from a slot has been started
	end  chan struct{} // closed when the move ends early
	once sync.Once
	out  Outcome // outcome of the move if it ends early
	some atomic.Bool
}

// The type `piece` describes a range of the moved bytes, which is copied through a slot. The field
// `copy` is the latest command that copies the range.
type piece struct {
	off, size uint64
	slot      *slot
	copy      *command
}

func newMove(ctx context.Context, cancel *hal.Cancel, dst, src End, size uint64) *move {
	return &move{ctx: ctx, cancel: cancel, dst: dst, src: src, size: size, piece: pieceSize(size),
		free: make(chan *slot, Flight), read: make(chan piece, Flight), sent: make(chan piece, Flight), end: make(chan struct{})}
}

// pieceSize returns the size of the pieces of a move. Moves of less than Flight·PieceSize bytes
// have smaller pieces, so that the destination's copies can begin before the source's copies have
// ended.
func pieceSize(size uint64) uint64 {
	const page = 4 << 10
	return min(max((size/Flight+page)&^(page-1), leastPiece), PieceSize)
}

// The method `run` moves the bytes.
func (m *move) run() Outcome {
	devices := pair{m.src.Device, m.dst.Device}
	n := min(Flight, int((m.size+m.piece-1)/m.piece))
	for i := range n {
		slot, err := takeSlot(devices, min(m.size, m.piece))
		if err != nil && i == 0 {
			return Outcome{Src: err}
		}
		if err != nil {
			break // the move also works with fewer slots, but more slowly
		}
		defer giveSlot(devices, slot)
		m.free <- slot
	}
	if m.size <= m.piece { // use no goroutines for a single piece, because waking goroutines would take longer than the copies
		m.one(<-m.free)
		return m.out
	}
	var legs sync.WaitGroup
	legs.Go(m.fetch)
	legs.Go(m.send)
	m.finish()
	legs.Wait()
	if m.some.Load() {
		return m.out
	}
	return Outcome{}
}

// The method `one` moves all bytes as a single piece.
func (m *move) one(s *slot) {
	p := m.fetchPiece(piece{size: m.size, slot: s})
	if _, err := p.copy.wait(); err != nil {
		m.stop(Outcome{Src: err})
	}
	if m.ended() {
		return
	}
	p = m.sendPiece(p)
	if _, err := p.copy.wait(); err != nil {
		m.stop(Outcome{Dst: err})
	}
}

// fetchPiece starts the copy of a piece to its slot.
func (m *move) fetchPiece(p piece) piece {
	p.copy = start(m.src.Device, hal.Command{Op: hal.OpCopy, Apart: true, Dst: p.slot.src, Src: m.src.Memory, SrcOff: m.src.Off + p.off, Size: p.size})
	return p
}

// sendPiece starts the copy of a piece from its slot.
func (m *move) sendPiece(p piece) piece {
	c := hal.Command{Op: hal.OpCopy, Apart: true, Dst: m.dst.Memory, DstOff: m.dst.Off + p.off, Src: p.slot.dst, Size: p.size}
	if p.slot.dst == nil {
		c.Op, c.Src, c.Host = hal.OpWrite, nil, p.slot.bytes[:p.size]
	}
	p.copy = start(m.dst.Device, c)
	return p
}

// The method `stop` ends the move early. If it is called several times, the first Outcome is kept.
func (m *move) stop(o Outcome) {
	m.once.Do(func() {
		m.out = o
		m.some.Store(true)
		close(m.end)
	})
}

// The method `ended` reports whether the move has to end early.
func (m *move) ended() bool {
	if m.cancel.Asked() || m.ctx.Err() != nil {
		m.stop(Outcome{Cancelled: true})
	}
	return m.some.Load()
}

// The method `fetch` starts the source's copies to slots.
func (m *move) fetch() {
	defer close(m.read)
	for off := uint64(0); off < m.size && !m.ended(); off += m.piece {
		p := piece{off: off, size: min(m.piece, m.size-off)}
		select {
		case p.slot = <-m.free:
		case <-m.end:
			return
		}
		m.read <- m.fetchPiece(p)
	}
}

// The method `send` waits for each copy from the source to a slot, and then starts the copy from
// the slot to the destination.
func (m *move) send() {
	defer close(m.sent)
	for p := range m.read {
		if _, err := p.copy.wait(); err != nil {
			m.stop(Outcome{Src: err})
		}
		if m.ended() {
			continue // still wait for the other pieces, because their commands use the slots
		}
		m.sent <- m.sendPiece(p)
	}
}

// The method `finish` waits for the copies from slots to the destination, and makes the slots free
// again.
func (m *move) finish() {
	for p := range m.sent {
		if _, err := p.copy.wait(); err != nil {
			m.stop(Outcome{Dst: err})
		}
		m.free <- p.slot
	}
}
