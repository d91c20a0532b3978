//go:build ((darwin || windows) && (amd64 || arm64)) || (!cgo && linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64))

package vkx

import "unsafe"

// The method `submit` allocates no memory, because every launch calls the method.
func (d *Device) submit(s *Submission, commands Commands) Result {
	f := newFrame()
	defer f.free()
	cb := uintptr(s.Buffer)
	if !s.Again {
		if r := d.encodeInto(f, cb, commands); r < 0 {
			return r
		}
	}
	waits := bool32(s.Wait != 0)
	f.buffer, f.signal, f.signalValue = cb, uintptr(s.Timeline), s.Value
	f.waited, f.waitedAt, f.stages = uintptr(s.Wait), s.After, uint32(s.Stages)
	f.submit.waitSemaphoreCount, f.values.waitSemaphoreValueCount = waits, waits
	return f.callResult(d.fn.QueueSubmit, uintptr(s.Queue), 1, uintptr(ptr(&f.submit)), 0)
}

// noInheritance says that secondary command buffers inherit no state.
var noInheritance = &commandBufferInheritanceInfo{sType: structureTypeCommandBufferInheritanceInfo}

func (d *Device) record(cb CommandBuffer, commands Commands) Result {
	f := newFrame()
	defer f.free()
	f.begin.pInheritanceInfo = ptr(noInheritance)
	return d.encodeInto(f, uintptr(cb), commands)
}

// encodeInto records the commands into a command buffer. encodeInto also makes the
// calls that begin and end the command buffer.
func (d *Device) encodeInto(f *callFrame, cb uintptr, commands Commands) Result {
	if r := f.callResult(d.fn.BeginCommandBuffer, cb, uintptr(ptr(&f.begin))); r < 0 {
		return r
	}
	f.words = commands
	ok := d.recordCommands(f, cb, commands)
	if r := f.callResult(d.fn.EndCommandBuffer, cb); r < 0 {
		return r
	}
	if !ok {
		return ErrorInitializationFailed
	}
	return Success
}

// commandLengths contains the number of 32-bit words of each command, without the data of cmdPush.
var commandLengths = [numCommands]int{
	cmdBind: 3, cmdPush: 4, cmdDispatch: 4, cmdDispatchBase: 7, cmdBarrier: 5, cmdCopy: 11, cmdFill: 8,
	cmdExecute: 3, cmdResetQueries: 5, cmdTimestamp: 5,
}

// u64 combines two 32-bit words into a 64-bit value.
func u64(w []uint32) uint64 { return uint64(w[0]) | uint64(w[1])<<32 }

// recordCommands records the encoded commands. recordCommands returns false for an unknown or
// truncated command, which vkx never writes.
func (d *Device) recordCommands(f *callFrame, cb uintptr, w Commands) bool {
	for len(w) > 0 {
		op := w[0]
		if op == 0 || op >= numCommands || len(w) < commandLengths[op] {
			return false
		}
		n := commandLengths[op]
		switch op {
		case cmdBind:
			f.call(d.fn.CmdBindPipeline, cb, pipelineBindPointCompute, uintptr(u64(w[1:])))
		case cmdPush:
			n += int(w[3] / 4)
			if len(w) < n {
				return false
			}
			f.call(d.fn.CmdPushConstants, cb, uintptr(u64(w[1:])), shaderStageComputeBit, 0, uintptr(w[3]), uintptr(ptr(unsafe.SliceData(w[4:]))))
		case cmdDispatch:
			f.call(d.fn.CmdDispatch, cb, uintptr(w[1]), uintptr(w[2]), uintptr(w[3]))
		case cmdDispatchBase:
			f.call(d.fn.CmdDispatchBase, cb, uintptr(w[1]), uintptr(w[2]), uintptr(w[3]), uintptr(w[4]), uintptr(w[5]), uintptr(w[6]))
		case cmdBarrier:
			f.barrier.srcAccessMask, f.barrier.dstAccessMask = w[2], w[4]
			f.call(d.fn.CmdPipelineBarrier, cb, uintptr(w[1]), uintptr(w[3]), 0, 1, uintptr(ptr(&f.barrier)), 0, 0, 0, 0)
		case cmdCopy:
			f.copy = bufferCopy{u64(w[5:]), u64(w[7:]), u64(w[9:])}
			f.call(d.fn.CmdCopyBuffer, cb, uintptr(u64(w[1:])), uintptr(u64(w[3:])), 1, uintptr(ptr(&f.copy)))
		case cmdFill:
			f.call(d.fn.CmdFillBuffer, cb, uintptr(u64(w[1:])), uintptr(u64(w[3:])), uintptr(u64(w[5:])), uintptr(w[7]))
		case cmdExecute:
			f.buffer = uintptr(u64(w[1:]))
			f.call(d.fn.CmdExecuteCommands, cb, 1, uintptr(ptr(&f.buffer)))
		case cmdResetQueries:
			f.call(d.fn.CmdResetQueryPool, cb, uintptr(u64(w[1:])), uintptr(w[3]), uintptr(w[4]))
		case cmdTimestamp:
			f.call(d.fn.CmdWriteTimestamp, cb, uintptr(w[4]), uintptr(u64(w[1:])), uintptr(w[3]))
		}
		w = w[n:]
	}
	return true
}
