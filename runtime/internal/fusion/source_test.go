package fusion

import (
	"reflect"
	"testing"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/codegen/back"
	"github.com/kgen-go/kgen/codegen/pass/facts"
	"github.com/kgen-go/kgen/internal/modules"
)

// TestCarriedFootprints: the footprints that kernels carry are those that their IR has.
func TestCarriedFootprints(t *testing.T) {
	var kernels int
	var reaches [abi.ReachAny + 1]int
	for _, pkg := range []string{"tests/conformance/steps", "tests/difftest/corpus", "tests/difftest/idioms", "tests/difftest/groups", "bench/kernels"} {
		dir, err := modules.Folder(modules.Module + "/internal/" + pkg)
		if err != nil {
			t.Fatal(err)
		}
		list, err := modules.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		for name, k := range list {
			m, err := back.Restore(k)
			if err != nil {
				t.Fatal(name, err)
			}
			kernels++
			for i, want := range facts.Footprints(m) {
				got := &k.Params[i]
				// The passes behind may find that nothing needs a load.
				more := got.Access&^want.Access != 0 || (got.Access^want.Access)&abi.Write != 0
				if !reflect.DeepEqual(got.Footprint, want.Footprint) || more {
					t.Errorf("%s.%s: %v %+v, want %v %+v", name, got.Name, got.Access, got.Footprint, want.Access, want.Footprint)
				}
				if got.Kind == abi.Slice {
					reaches[want.Reach]++
				}
			}
		}
	}
	t.Logf("%d kernels, reaches %v", kernels, reaches)
	if kernels < 200 || reaches[abi.ReachOwn] < 100 || reaches[abi.ReachGroup] < 5 {
		t.Errorf("too little was looked at: %d kernels, reaches %v", kernels, reaches)
	}
}
