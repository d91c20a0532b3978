package runtime_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	goruntime "runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/internal/tests/cheapstat"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/need"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/backendtest"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

// module registers a kernel of the backends' test suite, which has a module.
func module(name string, host func(*kernelimpl.HostArgs) any) *runtime.Kernel {
	k := *backendtest.Desc(name).Kernel
	var b strings.Builder
	for _, w := range backendtest.Module(name) {
		b.Write([]byte{byte(w), byte(w >> 8), byte(w >> 16), byte(w >> 24)})
	}
	k.SPIRV = b.String()
	return kernelimpl.Register(&k, host)
}

var (
	increment = module("increment", func(a *kernelimpl.HostArgs) any {
		x := kernelimpl.HostSlice[uint32](a, 0)
		return func(it dsl.Item1) { x[it.GlobalID()]++ }
	})
	saxpy = module("saxpy", func(a *kernelimpl.HostArgs) any {
		x, y, f := kernelimpl.HostSlice[float32](a, 0), kernelimpl.HostSlice[float32](a, 1), kernelimpl.HostValue[float32](a, 2)
		return func(it dsl.Item1) { y[it.GlobalID()] += float32(f * x[it.GlobalID()]) }
	})
	faulty = module("fault", func(a *kernelimpl.HostArgs) any {
		x, first := kernelimpl.HostSlice[uint32](a, 0), int(kernelimpl.HostValue[uint32](a, 1))
		return func(it dsl.Item1) {
			i := it.GlobalID()
			if i >= first {
				x[i+len(x)] = 0
			}
			x[i] = uint32(i)
		}
	})
)

func TestVulkanIsThere(t *testing.T) {
	for _, d := range runtime.Devices() {
		if d.Backend == "vulkan" {
			return
		}
	}
	_, err := runtime.Open(runtime.Select("vulkan"))
	need.Missing(t, need.Vulkan, "%v", err)
}

// TestPipelineCache: a directory for pipelines that cannot be used is no reason to open
// another device, nor to do without.
func TestPipelineCache(t *testing.T) {
	devtest.Vulkan(t)
	vulkanIsGPU(t)
	file := filepath.Join(need.Dir(t), "file")
	check(t, os.WriteFile(file, nil, 0o600))
	for _, dir := range []string{filepath.Join(file, "dir"), "/proc/self"} {
		t.Setenv("KGEN_PIPELINE_CACHE", dir)
		for _, opts := range [][]runtime.OpenOption{{runtime.Select("vulkan")}, nil} {
			dev, err := runtime.Open(opts...)
			if err == nil {
				t.Errorf("%s: %s was opened", dir, dev.Name())
				check(t, dev.Close())
				continue
			}
			var e *runtime.Error
			if !errors.As(err, &e) || !errors.Is(err, runtime.ErrInvalid) || !errors.As(err, new(*fs.PathError)) || !strings.Contains(err.Error(), "KGEN_PIPELINE_CACHE=") {
				t.Errorf("%s: error %v", dir, err)
			}
			t.Log(err)
		}
	}
	dir := filepath.Join(need.Dir(t), "new", "dir")
	t.Setenv("KGEN_PIPELINE_CACHE", dir)
	dev := must(runtime.Open(runtime.Select("vulkan")))
	check(t, dev.Close())
	if list := must(filepath.Glob(filepath.Join(dir, "pipelines*"))); len(list) != 1 || filepath.Ext(list[0]) != ".bin" {
		t.Errorf("%s holds %v", dir, list)
	}
}

// TestSwiftShader runs modules on a second driver.
func TestSwiftShader(t *testing.T) {
	swiftshader.Run(t, []string{"^Test(VulkanIsThere|Modules|LeaveVulkan|Profile.*|Trace.*)$", "^Test(VulkanIsThere|Modules)$"}[sample.Of(0, 1)])
}

