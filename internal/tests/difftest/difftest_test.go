package difftest

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/spirv"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/internal/tests/difftest/atomics"
	"github.com/kgen-go/kgen/internal/tests/difftest/atomics/atomicsgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/corpus/corpusgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/dispatch/dispatchgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/golang/golanggen"
	"github.com/kgen-go/kgen/internal/tests/difftest/groups/groupsgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/tables/tablesgen"
	"github.com/kgen-go/kgen/internal/tests/difftest/words/wordsgen"
	"github.com/kgen-go/kgen/internal/tests/sample"
	"github.com/kgen-go/kgen/internal/tests/swiftshader"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime"
)

// TestMain has the host device run what gc makes of kernels, in all tests but those
// of its host forms: it is what devices are compared with.
func TestMain(m *testing.M) {
	panicIfAsked()
	devtest.ManyKernels()
	if os.Getenv("KGEN_HOST_FORM") == "" {
		os.Setenv("KGEN_HOST_FORM", "off")
	}
	os.Exit(m.Run())
}

// heavy has the names of cases whose kernels take drivers seconds each to compile. They run on
// devices with -every-case alone, and in TestInterpreter and TestForms always.
var heavy = regexp.MustCompile("^(Pipeline|Sort(Unstable|Inconsistent|Interfaces|InterfacesStable)|Stable|Unicodes|Bytes)(/|$)")

// TestDevices runs every second kernel that is not heavy on the host device and on the Vulkan
// device, or on SwiftShader, and compares: of kernels with several cases the first, and one in five
// of the others. Cases often come in pairs, such as one that ends well and one that faults: every
// second one would be the same kind each time. TestInterpreter runs all kernels, and -every-case
// all cases everywhere.
func TestDevices(t *testing.T) {
	seen := map[string]int{} // kernels, with their places
	compareSome(t, nil, func(i int, name string) bool {
		kernel, _, _ := strings.Cut(name, "/")
		place, again := seen[kernel]
		if !again {
			place = len(seen)
			seen[kernel] = place
		}
		switch {
		case place%2 == 1:
			return false
		case swiftshader.On():
			return onSwiftShader(i, name) && (!again || i%5 == 2)
		case onSwiftShader(i, name) && swiftshader.Manifest() != "":
			return false // that driver runs it
		default:
			return !again || i%5 == 1
		}
	})
}

// TestGeneral does so without the variants for small launches, which most of the
// launches are.
func TestGeneral(t *testing.T) {
	t.Setenv("KGEN_SMALL", "never")
	compareSome(t, nil, func(i int, _ string) bool { return i%17 == 0 })
}

// TestWords does so with the variants for devices that compute in words.
func TestWords(t *testing.T) {
	compareSome(t, nil, func(i int, name string) bool { return i%26 == 0 || i%9 == 0 && demands(name) },
		runtime.MaskAspects(properties.Int8, properties.Int16, properties.Int64, properties.Atomic64))
}

// onSwiftShader reports whether SwiftShader runs a case, whose driver compiles in half the time
// that Mesa's takes. TestWords has some of the others, and a ninth of those that SwiftShader lacks
// an aspect for.
func onSwiftShader(i int, name string) bool { return i%8 > 1 && !demands(name) }

// TestAlone does so, as far as work-groups combine values, with the variants for
// devices without sub-groups. Where a device computes in words as well as not, each takes
// a sixteenth of the cases.
func TestAlone(t *testing.T) {
	t.Run("native", func(t *testing.T) {
		if swiftshader.On() {
			t.Skip("SwiftShader computes in words")
		}
		compareSome(t, aloneCases, func(i int, _ string) bool { return i%16 == 0 }, runtime.MaskAspects(properties.SubGroups))
	})
	t.Run("words", func(t *testing.T) {
		compareSome(t, aloneCases, func(i int, _ string) bool { return i%16 == 2 || swiftshader.On() },
			runtime.MaskAspects(properties.SubGroups, properties.Int8, properties.Int16, properties.Int64, properties.Atomic64))
	})
}

// aloneCases has the names of cases whose kernels have such variants.
var aloneCases = regexp.MustCompile("^(Whole|Choices|UniformRows|Stated|AtomicTyped|Alone)")

