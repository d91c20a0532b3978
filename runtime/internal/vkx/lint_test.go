package vkx_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const binding = "github.com/vulkan-go/vulkan"

// unsafeCalls are the binding's functions that hand the driver memory which a
// finalizer may free during the call, or which leak. They are those that marshal
// a struct or an array of structs.
var unsafeCalls = strings.Fields(`
	AllocateCommandBuffers AllocateDescriptorSets AllocateMemory BeginCommandBuffer CmdBeginRenderPass CmdBlitImage
	CmdClearAttachments CmdClearColorImage CmdClearDepthStencilImage CmdCopyBuffer CmdCopyBufferToImage CmdCopyImage
	CmdCopyImageToBuffer CmdPipelineBarrier CmdResolveImage CmdSetScissor CmdSetViewport CmdWaitEvents CreateBuffer
	CreateBufferView CreateCommandPool CreateComputePipelines CreateDebugReportCallback CreateDescriptorPool
	CreateDescriptorSetLayout CreateDevice CreateDisplayMode CreateDisplayPlaneSurface CreateEvent CreateFence
	CreateFramebuffer CreateGraphicsPipelines CreateImage CreateImageView CreateInstance CreatePipelineCache
	CreatePipelineLayout CreateQueryPool CreateRenderPass CreateSampler CreateSemaphore CreateShaderModule
	CreateSharedSwapchains CreateSwapchain DebugReportMessage EnumerateDeviceExtensionProperties
	EnumerateDeviceLayerProperties EnumerateInstanceExtensionProperties EnumerateInstanceLayerProperties
	FlushMappedMemoryRanges GetBufferMemoryRequirements GetDisplayModeProperties GetDisplayPlaneCapabilities
	GetImageMemoryRequirements GetImageSparseMemoryRequirements GetImageSubresourceLayout GetPastPresentationTimingGOOGLE
	GetPhysicalDeviceDisplayPlaneProperties GetPhysicalDeviceDisplayProperties GetPhysicalDeviceFeatures
	GetPhysicalDeviceFormatProperties GetPhysicalDeviceImageFormatProperties GetPhysicalDeviceMemoryProperties
	GetPhysicalDeviceProperties GetPhysicalDeviceQueueFamilyProperties GetPhysicalDeviceSparseImageFormatProperties
	GetPhysicalDeviceSurfaceCapabilities GetPhysicalDeviceSurfaceFormats GetRefreshCycleDurationGOOGLE
	GetRenderAreaGranularity InvalidateMappedMemoryRanges QueueBindSparse QueuePresent QueueSubmit
	SetDefaultGetInstanceProcAddr UpdateDescriptorSets`)

// TestUnsafeCalls looks for them in all sources of the repository.
func TestUnsafeCalls(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	bad := make(map[string]bool)
	for _, name := range unsafeCalls {
		bad[name] = true
	}
	users := 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() != "." && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(src), binding) {
			return nil // gone meanwhile, or no user
		}
		found, uses := lint(t, path, src, bad)
		if uses {
			users++
		}
		for _, f := range found {
			t.Error(f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if users == 0 {
		t.Error("no source uses the binding: the test looks in the wrong place")
	}
}

// lint returns the places where src calls one of bad, and whether it imports the
// binding.
func lint(t *testing.T, path string, src []byte, bad map[string]bool) (found []string, uses bool) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, src, parser.SkipObjectResolution)
	if err != nil {
		t.Logf("%v", err)
		return nil, false
	}
	name := ""
	for _, i := range f.Imports {
		if p, _ := strconv.Unquote(i.Path.Value); p == binding {
			uses, name = true, "vulkan"
			if i.Name != nil {
				name = i.Name.Name
			}
		}
	}
	if name == "." {
		return []string{path + ": a dot import of the binding hides its calls"}, true
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && uses && x.Name == name && bad[n.Sel.Name] {
				found = append(found, fset.Position(n.Pos()).String()+": vulkan."+n.Sel.Name+" is unsafe; use package vkx")
			}
			if uses && (n.Sel.Name == "PassRef" || n.Sel.Name == "PassValue") {
				found = append(found, fset.Position(n.Pos()).String()+": "+n.Sel.Name+" makes memory that a finalizer frees")
			}
		}
		return true
	})
	return found, uses
}

func TestLintFinds(t *testing.T) {
	src := "package p\nimport vk \"" + binding + "\"\nfunc f() { vk.QueueSubmit(nil, 0, nil, nil); g := vk.CreateBuffer; _ = g; vk.CmdDispatch(nil, 1, 1, 1) }\n"
	found, uses := lint(t, "p.go", []byte(src), map[string]bool{"QueueSubmit": true, "CreateBuffer": true})
	if !uses || len(found) != 2 {
		t.Errorf("found %q", found)
	}
}