// TestModules runs modules through the whole runtime, on all devices.
func TestModules(t *testing.T) {
	copies(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		const n = 1000

		// Slices of the program, which overlap.
		all := iota[float32](2*n - 100)
		want := iota[float32](2*n - 100)
		for i := range n {
			want[n-100+i] += 2 * float32(i+1)
		}
		l := kernelimpl.NewLaunch(saxpy)
		kernelimpl.Slice(l, 0, all[:100])
		kernelimpl.Slice(l, 1, all[n-100:n])
		kernelimpl.Value(l, 2, float32(2))
		check(t, l.Run1(ctx, dev, 100, nil))
		equal(t, "Run", all[:n], want[:n])
		equal(t, "Run, behind", all[n:], iota[float32](2*n - 100)[n:])

		// Launches that read what others write, from two queues.
		x := must(runtime.NewBuffer[uint32](dev, n))
		q2 := dev.NewQueue()
		const rounds = 600
		inc := func(q *runtime.Queue, v runtime.View[uint32]) runtime.Event {
			l := kernelimpl.NewLaunch(increment)
			kernelimpl.View(l, 0, v)
			return must(l.ParallelFor1(q, runtime.Range1(v.Len()), nil))
		}
		for range rounds {
			inc(q, x.All())
			inc(q2, x.Slice(0, n/2))
		}
		got := make([]uint32, n)
		check(t, x.CopyTo(ctx, q, got))
		for i, v := range got {
			if w := uint32(rounds * (1 + (n-1-i)/(n/2))); v != w {
				t.Fatalf("[%d] = %d, want %d", i, v, w)
			}
		}

		// A fault comes back, and the device works on.
		l = kernelimpl.NewLaunch(faulty)
		kernelimpl.View(l, 0, x.All())
		kernelimpl.Value(l, 1, uint32(n-1))
		ev := must(l.ParallelFor1(q, n, nil))
		var f *runtime.Fault
		if err := ev.Wait(ctx); !errors.As(err, &f) || f.A != 2*n-1 || f.B != n || f.GlobalID[0] != n-1 {
			t.Errorf("fault: %v", err)
		}
		check(t, inc(q, x.All()).Wait(ctx))
		check(t, q.Wait(ctx))
		check(t, x.CopyTo(ctx, q, got))
		if got[0] != 1 || got[n-2] != n-1 {
			t.Errorf("after a fault: %d, %d", got[0], got[n-2])
		}
		check(t, x.Close())
	})
}

// TestModuleCycles makes, uses and frees many buffers. After a warm-up neither the
// process nor the heaps of C, where software devices have their memory, and of Go
// may grow: 8 MiB is 900 bytes a cycle. A driver of a GPU keeps 100 KB there for each submission in
// flight, of which there may be some more once than in the warm-up. The fake device that notes all commands is
// held to less.
func TestModuleCycles(t *testing.T) {
	cycles := 10_000
	if testing.Short() {
		cycles = 1000
	}
	copies(t, func(t *testing.T, dev *runtime.Device) {
		q := dev.DefaultQueue()
		data := make([]uint32, 20_000) // 800 MB in all
		before := measure(t)
		for i := range cycles {
			b := must(runtime.BufferOf(dev, data))
			l := kernelimpl.NewLaunch(increment)
			kernelimpl.View(l, 0, b.All())
			must(l.ParallelFor1(q, 64, nil))
			check(t, b.Close())
			if i%100 == 0 {
				check(t, q.Wait(ctx)) // what is in flight must not count
			}
			if i == cycles/5 {
				check(t, q.Wait(ctx))
				before = measure(t)
			}
		}
		check(t, q.Wait(ctx))
		after := measure(t)
		process, heap := 8<<20, 1<<20
		if dev.Info().Type == runtime.DiscreteGPU {
			heap = 3 << 20
		}
		if raceEnabled || strings.HasSuffix(t.Name(), "/copying") {
			process, heap = 128<<20, 128<<20
		}
		t.Logf("from %+v to %+v", before, after)
		if after.process > before.process+process {
			t.Errorf("the process grows from %d to %d bytes", before.process, after.process)
		}
		if after.c > before.c+heap {
			t.Errorf("the heap of C grows from %d to %d bytes", before.c, after.c)
		}
		if after.golang > before.golang+heap {
			t.Errorf("the heap of Go grows from %d to %d bytes", before.golang, after.golang)
		}
	})
}