// TestSwiftShader does so on a device that needs them.
func TestSwiftShader(t *testing.T) {
	var flags []string
	if *everyCase {
		flags = append(flags, "-every-case")
	}
	swiftshader.Run(t, "^Test(Devices|Alone|Correction|WordsViews)$", flags...)
}

func moduleWords(module string) []uint32 {
	list := make([]uint32, len(module)/4)
	for i := range list {
		list[i] = binary.LittleEndian.Uint32([]byte(module[4*i : 4*i+4]))
	}
	return list
}

// TestNoVariant: without 64-bit atomics the launch says that they are missing.
func TestNoVariant(t *testing.T) {
	dev := devtest.Vulkan(t, runtime.MaskAspects(properties.Int64, properties.Atomic64))
	k := atomics.Longs{In: make([]int64, 4), Sum: make([]int64, 7), U: make([]uint64, 6), Out: make([]int64, 8)}
	err := atomicsgen.RunLongs(context.Background(), dev, k, 4)
	if !errors.Is(err, runtime.ErrKernelNotSupported) || !strings.Contains(err.Error(), "aspects int64, atomic64") {
		t.Errorf("got error %v", err)
	}
}

var everyCase = flag.Bool("every-case", false, "run all cases in each way and on each device, which share them out otherwise")

// flushes reports whether a device takes subnormal float32s for zeros in operations that the
// cases have and kgen leaves to the device.
func flushes(dev *runtime.Device) bool {
	s := dev.Info().Subnormals
	return !(s.Arithmetic && s.Fused && s.Comparisons && s.MinMax && s.Rounding)
}

// compareSome runs the cases whose names match, or all, as far as takes has them by their index
// and name, or all of them with -every-case.
func compareSome(t *testing.T, names *regexp.Regexp, takes func(i int, name string) bool, opts ...runtime.OpenOption) {
	host, dev := devtest.Host(t), devtest.Vulkan(t, opts...)
	flushed = flushes(dev)
	t.Logf("comparing %s with %s", dev.Name(), host.Name())
	ctx := context.Background()
	without := map[string]bool{}
	for i, c := range cases {
		if names != nil && !names.MatchString(c.name) {
			continue
		}
		if !sample.Has(c.name, 8) || swiftshader.On() && !sample.Has("SwiftShader/"+c.name, 4) {
			continue
		}
		if !*everyCase && (c.more || heavy.MatchString(c.name) || !c.each && !takes(i, c.name)) {
			continue
		}
		t.Run(fmt.Sprintf("%s/%d", c.name, i), func(t *testing.T) {
			got, devErr := c.run(ctx, dev)
			if refused(dev, c.name, devErr) {
				without[c.name] = true
				t.SkipNow() // all are listed below
			}
			want, hostErr := c.run(ctx, host)
			compareFaults(t, devErr, hostErr)
			if d := Diff(got, want, flushed); d != "" {
				t.Errorf("%s", d)
			}
		})
	}
	if len(without) > 0 {
		t.Logf("%s: refused, for want of aspects or memory: %v", dev.Name(), slices.Sorted(maps.Keys(without)))
	}
}

// demanding lists the cases, without what follows a slash, whose kernels cannot do
// without an aspect: no variant replaces it.
var demanding = []struct {
	aspect properties.Aspect
	cases  string
}{
	{properties.FP64, `Args AtomicGeneric Bessel Bodies Complex Complexes Computed ConvertFloat32 ConvertFloat64 ConvertInt
		ConvertInt16 ConvertInt32 ConvertInt64 ConvertInt8 ConvertUint ConvertUint16 ConvertUint32 ConvertUint64
		ConvertUint8 ExactRootsFloat64 ExactSumsFloat64 FastRootsFloat64 FloatOpsFloat64 Generators Generics GroupFloats64 LargeStructs LocalStructs Lookup Loops Math1 MathFuncs
		Odds PanicsDouble Peepholes Random RootsFloat64 Rounded64 ShufflesFloat64 Signals SortFloats Tables TablesFault VectorAdd64 Watched Waves WholeFloat64 ZeroDivisors`},
	{properties.Atomic64, "AtomicGeneric AtomicLongs AtomicRelaxed AtomicTyped"},
	{properties.AtomicFloat32, "AtomicNative"},
}

