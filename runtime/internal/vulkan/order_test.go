//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime/internal/backendtest"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/stream"
	"github.com/kgen-go/kgen/runtime/internal/vkx"
)

// The checker below looks at the commands that are submitted as Vulkan 1.3, chapter
// "Synchronization and Cache Control", defines them, and not as the encoder means
// them: of two commands that use the same bytes, one of which writes, the later one
// must come behind a barrier whose first scope has the earlier one, directly or by a
// chain, and must see its writes. That holds for commands with a Barrier between them,
// and for all that a stream has recorded. Validation layers do not see accesses by
// address.

const (
	hostStage     = vkx.PipelineStageHostBit
	computeStage  = vkx.PipelineStageComputeShaderBit
	transferStage = vkx.PipelineStageTransferBit
)

// use is what one command does with a range of memory, and what barriers have made of
// that since.
type use struct {
	mem     *memory
	lo, hi  uint64
	write   bool
	stage   vkx.PipelineStageFlags
	cmd     *hal.Command
	epoch   int // how many commands with a Barrier there were
	line    *submitLine
	value   uint64                 // of the part
	ordered vkx.PipelineStageFlags // stages that wait for it
	visible vkx.PipelineStageFlags // stages that see its writes
	made    bool                   // its writes are available
}

// checker follows the commands of one device.
type checker struct {
	strict bool // there is a Barrier wherever one is needed
	uses   []use
	part   *part
	waited map[*submitLine]uint64 // for what value of the other line each of them has waited
	wrong  []string

	executed int // recordings of graphs
}

// widths are the words of each command; see vkx.h.
var widths = map[uint32]int{1: 3, 2: 4, 3: 4, 4: 7, 5: 5, 6: 11, 7: 8, 8: 3, 9: 5, 10: 5}

const (
	cmdPush, cmdDispatch, cmdDispatchBase, cmdBarrier, cmdCopy, cmdFill, cmdExecute = 2, 3, 4, 5, 6, 7, 8
)

// check follows a part.
func (k *checker) check(p *part, commands vkx.Commands) {
	k.part = p
	if p.otherLine != nil {
		if k.waited == nil {
			k.waited = map[*submitLine]uint64{}
		}
		k.waited[p.line] = max(k.waited[p.line], p.waitValue)
	}
	k.commands(commands, p.watched)
	k.end()
}

// commands follows commands, ops being where those of hal's begin.
func (k *checker) commands(commands vkx.Commands, ops []commandMark) {
	current := commandMark{}
	for at := 0; at < len(commands); {
		for len(ops) > 0 && ops[0].at <= at {
			current, ops = ops[0], ops[1:]
			k.run(current)
		}
		op := commands[at]
		n := widths[op]
		switch op {
		case cmdPush:
			n += int(commands[at+3]) / 4
		case cmdBarrier:
			k.barrier(commands[at+1 : at+5])
		case cmdDispatch, cmdDispatchBase:
			if current.kind != compute {
				k.wrong = append(k.wrong, "a dispatch is counted as a transfer")
			}
		case cmdCopy, cmdFill:
			if current.kind != transfer {
				k.wrong = append(k.wrong, "a copy is counted as a dispatch")
			}
		case cmdExecute:
			k.execute(current.graph, current.epoch)
		}
		at += n
	}
}

// execute follows the commands of a recording. They are other commands each time.
func (k *checker) execute(r *recording, epoch int) {
	ops, anew := slices.Clone(r.watched), map[*hal.Command]*hal.Command{}
	for i := range ops {
		c := ops[i].cmd
		if anew[c] == nil {
			n := *c
			anew[c] = &n
		}
		ops[i].cmd, ops[i].epoch = anew[c], ops[i].epoch+epoch
	}
	k.executed++
	k.commands(r.words, ops)
}

// written and read are the accesses of a stage in barriers.
func written(stage vkx.PipelineStageFlags) vkx.AccessFlags {
	if stage == computeStage {
		return vkx.AccessShaderWriteBit
	}
	return vkx.AccessTransferWriteBit
}

func (k *checker) barrier(w []uint32) {
	src, dst := vkx.PipelineStageFlags(w[0]), vkx.PipelineStageFlags(w[2])
	from, to := vkx.AccessFlags(w[1]), vkx.AccessFlags(w[3])
	for i := range k.uses {
		u := &k.uses[i]
		if u.line != k.part.line || (u.stage|u.ordered)&src == 0 {
			continue
		}
		u.ordered |= dst
		if !u.write {
			continue
		}
		if u.stage&src != 0 && from&written(u.stage) != 0 {
			u.made = true
		}
		if !u.made || (u.stage|u.visible)&src == 0 {
			continue
		}
		for _, s := range []struct {
			stage vkx.PipelineStageFlags
			all   vkx.AccessFlags
		}{
			{computeStage, vkx.AccessShaderReadBit | vkx.AccessShaderWriteBit},
			{transferStage, vkx.AccessTransferReadBit | vkx.AccessTransferWriteBit},
			{hostStage, vkx.AccessHostReadBit},
		} {
			if dst&s.stage != 0 && to&s.all == s.all {
				u.visible |= s.stage
			}
		}
	}
}