// memory is what a process has, in bytes.
type memory struct{ process, c, golang int }

func measure(t *testing.T) memory {
	debug.FreeOSMemory()
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	c, _ := cheapstat.InUse()
	return memory{resident(t), c, int(m.HeapAlloc)}
}

// resident returns the bytes of memory that the process has.
func resident(t *testing.T) int {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		if goruntime.GOOS == "linux" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(b))[1])
	check(t, err)
	return pages * os.Getpagesize()
}

// TestDamagedModule: a module that is not the one of its stubs is an error, and none of
// the others takes its place.
func TestDamagedModule(t *testing.T) {
	good := increment.ABI().SPIRV
	kernel := func(spirv, words string) *runtime.Kernel {
		k := *backendtest.Desc("increment").Kernel
		k.Name, k.SPIRV, k.Sum = "Increment", spirv, abi.Sum(good)
		k.Variants = []abi.Variant{{Name: abi.VariantWords, SPIRV: words, Sum: abi.Sum(good)}}
		return kernelimpl.Register(&k, func(a *kernelimpl.HostArgs) any {
			x := kernelimpl.HostSlice[uint32](a, 0)
			return func(it dsl.Item1) { x[it.GlobalID()]++ }
		})
	}
	flipped := []byte(good)
	flipped[len(flipped)/2] ^= 0x40
	other := backendtest.Desc("fault").Kernel.SPIRV
	copies(t, func(t *testing.T, dev *runtime.Device) {
		for _, c := range []struct{ spirv, words, file string }{
			{good, good, ""},
			{"", good, "Increment.spv"},
			{good[:len(good)-2], good, "Increment.spv"},
			{good[:len(good)/8*4], good, "Increment.spv"},
			{string(flipped), good, "Increment.spv"},
			{other, good, "Increment.spv"},
			{good, other, "Increment.words.spv"},
		} {
			x := []uint32{1, 2, 3}
			l := kernelimpl.NewLaunch(kernel(c.spirv, c.words))
			kernelimpl.Slice(l, 0, x)
			err := l.Run1(ctx, dev, 3, nil)
			if wrong := c.file != "" && dev.Info().Backend != "host"; !wrong {
				if err != nil || x[2] != 4 {
					t.Errorf("%v, %v", x, err)
				}
			} else if !errors.Is(err, runtime.ErrBuild) || !strings.Contains(err.Error(), "the file "+c.file+" ") {
				t.Errorf("%d bytes, and %d: %v", len(c.spirv), len(c.words), err)
			}
		}
	})
}

// TestRefusedModule: where the driver does not take a kernel's module, one of its
// variants may do.
func TestRefusedModule(t *testing.T) {
	k := *backendtest.Desc("increment").Kernel
	k.Variants = []abi.Variant{{Name: "none"}, {Name: abi.VariantWords, SPIRV: increment.ABI().SPIRV}}
	refused := kernelimpl.Register(&k, func(a *kernelimpl.HostArgs) any {
		x := kernelimpl.HostSlice[uint32](a, 0)
		return func(it dsl.Item1) { x[it.GlobalID()]++ }
	})
	copies(t, func(t *testing.T, dev *runtime.Device) {
		x := []uint32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
		l := kernelimpl.NewLaunch(refused)
		kernelimpl.Slice(l, 0, x)
		if err := l.Run1(ctx, dev, 10, nil); err != nil || x[3] != 5 {
			t.Errorf("%v, %v", x, err)
		}
	})
}
