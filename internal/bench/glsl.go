package bench

import (
	"embed"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/runtime"
)

// shaderFiles contains the SPIR-V modules of the GLSL shaders in folder glsl. Command "make shaders" compiles the shaders.
//
//go:embed glsl/*.spv
var shaderFiles embed.FS

// addShader adds a shader to job j as a contestant. The shader is hand-written, computes the same as kernel k, and uses
// 32-bit arithmetic without checks. The shader has the same arguments as kernel k.
func (b *Bench) addShader(j *Job, k *runtime.Kernel, name string, r runtime.Range, args []any, reset, check func() error) error {
	if b.dev.Info().Backend != "vulkan" {
		return nil
	}
	raw, err := shaderFiles.ReadFile("glsl/" + name + ".spv")
	if err != nil {
		return err
	}
	words := make([]uint32, len(raw)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	d := k.ABI()
	p, err := runtime.LoadModule(b.dev, words, abi.Kernel{Name: name, Package: "glsl", Form: d.Form, Rank: d.Rank,
		Params: slices.Clone(d.Params), ArgSize: d.ArgSize})
	if err != nil {
		return fmt.Errorf("shader %s: %w", name, err)
	}
	j.Contestants = append(j.Contestants, Contestant{"GLSL", b.launches(p.Kernels()[0], r, args...), reset, check})
	return nil
}

// withShader adds a kernel and its shader as contestants to a job.
func (b *Bench) withShader(j *Job, k *runtime.Kernel, name string, r runtime.Range, args []any, reset, check func() error) error {
	j.Contestants = append(j.Contestants, Contestant{kgen, b.launches(k, r, args...), reset, check})
	return b.addShader(j, k, name, r, args, reset, check)
}