// run has a command make its accesses.
func (k *checker) run(op commandMark) {
	if op.cmd == nil {
		return // a probe's own
	}
	stage := transferStage
	if op.kind == compute {
		stage = computeStage
	}
	var fresh []use
	add := func(m hal.Memory, off, size uint64, write bool) {
		if size > 0 {
			fresh = append(fresh, use{mem: m.(*memory), lo: off, hi: off + size, write: write, stage: stage, cmd: op.cmd, epoch: op.epoch, line: k.part.line, value: k.part.value})
		}
	}
	switch c := op.cmd; c.Op {
	case hal.OpLaunch:
		for _, s := range c.Slices {
			size, access := sliceUse(c, s)
			add(s.Memory, s.Offset, size, access&abi.Write != 0)
		}
	case hal.OpCopy:
		add(c.Src, c.SrcOff, c.Size, false)
		add(c.Dst, c.DstOff, c.Size, true)
	case hal.OpFill, hal.OpWrite:
		add(c.Dst, c.DstOff, c.Size, true)
	case hal.OpRead:
		add(c.Src, c.SrcOff, c.Size, false)
	}
	for _, f := range fresh {
		for i := range k.uses {
			u := &k.uses[i]
			if u.mem != f.mem || u.cmd == f.cmd || u.hi <= f.lo || f.hi <= u.lo || !u.write && !f.write {
				continue
			}
			if u.epoch == f.epoch && !k.strict {
				continue
			}
			if u.line != f.line && k.waited[f.line] >= u.value {
				continue // a wait for a semaphore makes all visible
			}
			if u.line != f.line || u.ordered&stage == 0 || u.write && u.visible&stage == 0 {
				k.wrong = append(k.wrong, fmt.Sprintf("bytes %d to %d: operation %d (write: %v) is not behind operation %d (write: %v)",
					max(u.lo, f.lo), min(u.hi, f.hi), f.cmd.Op, f.write, u.cmd.Op, u.write))
			}
		}
	}
	// What the command has come behind of need not be kept, where it takes its place.
	k.uses = slices.DeleteFunc(k.uses, func(u use) bool {
		for _, f := range fresh {
			if f.write && u.mem == f.mem && f.lo <= u.lo && u.hi <= f.hi && u.cmd != f.cmd {
				return true
			}
		}
		a := &u.mem.d.mem
		a.mu.Lock()
		defer a.mu.Unlock()
		return u.mem.freed // only when the device is known to be done with it
	})
	k.uses = append(k.uses, fresh...)
}

// end is the end of a part, where the host may look: it must see everything.
func (k *checker) end() {
	for i := range k.uses {
		if u := &k.uses[i]; u.line == k.part.line && u.write && u.visible&hostStage == 0 {
			k.wrong = append(k.wrong, fmt.Sprintf("operation %d: the host does not see what it wrote", u.cmd.Op))
			u.visible |= hostStage
		}
	}
}

// sliceUse returns the bytes of a launch's slice, and the kernel's access to them.
func sliceUse(c *hal.Command, s hal.SliceArg) (size uint64, access abi.Access) {
	k := c.Pipeline.(*pipeline).kernel
	p := &k.Params[s.Param]
	return uint64(s.Len) * uint64(p.ElemSize), p.Access
}

// checkers follow all devices that the package's tests open.
var checkers struct {
	sync.Mutex
	of    map[*device]*checker // of devices that are open
	wrong []string             // what those of closed devices found
}

// watchAll has all that is submitted checked.
func watchAll() {
	checkers.of = map[*device]*checker{}
	watch = func(d *device, p *part, commands vkx.Commands) {
		checkers.Lock()
		defer checkers.Unlock()
		k := checkers.of[d]
		if k == nil {
			dropClosed()
			k = &checker{}
			checkers.of[d] = k
		}
		k.check(p, commands)
	}
}

// dropClosed drops the checkers of closed devices, which hold the memory of commands.
func dropClosed() {
	for d, k := range checkers.of {
		if d.mem.pool(d.mem.types.device) == nil {
			checkers.wrong = append(checkers.wrong, k.wrong...)
			delete(checkers.of, d)
		}
	}
}

// watchResults returns the errors of barriers.
func watchResults() (wrong []string) {
	checkers.Lock()
	defer checkers.Unlock()
	wrong = slices.Clone(checkers.wrong)
	for _, k := range checkers.of {
		wrong = append(wrong, k.wrong...)
	}
	return wrong
}

