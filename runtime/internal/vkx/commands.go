//go:build cgo && linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package vkx

// #include "vkx.h"
import "C"

import (
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// Commands is a batch of commands as plain integers, recorded by [Device.Submit].
type Commands []uint32

func split(v uint64) (lo, hi uint32) { return uint32(v), uint32(v >> 32) }

func (c *Commands) add64(v uint64) { *c = append(*c, uint32(v), uint32(v>>32)) }

// BindPipeline appends vkCmdBindPipeline.
func (c *Commands) BindPipeline(p vk.Pipeline) {
	lo, hi := split(uint64(uintptr(unsafe.Pointer(p))))
	*c = append(*c, C.VKX_CMD_BIND, lo, hi)
}

// PushConstants appends vkCmdPushConstants of n words at offset 0, which the
// caller fills in.
func (c *Commands) PushConstants(layout vk.PipelineLayout, n int) []uint32 {
	lo, hi := split(uint64(uintptr(unsafe.Pointer(layout))))
	*c = append(*c, C.VKX_CMD_PUSH, lo, hi, uint32(4*n))
	at := len(*c)
	for range n {
		*c = append(*c, 0)
	}
	return (*c)[at:]
}

// Dispatch appends vkCmdDispatch.
func (c *Commands) Dispatch(n [3]uint32) { *c = append(*c, C.VKX_CMD_DISPATCH, n[0], n[1], n[2]) }

// DispatchBase appends vkCmdDispatchBase.
func (c *Commands) DispatchBase(base, n [3]uint32) {
	*c = append(*c, C.VKX_CMD_DISPATCH_BASE, base[0], base[1], base[2], n[0], n[1], n[2])
}

// Barrier appends vkCmdPipelineBarrier with one memory barrier.
func (c *Commands) Barrier(srcStages vk.PipelineStageFlagBits, srcAccess vk.AccessFlagBits,
	dstStages vk.PipelineStageFlagBits, dstAccess vk.AccessFlagBits) {
	*c = append(*c, C.VKX_CMD_BARRIER, uint32(srcStages), uint32(srcAccess), uint32(dstStages), uint32(dstAccess))
}

// Copy appends vkCmdCopyBuffer.
func (c *Commands) Copy(src, dst vk.Buffer, srcOffset, dstOffset, size uint64) {
	*c = append(*c, C.VKX_CMD_COPY)
	c.add64(uint64(uintptr(unsafe.Pointer(src))))
	c.add64(uint64(uintptr(unsafe.Pointer(dst))))
	c.add64(srcOffset)
	c.add64(dstOffset)
	c.add64(size)
}

// Fill appends vkCmdFillBuffer.
func (c *Commands) Fill(dst vk.Buffer, offset, size uint64, pattern uint32) {
	*c = append(*c, C.VKX_CMD_FILL)
	c.add64(uint64(uintptr(unsafe.Pointer(dst))))
	c.add64(offset)
	c.add64(size)
	*c = append(*c, pattern)
}

// Execute appends vkCmdExecuteCommands of one secondary command buffer. It leaves no pipeline
// bound.
func (c *Commands) Execute(cb vk.CommandBuffer) {
	*c = append(*c, C.VKX_CMD_EXECUTE)
	c.add64(uint64(uintptr(unsafe.Pointer(cb))))
}

// ResetQueries appends vkCmdResetQueryPool of n queries from first on.
func (c *Commands) ResetQueries(pool vk.QueryPool, first, n int) {
	*c = append(*c, C.VKX_CMD_RESET_QUERIES)
	c.add64(uint64(uintptr(unsafe.Pointer(pool))))
	*c = append(*c, uint32(first), uint32(n))
}

// Timestamp appends vkCmdWriteTimestamp: the time when all commands before it have passed the stage.
func (c *Commands) Timestamp(stage vk.PipelineStageFlagBits, pool vk.QueryPool, query int) {
	*c = append(*c, C.VKX_CMD_TIMESTAMP)
	c.add64(uint64(uintptr(unsafe.Pointer(pool))))
	*c = append(*c, uint32(query), uint32(stage))
}
