package host

import (
	"encoding/binary"
	"fmt"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// runCommand executes one command, unless the command has been cancelled.
func runCommand(c *hal.Command) {
	whole := !c.Cancel.Asked() && (c.Op != hal.OpLaunch || c.Cancel.Begin()) && runTimed(c)
	if !whole && c.Fault != nil {
		c.Fault.Cancelled = true
	}
	if c.Taken != nil {
		c.Taken()
	}
}

// runTimed executes a command, and records its times if the caller wants them.
func runTimed(c *hal.Command) bool {
	if c.Times == nil {
		return executeCommand(c)
	}
	start := hal.Now()
	whole := executeCommand(c)
	c.Times.Ran(start, hal.Now())
	return whole
}

// executeCommand runs a command and reports whether it ran to its end. The outcome of a launch is in its
// fault record.
func executeCommand(c *hal.Command) bool {
	switch c.Op {
	case hal.OpLaunch:
		runLaunch(c)
	case hal.OpCopy:
		copy(part(c.Dst, c.DstOff, c.Size), part(c.Src, c.SrcOff, c.Size))
	case hal.OpFill:
		fill(part(c.Dst, c.DstOff, c.Size), c.Pattern)
	case hal.OpWrite:
		return copyPieces(c.Cancel, part(c.Dst, c.DstOff, uint64(len(c.Host))), c.Host)
	case hal.OpRead:
		return copyPieces(c.Cancel, c.Host, part(c.Src, c.SrcOff, uint64(len(c.Host))))
	default:
		panic(fmt.Sprintf("BUG: host: unknown command %d", c.Op))
	}
	return true
}

// pieceSize is the largest number of bytes copied at once. A cancelled copy still completes its
// current piece, which takes at most a few hundred microseconds.
const pieceSize = 1 << 20

// copyPieces copies src to dst, which has the same length. copyPieces stops when cancel.Ask is
// called, and reports whether it copied all bytes.
func copyPieces(cancel *hal.Cancel, dst, src []byte) bool {
	for len(dst) > 0 {
		n := min(len(dst), pieceSize)
		if !cancel.Do(func() { copy(dst[:n], src) }) {
			return false
		}
		dst, src = dst[n:], src[n:]
	}
	return true
}

func part(m hal.Memory, off, size uint64) []byte { return m.Bytes()[off : off+size] }

func fill(b []byte, pattern uint32) {
	if pattern == 0 {
		clear(b)
		return
	}
	for ; len(b) >= 4; b = b[4:] {
		binary.LittleEndian.PutUint32(b, pattern)
	}
}
