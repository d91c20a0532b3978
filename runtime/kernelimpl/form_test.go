package kernelimpl

import (
	"math"
	"slices"
	"testing"
)

// TestReduceScan compares with the definition in package dsl, on sizes that are no
// powers of two, too.
func TestReduceScan(t *testing.T) {
	for n := 1; n <= 70; n++ {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(math.Sin(float64(i*i))) * float32(int(1)<<(i%20))
		}
		sum, scan := slices.Clone(x), slices.Clone(x)
		for d := 1; d < n; d *= 2 {
			for i := 0; i+d < n; i += 2 * d {
				sum[i] += sum[i+d]
			}
			before := slices.Clone(scan)
			for i := d; i < n; i++ {
				scan[i] = before[i-d] + before[i]
			}
		}
		if got := HostReduceAdd(slices.Clone(x)); got != sum[0] {
			t.Errorf("%d: the sum is %g, want %g", n, got, sum[0])
		}
		got := slices.Clone(x)
		if HostScanAddDoubling(got); !slices.Equal(got, scan) {
			t.Errorf("%d: the sums are %g, want %g", n, got, scan)
		}
	}
}

func TestPieces(t *testing.T) {
	x := []int32{5, -1, 7, 2, 9, 4, -3}
	scanned := slices.Clone(x)
	HostScans(scanned, 3, HostScanUMax[int32])
	if want := []int32{5, -1, -1, 2, 9, 9, -3}; !slices.Equal(scanned, want) {
		t.Errorf("scans: %v", scanned)
	}
	out := make([]int32, len(x))
	HostShift(out, x, 3, 100)
	if want := []int32{100, 5, -1, 100, 2, 9, 100}; !slices.Equal(out, want) {
		t.Errorf("shift: %v", out)
	}
	HostBySubGroup(out, slices.Clone(x), 4, HostReduceMin[int32])
	if want := []int32{-1, -1, -1, -1, -3, -3, -3}; !slices.Equal(out, want) {
		t.Errorf("by sub-group: %v", out)
	}
	HostSelect(out, x, 4, []int32{3, 0, 1, 2, 0, 2, 1})
	if want := []int32{2, 5, -1, 7, 9, -3, 4}; !slices.Equal(out, want) {
		t.Errorf("select: %v", out)
	}
	HostBallot(out, []bool{true, false, true, true, false, true, true}, 4, 0)
	if want := []int32{13, 13, 13, 13, 6, 6, 6}; !slices.Equal(out, want) {
		t.Errorf("ballot: %v", out)
	}
	HostBallot(out, []bool{true, false, true, true, false, true, true}, 4, 1)
	if slices.Max(out) != 0 {
		t.Errorf("ballot past the end: %v", out)
	}
}
