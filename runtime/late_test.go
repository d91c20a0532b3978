package runtime_test

import (
	"encoding/binary"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/kgen-go/kgen/abi"
	reducegen "github.com/kgen-go/kgen/generated/prim/reduce/kernels"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/prim/reduce/kernels"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/kernelimpl"
)

// sumKernel returns the kernel SumUint32 of prim, with a description that change makes.
func sumKernel(t testing.TB, change func(*abi.Kernel)) *runtime.Kernel {
	all := reducegen.Kernels()
	i := slices.IndexFunc(all, func(k *runtime.Kernel) bool { return k.ABI().Name == "SumUint32" })
	k := runtime.Changed(all[i], change)
	for _, v := range k.ABI().Variants {
		if late := v.Name != abi.VariantWords; (v.Make != nil) != late || (v.SPIRV == "") != late {
			t.Fatalf("the variant %s has a module of %d bytes", v.Name, len(v.SPIRV))
		}
	}
	return k
}

// sums launches the kernel on the numbers 1 to 10,000, of which a work-group adds up a block.
func sums(dev *runtime.Device, k *runtime.Kernel) (sums [3]uint32, err error) {
	x := make([]uint32, 10_000)
	for i := range x {
		x[i] = uint32(i + 1)
	}
	l := kernelimpl.NewLaunch(k)
	kernelimpl.Slice(l, 0, x)
	kernelimpl.Slice(l, 1, []int64(nil))
	kernelimpl.Value(l, 2, uint32(0))
	kernelimpl.Slice(l, 3, sums[:])
	err = l.RunND1(ctx, dev, runtime.NDRange1{Global: 3 * kernels.Size, Local: kernels.Size}, nil)
	return sums, err
}

// wantSums are the sums of 1 to 4096, 4097 to 8192, and 8193 to 10,000.
var wantSums = [3]uint32{4096 * 4097 / 2, 4096 * (4097 + 8192) / 2, 1808 * (8193 + 10_000) / 2}

// TestLateVariants: a device takes the variant that it needs, which no stub holds.
func TestLateVariants(t *testing.T) {
	for _, c := range []struct {
		lacks []properties.Aspect
		small string
		want  string // the variant
		late  bool
	}{
		{nil, "never", "general", false},
		{nil, "", "small", true},
		{[]properties.Aspect{properties.Int64}, "", "words", false},
		{[]properties.Aspect{properties.SubGroups}, "", "alone", true},
		{[]properties.Aspect{properties.SubGroups, properties.Int64}, "", "aloneWords", true},
	} {
		t.Run(c.want, func(t *testing.T) {
			t.Setenv("KGEN_SMALL", c.small)
			log := newRecords(slog.LevelDebug)
			dev := devtest.Vulkan(t, runtime.Logger(slog.New(log)), runtime.MaskAspects(c.lacks...))
			k := sumKernel(t, func(*abi.Kernel) {})
			for range 2 {
				if got, err := sums(dev, k); err != nil || got != wantSums {
					t.Errorf("got %v, %v, want %v", got, err, wantSums)
				}
			}
			if text := log.String(); strings.Count(text, `msg="kgen: kernel compiled" kernel=kernels.SumUint32`) != 1 || !strings.Contains(text, "variant="+c.want+" workGroup") {
				t.Errorf("no variant %s in\n%s", c.want, text)
			} else if made := strings.Count(text, `msg="kgen: module made" kernel=kernels.SumUint32 variant=`+c.want); made > 1 || (made == 1) != c.late {
				t.Errorf("made %d times in\n%s", made, text)
			}
		})
	}
}

// TestLateOnce: of all goroutines and devices, the first one makes a module.
func TestLateOnce(t *testing.T) {
	var made atomic.Int32
	k := sumKernel(t, func(k *abi.Kernel) {
		for i := range k.Variants {
			if of := k.Variants[i].Make; of != nil {
				k.Variants[i].Make = func(k *abi.Kernel, v *abi.Variant) ([]uint32, error) {
					made.Add(1)
					return of(k, v)
				}
			}
		}
	})
	var wg sync.WaitGroup
	for range 2 {
		dev := devtest.Vulkan(t, runtime.MaskAspects(properties.SubGroups))
		for range 8 {
			wg.Go(func() {
				if got, err := sums(dev, k); err != nil || got != wantSums {
					t.Errorf("got %v, %v, want %v", got, err, wantSums)
				}
			})
		}
	}
	wg.Wait()
	if n := made.Load(); n != 1 {
		t.Errorf("made %d times", n)
	}
}