// TestChecker takes the barriers out of what the encoder writes: the checker must
// notice each that is missing.
func TestChecker(t *testing.T) {
	d := open(t)
	m, err := d.Alloc(1024, hal.DeviceMemory)
	if err != nil {
		t.Fatal(err)
	}
	inc := backendtest.Launch(increment(t, d), backendtest.Desc("increment").Kernel, 256, backendtest.Span{Mem: m, Len: 256})
	fill := hal.Command{Op: hal.OpFill, Dst: m, Size: 1024}
	batch := []hal.Command{fill, inc, inc, fill, inc}
	for i := range batch {
		batch[i].Barrier = i > 0
	}
	old := watch
	defer func() { watch = old }()
	var commands vkx.Commands
	var submitted *part
	watch = func(_ *device, p *part, c vkx.Commands) { commands, submitted = slices.Clone(c), p }
	tk, err := d.Submit(batch)
	if err != nil {
		t.Fatal(err)
	}
	if err := tk.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	check := func(c vkx.Commands) []string {
		var k checker
		k.check(submitted, c)
		return k.wrong
	}
	if wrong := check(commands); len(wrong) > 0 {
		t.Errorf("what the encoder wrote: %v", wrong)
	}
	barriers := 0
	for at := 0; at < len(commands); {
		n := widths[commands[at]]
		if commands[at] == cmdPush {
			n += int(commands[at+3]) / 4
		}
		if commands[at] == cmdBarrier {
			barriers++
			for word, name := range []string{1: "first stages", 2: "first accesses", 3: "second stages", 4: "second accesses"} {
				if name == "" {
					continue
				}
				without := slices.Clone(commands)
				without[at+word] = 0
				if len(check(without)) == 0 {
					t.Errorf("barrier %d without its %s is not missed", barriers, name)
				}
			}
		}
		at += n
	}
	if barriers != 5 {
		t.Errorf("%d barriers, want one before each command but the first, and one for the host", barriers)
	}
}

// TestOrder records random commands on a stream, whose tracker chooses the barriers,
// and compares what they leave with a model.
func TestOrder(t *testing.T) {
	d := open(t)
	s := stream.NewStream(d, -1)
	checkers.Lock()
	k := &checker{strict: true}
	checkers.of[d] = k
	checkers.Unlock()
	inc, kernel := increment(t, d), backendtest.Desc("increment").Kernel
	const words = 256
	rnd := rand.New(rand.NewPCG(1, 2))
	var front stream.Recorder
	var mems []*stream.Memory
	model := map[*stream.Memory][]uint32{}
	record := func(c hal.Command, uses ...stream.Use) {
		t.Helper()
		if err := s.Record(context.Background(), &front, &stream.Command{Cmd: c, Uses: uses}, new(stream.Event)); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		m, err := s.Alloc(4*words, hal.DeviceMemory)
		if err != nil {
			t.Fatal(err)
		}
		mems, model[m] = append(mems, m), make([]uint32, words)
		record(hal.Command{Op: hal.OpFill, Dst: m.HAL(), Size: 4 * words}, stream.Use{Mem: m, Lo: 0, Hi: 4 * words, Access: abi.Write})
	}
	var results []func() error
	for i := range 2000 {
		m := mems[rnd.IntN(len(mems))]
		lo := rnd.IntN(words/4) * 4
		n := 4 + rnd.IntN((words-lo)/4)*4
		hi := lo + min(n, words-lo)
		u := stream.Use{Mem: m, Lo: uint64(4 * lo), Hi: uint64(4 * hi)}
		size := u.Hi - u.Lo
		at := model[m][lo:hi]
		switch rnd.IntN(5) {
		case 0, 1:
			c := backendtest.Launch(inc, kernel, len(at), backendtest.Span{Mem: m.HAL(), Off: u.Lo, Len: len(at)})
			u.Access = abi.ReadWrite
			record(c, u)
			for k := range at {
				at[k]++
			}
		case 2:
			u.Access = abi.Write
			record(hal.Command{Op: hal.OpFill, Dst: m.HAL(), DstOff: u.Lo, Size: size, Pattern: uint32(i)}, u)
			for k := range at {
				at[k] = uint32(i)
			}
		case 3:
			other := mems[rnd.IntN(len(mems))]
			if other == m {
				continue
			}
			u.Access = abi.Read
			record(hal.Command{Op: hal.OpCopy, Src: m.HAL(), SrcOff: u.Lo, Dst: other.HAL(), DstOff: u.Lo, Size: size},
				u, stream.Use{Mem: other, Lo: u.Lo, Hi: u.Hi, Access: abi.Write})
			copy(model[other][lo:hi], at)
		case 4:
			u.Access = abi.Read
			got, want := make([]byte, size), slices.Clone(at)
			record(hal.Command{Op: hal.OpRead, Src: m.HAL(), SrcOff: u.Lo, Size: size, Host: got}, u)
			results = append(results, func() error {
				for k, w := range want {
					if g := uint32(got[4*k]) | uint32(got[4*k+1])<<8 | uint32(got[4*k+2])<<16 | uint32(got[4*k+3])<<24; g != w {
						return fmt.Errorf("command %d: word %d is %d, want %d", i, lo+k, g, w)
					}
				}
				return nil
			})
		}
		if rnd.IntN(40) == 0 {
			s.TryFlush()
		}
	}
	if err := s.WaitAll(context.Background(), &front); err != nil {
		t.Fatal(err)
	}
	for _, f := range results {
		if err := f(); err != nil {
			t.Error(err)
		}
	}
	if failed, _ := s.AllFailures(); len(failed) > 0 {
		t.Errorf("%d commands failed", len(failed))
	}
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
