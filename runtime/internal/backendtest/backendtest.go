// Package backendtest is the conformance suite of package hal. The suite runs the same tests on
// every backend. The tests cover memory, copies, launches, barriers, faults, tickets and closing.
// The tests of a backend's package call [Run] with a [Backend].
package backendtest

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/kgen-go/kgen/runtime/internal/hal"
)

// Backend is a backend that the suite tests.
type Backend interface {
	Driver() hal.Driver
	// MakeKernel returns the description of the suite's kernel with the given name. MakeKernel
	// calls Desc, and adds the data that only this backend needs.
	MakeKernel(name string) hal.PipelineDesc
}

// Run runs the suite on device i of the backend. With the flag -short, Run skips the tests whose
// names are in `others`, because another backend runs these tests.
func Run(t *testing.T, b Backend, i int, others ...string) {
	for _, test := range []struct {
		name string
		f    func(*env)
	}{
		{"Info", testInfo},
		{"Memory", testMemory},
		{"MemoryMany", testMemoryMany},
		{"OutOfMemory", testOutOfMemory},
		{"HostMemory", testHostMemory},
		{"WriteRead", testWriteRead},
		{"Large", testLarge},
		{"LargeMixed", testLargeMixed},
		{"Fill", testFill},
		{"Copy", testCopy},
		{"Launch", testLaunch},
		{"Spilled", testSpilled},
		{"Spec", testSpec},
		{"ManyGroups", testManyGroups},
		{"Empty", testEmpty},
		{"Barriers", testBarriers},
		{"BarriersReachFar", testBarriersReachFar},
		{"BigBatch", testBigBatch},
		{"Fault", testFault},
		{"FaultMany", testFaultMany},
		{"Ticket", testTicket},
		{"Context", testContext},
		{"Concurrent", testConcurrent},
		{"ManyPending", testManyPending},
		{"CloseOrder", testCloseOrder},
		{"Reopen", testReopen},
	} {
		t.Run(test.name, func(t *testing.T) {
			if testing.Short() && slices.Contains(others, test.name) {
				t.Skip("another backend runs it: without -short")
			}
			e := &env{T: t, b: b, i: i}
			e.dev = e.open()
			test.f(e)
			if err := e.dev.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
}

// An env is a test with an open device. If a call of the device fails, the methods of env end the
// test.
type env struct {
	*testing.T
	b   Backend
	i   int
	dev hal.Device
}

func (e *env) open() hal.Device {
	e.Helper()
	dev, err := e.b.Driver().Open(e.i)
	if err != nil {
		e.Fatalf("Open: %v", err)
	}
	return dev
}

func (e *env) alloc(size uint64, kind hal.MemoryKind) hal.Memory {
	e.Helper()
	m, err := e.dev.Alloc(size, kind)
	if err != nil {
		e.Fatalf("Alloc(%d): %v", size, err)
	}
	return m
}

// allocWords allocates device memory that contains the 32-bit words v.
func (e *env) allocWords(v ...uint32) hal.Memory {
	e.Helper()
	m := e.alloc(4*uint64(len(v)), hal.DeviceMemory)
	e.runBatch(write(m, 0, encode(v)))
	return m
}

func (e *env) pipeline(name string) hal.Pipeline {
	e.Helper()
	d := e.b.MakeKernel(name)
	p, err := e.dev.NewPipeline(&d)
	if err != nil {
		e.Fatalf("NewPipeline(%s): %v", name, err)
	}
	return p
}

func (e *env) submit(batch ...hal.Command) hal.Ticket {
	e.Helper()
	tk, err := e.dev.Submit(batch)
	if err != nil {
		e.Fatalf("Submit: %v", err)
	}
	return tk
}

func (e *env) wait(tk hal.Ticket) {
	e.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := tk.Wait(ctx); err != nil {
		e.Fatalf("Wait: %v", err)
	}
}

// runBatch submits a batch and waits for it.
func (e *env) runBatch(batch ...hal.Command) {
	e.Helper()
	e.wait(e.submit(batch...))
}

// readBytes returns n 32-bit words of the memory m, beginning at byte off.
func (e *env) readBytes(m hal.Memory, off uint64, n int) []uint32 {
	e.Helper()
	host := make([]byte, 4*n)
	c := read(m, off, host)
	c.Barrier = true
	e.runBatch(c)
	return decode(host)
}

// wantBytes ends the test with an error if, for any i below n, word i of m differs from f(i).
func (e *env) wantBytes(m hal.Memory, n int, f func(i int) uint32) {
	e.Helper()
	for i, v := range e.readBytes(m, 0, n) {
		if v != f(i) {
			e.Fatalf("word %d is %#x, want %#x", i, v, f(i))
		}
	}
}

func write(m hal.Memory, off uint64, b []byte) hal.Command {
	return hal.Command{Op: hal.OpWrite, Dst: m, DstOff: off, Size: uint64(len(b)), Host: b}
}

func read(m hal.Memory, off uint64, b []byte) hal.Command {
	return hal.Command{Op: hal.OpRead, Src: m, SrcOff: off, Size: uint64(len(b)), Host: b}
}

func fill(m hal.Memory, off, size uint64, pattern uint32) hal.Command {
	return hal.Command{Op: hal.OpFill, Dst: m, DstOff: off, Size: size, Pattern: pattern}
}

func copyOf(dst hal.Memory, dstOff uint64, src hal.Memory, srcOff, size uint64) hal.Command {
	return hal.Command{Op: hal.OpCopy, Dst: dst, DstOff: dstOff, Src: src, SrcOff: srcOff, Size: size}
}

// afterTime returns the command c with the field Barrier set.
func afterTime(c hal.Command) hal.Command {
	c.Barrier = true
	return c
}

func launch(p hal.Pipeline, name string, n int, args ...any) hal.Command {
	return Launch(p, kernels[name], n, args...)
}

// allBytes returns a span of all words of m.
func allBytes(m hal.Memory) Span { return Span{Mem: m, Len: int(m.Size() / 4)} }

func encode(v []uint32) []byte {
	b := make([]byte, 4*len(v))
	for i, w := range v {
		binary.LittleEndian.PutUint32(b[4*i:], w)
	}
	return b
}

func decode(b []byte) []uint32 {
	v := make([]uint32, len(b)/4)
	for i := range v {
		v[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return v
}

// fillPattern fills b with pseudo-random bytes.
func fillPattern(b []byte, seed uint32) []byte {
	for i := 0; i+4 <= len(b); i += 4 {
		seed = seed*1664525 + 1013904223
		binary.LittleEndian.PutUint32(b[i:], seed)
	}
	for i := len(b) &^ 3; i < len(b); i++ {
		b[i] = byte(seed) + byte(i)
	}
	return b
}

// wantSame ends the test with an error if got and want differ. The error names the first index at
// which the bytes differ.
func (e *env) wantSame(got, want []byte) {
	e.Helper()
	if bytes.Equal(got, want) {
		return
	}
	for i := range want {
		if got[i] != want[i] {
			e.Fatalf("byte %d of %d is %#x, want %#x", i, len(want), got[i], want[i])
		}
	}
	e.Fatalf("%d bytes, want %d", len(got), len(want))
}