// demands reports whether a case's kernel cannot do without an aspect of that list.
func demands(name string) bool {
	name, _, _ = strings.Cut(name, "/")
	for _, d := range demanding {
		if slices.Contains(strings.Fields(d.cases), name) {
			return true
		}
	}
	return false
}

// refused reports whether a case's launch failed because the device lacks an aspect
// that its kernel cannot do without, or memory for its arrays.
func refused(dev *runtime.Device, name string, err error) bool {
	if errors.Is(err, runtime.ErrMemoryAllocation) && strings.Contains(err.Error(), "own arrays take") {
		return strings.HasPrefix(name, "CopyArrays") // 44 KB
	}
	if !errors.Is(err, runtime.ErrKernelNotSupported) {
		return false
	}
	name, _, _ = strings.Cut(name, "/")
	for _, d := range demanding {
		if !dev.Has(d.aspect) && slices.Contains(strings.Fields(d.cases), name) && strings.Contains(err.Error(), d.aspect.String()) {
			return true
		}
	}
	return false
}

// TestVariants proves that only those aspects keep kernels from having variants, and
// that these do without what they say.
func TestVariants(t *testing.T) {
	capabilities := []spirv.Capability{spirv.CapabilityInt64, spirv.CapabilityInt16, spirv.CapabilityInt8,
		spirv.CapabilityStorageBuffer8BitAccess, spirv.CapabilityStorageBuffer16BitAccess}
	subGroups := []spirv.Capability{spirv.CapabilityGroupNonUniform, spirv.CapabilityGroupNonUniformVote, spirv.CapabilityGroupNonUniformArithmetic,
		spirv.CapabilityGroupNonUniformBallot, spirv.CapabilityGroupNonUniformShuffle, spirv.CapabilityGroupNonUniformShuffleRelative}
	n, names := 0, map[string]int{}
	for _, k := range slices.Concat(corpusgen.Kernels(), atomicsgen.Kernels(), dispatchgen.Kernels(), golanggen.Kernels(), groupsgen.Kernels(), tablesgen.Kernels(), wordsgen.Kernels()) {
		for _, a := range k.Aspects() {
			word := a == properties.Int8 || a == properties.Int16 || a == properties.Int64
			if word && !slices.Contains(k.Aspects(), properties.Atomic64) {
				t.Errorf("%s needs %v", k.Name(), a)
			}
		}
		for i := range k.ABI().Variants {
			v := &k.ABI().Variants[i]
			if v.Name == abi.VariantSmall {
				continue // for what devices have
			}
			m, err := spirv.Parse(moduleWords(v.SPIRV))
			if err != nil {
				t.Fatal(err)
			}
			n++
			for _, c := range capabilities {
				if v.Name != abi.VariantAlone && m.HasCapability(c) {
					t.Errorf("%s: the variant %s has %v", k.Name(), v.Name, c)
				}
			}
			for _, c := range subGroups {
				if v.Name != abi.VariantWords && m.HasCapability(c) {
					t.Errorf("%s: the variant %s has %v", k.Name(), v.Name, c)
				}
			}
			names[v.Name]++
		}
	}
	if n < 100 || len(names) != 3 || names[abi.VariantAlone] < 9 || names[abi.VariantAloneWords] < 9 {
		t.Errorf("only %d variants: %v", n, names)
	}
}

// compareFaults compares what the launches returned.
func compareFaults(t *testing.T, got, want error) {
	t.Helper()
	var f, g *runtime.Fault
	if !errors.As(want, &g) {
		if want != nil {
			t.Fatalf("host: %v", want)
		}
		if got != nil {
			t.Fatalf("device: %v, host: no error", got)
		}
		return
	}
	if !errors.As(got, &f) {
		t.Fatalf("device: %v, host: %v", got, want)
	}
	if f.Error() != g.Error() && !strings.HasPrefix(f.Error(), g.Error()) {
		t.Errorf("device: %v\nhost:   %v", f, g)
	}
}
