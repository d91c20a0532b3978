package exec

import (
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/properties"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/launch"
)

// TestVariantChoice: the kernel's own module where the device has everything,
// otherwise the first variant that needs none of the missing aspects.
func TestVariantChoice(t *testing.T) {
	variant := func(name string, a ...properties.Aspect) abi.Variant {
		return abi.Variant{Name: name, Without: a, SPIRV: name + "=="}
	}
	words := variant("words", properties.Int8, properties.Int64)
	short := variant("short", properties.Int8)
	both := []abi.Variant{words, variant("alone", properties.SubGroups), variant("aloneWords", properties.Int8, properties.Int64, properties.SubGroups)}
	all := slices.Clone(both)
	for _, v := range append([]abi.Variant{{}}, both...) {
		v.Cancel = true
		v.Name = abi.VariantCancel + strings.ToUpper(v.Name[:min(1, len(v.Name))]) + v.Name[min(1, len(v.Name)):]
		v.SPIRV = v.Name[:len(v.Name)/4*4]
		all = append(all, v)
	}
	for _, c := range []struct {
		variants []abi.Variant
		lacks    []properties.Aspect
		want     string
		cancel   bool
		missing  properties.Aspect
	}{
		{nil, []properties.Aspect{properties.Int64}, "", false, 0},
		{[]abi.Variant{words}, nil, "", false, 0},
		{[]abi.Variant{words}, []properties.Aspect{properties.Int16}, "", false, 0},
		{[]abi.Variant{words}, []properties.Aspect{properties.Int64}, "words", false, 0},
		{[]abi.Variant{words}, []properties.Aspect{properties.Int8, properties.Int64}, "words", false, 0},
		{[]abi.Variant{short, words}, []properties.Aspect{properties.Int8}, "short", false, 0},
		{both, nil, "", false, 0},
		{both, []properties.Aspect{properties.Int8}, "words", false, 0},
		{both, []properties.Aspect{properties.SubGroups}, "alone", false, 0},
		{both, []properties.Aspect{properties.Int64, properties.SubGroups}, "aloneWords", false, 0},
		{[]abi.Variant{short, words}, []properties.Aspect{properties.Int64}, "words", false, 0},
		{[]abi.Variant{short, variant("wide", properties.Int64)}, []properties.Aspect{properties.Int8, properties.Int64}, "", false, properties.Int8},
		{all, nil, "", false, 0},
		{all, nil, "cancel", true, 0},
		{all, []properties.Aspect{properties.Int64}, "words", false, 0},
		{all, []properties.Aspect{properties.Int64}, "cancelWords", true, 0},
		{all, []properties.Aspect{properties.SubGroups}, "cancelAlone", true, 0},
		{all, []properties.Aspect{properties.Int8, properties.SubGroups}, "cancelAloneWords", true, 0},
	} {
		k := NewKernel(launch.Kernel{ABI: &abi.Kernel{SPIRV: "own=", Variants: c.variants}}, "", nil)
		v, missing := k.Variant(func(a properties.Aspect) bool { return !slices.Contains(c.lacks, a) }, c.cancel)
		name := ""
		if v != nil {
			name = v.Name
		}
		if name != c.want || missing != c.missing {
			t.Errorf("without %v: variant %q, missing %v; want %q, %v", c.lacks, name, missing, c.want, c.missing)
		}
		text := "own="
		if v != nil {
			text = v.SPIRV
		}
		if got, err := k.Module(v); err != nil || !slices.Equal(got, moduleWords(text)) {
			t.Errorf("without %v: the words of another module", c.lacks)
		}
	}
}

// TestSplitSpecs: modules without 64-bit integers have two constants of 32 bits
// for one of 64.
func TestSplitSpecs(t *testing.T) {
	k := &abi.Kernel{Specs: []abi.SpecConstant{{ID: 3, Type: "float64", Size: 8}, {ID: 5, Type: "int64", Size: 8}}}
	got := SplitSpecs(k, []hal.SpecValue{{ID: 3, Size: 8, Bits: 7}, {ID: 5, Size: 8, Bits: 0x123456789abcdef0}})
	want := []hal.SpecValue{{ID: 3, Size: 8, Bits: 7}, {ID: 5, Size: 4, Bits: 0x9abcdef0}, {ID: abi.SpecHigh + 5, Size: 4, Bits: 0x12345678}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