// TestLateDamaged: a module that cannot be made, or that is not the one that kgen has made, is an
// error that names the kernel. No other module takes its place, not even for a small launch.
func TestLateDamaged(t *testing.T) {
	devices := map[string][]runtime.OpenOption{"small": nil, "alone": {runtime.MaskAspects(properties.SubGroups)}}
	for _, c := range []struct {
		name   string
		change func(*abi.Kernel)
		want   string
	}{
		{"other file", func(k *abi.Kernel) { k.IR = strings.Replace(k.IR, "IAdd", "ISub", 1) }, "the file SumUint32.spv that was built in is not the one"},
		{"no file", func(k *abi.Kernel) { k.IR = "" }, "the file SumUint32.spv that was built in is not the one"},
		{"no IR", func(k *abi.Kernel) { k.IR, k.Sum = "", 0 }, "SumUint32 has no IR"},
		{"no text", func(k *abi.Kernel) { k.IR, k.Sum = k.IR[:len(k.IR)/2], 0 }, "the IR of "},
		{"of another kernel", func(k *abi.Kernel) { k.IR, k.Sum = reducegen.Kernels()[0].ABI().IR, 0 }, "is that of another kernel"},
		{"other code", func(k *abi.Kernel) { k.IR, k.Sum = strings.Replace(k.IR, "IAdd", "ISub", 1), 0 }, "another version of the compiler"},
		{"other checksum", func(k *abi.Kernel) {
			for i := range k.Variants {
				k.Variants[i].Sum++
			}
			k.Variants[1].Sum-- // that of the file in words
		}, "another version of the compiler"},
		{"other name", func(k *abi.Kernel) {
			for i := range k.Variants {
				if k.Variants[i].Make != nil {
					k.Variants[i].Name = "late"
				}
			}
		}, `has no variant "late"`},
		{"bug", func(k *abi.Kernel) {
			for i := range k.Variants {
				if k.Variants[i].Make != nil {
					k.Variants[i].Make = func(k *abi.Kernel, v *abi.Variant) ([]uint32, error) { return kernelimpl.MakeModule(nil, v) }
				}
			}
		}, "BUG: "},
	} {
		for name, opts := range devices {
			t.Run(c.name+" "+name, func(t *testing.T) {
				k := runtime.Changed(sumKernel(t, func(*abi.Kernel) {}), c.change)
				dev := devtest.Vulkan(t, opts...)
				for range 2 {
					_, err := sums(dev, k)
					e := new(runtime.Error)
					if !errors.As(err, &e) || !errors.Is(err, runtime.ErrBuild) || e.Kernel != "kernels.SumUint32" || !strings.Contains(err.Error(), c.want) || e.Remedy == "" {
						t.Fatalf("got %v, want %q", err, c.want)
					}
				}
				_, err := must(runtime.NewProgram(dev, k)).Build()
				if !errors.Is(err, runtime.ErrBuild) && name == "alone" {
					t.Errorf("a program is built: %v", err)
				}
				if got, err := sums(devtest.Host(t), k); err != nil || got != wantSums {
					t.Errorf("on the host device: %v, %v", got, err)
				}
			})
		}
	}
}

// TestLateLoaded: a module of the caller's own runs small launches, too, since no IR is that of it.
func TestLateLoaded(t *testing.T) {
	k := sumKernel(t, func(k *abi.Kernel) { k.Sum = 0 })
	var words []uint32
	for s := k.ABI().SPIRV; s != ""; s = s[4:] {
		words = append(words, binary.LittleEndian.Uint32([]byte(s[:4])))
	}
	dev := devtest.Vulkan(t)
	p := must(runtime.LoadModule(dev, words, *k.ABI()))
	if got, err := sums(dev, p.Kernels()[0]); err != nil || got != wantSums {
		t.Errorf("got %v, %v, want %v", got, err, wantSums)
	}
}

// BenchmarkLate makes the variants of a kernel of prim of its IR.
func BenchmarkLate(b *testing.B) {
	for _, k := range reducegen.Kernels() {
		if name := k.ABI().Name; name != "SumUint32" && name != "Ends64" {
			continue
		}
		for i := range k.ABI().Variants {
			v := &k.ABI().Variants[i]
			b.Run(k.ABI().Name+"."+v.Name, func(b *testing.B) {
				for b.Loop() {
					if _, err := kernelimpl.MakeModule(k.ABI(), v); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
