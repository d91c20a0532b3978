//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || ((darwin || windows) && (amd64 || arm64))

package vulkan

import (
	"slices"
	"testing"
)

func TestUnsupported(t *testing.T) {
	module := func(capabilities ...uint32) []uint32 {
		words := []uint32{0x07230203, 0x10500, 0, 1, 0}
		for _, c := range capabilities {
			words = append(words, 2<<16|17, c)
		}
		return append(words, 3<<16|14, 5348, 3)
	}
	without := func(missing ...string) func(string) bool {
		return func(f string) bool { return !slices.Contains(missing, f) }
	}
	for _, c := range []struct {
		module []uint32
		has    func(string) bool
		want   []string
	}{
		{module(1, 11, 5347), without(), nil},
		{module(1, 11, 5347), without("shaderInt64"), []string{"Int64"}},
		{module(10, 39, 4448), without("shaderFloat64", "storageBuffer8BitAccess"), []string{"Float64", "StorageBuffer8BitAccess"}},
		{module(1), without("shaderInt64"), nil},
		{module(1, 61, 62), without("VK_SUBGROUP_FEATURE_VOTE_BIT"), []string{"GroupNonUniformVote"}},
		{[]uint32{0x07230203, 0x10500, 0, 1, 0, 17}, without("shaderInt64"), nil},
		{nil, without(), nil},
	} {
		if got := missingFeatures(c.module, c.has); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.module, got, c.want)
		}
	}
}
