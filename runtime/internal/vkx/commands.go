//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vkx

// Commands is a batch of Vulkan commands, encoded as plain integers. [Device.Submit] records them.
type Commands []uint32

func split(v uint64) (lo, hi uint32) { return uint32(v), uint32(v >> 32) }

func (c *Commands) add64(v uint64) { *c = append(*c, uint32(v), uint32(v>>32)) }

// BindPipeline appends vkCmdBindPipeline.
func (c *Commands) BindPipeline(p Pipeline) {
	lo, hi := split(uint64(p))
	*c = append(*c, cmdBind, lo, hi)
}

// PushConstants appends vkCmdPushConstants of n 32-bit words at offset 0. PushConstants returns the
// words, which the caller then sets.
func (c *Commands) PushConstants(layout PipelineLayout, n int) []uint32 {
	lo, hi := split(uint64(layout))
	*c = append(*c, cmdPush, lo, hi, uint32(4*n))
	at := len(*c)
	for range n {
		*c = append(*c, 0)
	}
	return (*c)[at:]
}

// Dispatch appends vkCmdDispatch.
func (c *Commands) Dispatch(n [3]uint32) { *c = append(*c, cmdDispatch, n[0], n[1], n[2]) }

// DispatchBase appends vkCmdDispatchBase.
func (c *Commands) DispatchBase(base, n [3]uint32) {
	*c = append(*c, cmdDispatchBase, base[0], base[1], base[2], n[0], n[1], n[2])
}

// Barrier appends vkCmdPipelineBarrier with one memory barrier.
func (c *Commands) Barrier(srcStages PipelineStageFlags, srcAccess AccessFlags,
	dstStages PipelineStageFlags, dstAccess AccessFlags) {
	*c = append(*c, cmdBarrier, uint32(srcStages), uint32(srcAccess), uint32(dstStages), uint32(dstAccess))
}

// Copy appends vkCmdCopyBuffer.
func (c *Commands) Copy(src, dst Buffer, srcOffset, dstOffset, size uint64) {
	*c = append(*c, cmdCopy)
	c.add64(uint64(src))
	c.add64(uint64(dst))
	c.add64(srcOffset)
	c.add64(dstOffset)
	c.add64(size)
}

// Fill appends vkCmdFillBuffer.
func (c *Commands) Fill(dst Buffer, offset, size uint64, pattern uint32) {
	*c = append(*c, cmdFill)
	c.add64(uint64(dst))
	c.add64(offset)
	c.add64(size)
	*c = append(*c, pattern)
}

// Execute appends vkCmdExecuteCommands of one secondary command buffer. After this command, no
// pipeline is bound.
func (c *Commands) Execute(cb CommandBuffer) {
	*c = append(*c, cmdExecute)
	c.add64(uint64(cb))
}

// ResetQueries appends vkCmdResetQueryPool, for n queries that begin with the query number `first`.
func (c *Commands) ResetQueries(pool QueryPool, first, n int) {
	*c = append(*c, cmdResetQueries)
	c.add64(uint64(pool))
	*c = append(*c, uint32(first), uint32(n))
}

// Timestamp appends vkCmdWriteTimestamp, which stores the time at which all earlier commands have
// passed the stage.
func (c *Commands) Timestamp(stage PipelineStageFlags, pool QueryPool, query int) {
	*c = append(*c, cmdTimestamp)
	c.add64(uint64(pool))
	*c = append(*c, uint32(query), uint32(stage))
}
