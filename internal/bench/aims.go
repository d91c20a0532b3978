package bench

import (
	"fmt"
	"slices"
	"strings"
)

// aim returns the text of the row's aim on the report's device, and whether the row met the aim. The text is empty if
// the row has no aim on this device. An aim is a multiple of a contestant's speed ("≥ 0.95 CUDA"), a rate ("≥ 4150
// GB/s"), or the time of one run ("≤ 4.3 ms"). Except on the host device, aims apply only to scale
// Large. On the host device, aims are relative to loops in Go, and apply to all scales except Tiny.
// Aims for rates and times of kernels were chosen for an H200.
func (r *Report) aim(row *Row) (text string, met bool) {
	i := slices.IndexFunc(Works, func(w Work) bool { return w.Name == row.Name })
	if i < 0 || len(row.Times) == 0 {
		return "", false
	}
	text = Works[i].Target
	switch {
	case strings.HasPrefix(r.Device, "host "):
		if text = Works[i].OnHost; r.Scale == Tiny.String() {
			return "", false
		}
	case r.Scale != Large.String():
		return "", false
	}
	var (
		sign, of string
		want     float64
	)
	if _, err := fmt.Sscan(text, &sign, &want, &of); err != nil {
		return "", false
	}
	_, of, _ = strings.Cut(strings.TrimPrefix(text, sign+" "), " ") // the name of a contestant may be two words, as "CUDA pinned"
	t := row.Times[0]
	if x, ok := row.speedRatio(of); ok {
		return text, x >= want-0.005 // the comparison rounds as the report does
	}
	scale, ok := map[string]float64{"GB/s": 1e9, "TFLOP/s": 1e12, "ms": 1e-3, "µs": 1e-6}[of]
	if !ok || !strings.Contains(r.Device, "H200") && row.Group != "Transfers" {
		return "", false
	}
	if sign == "≤" {
		return text, t.Median*perRun(row) <= want*scale
	}
	return text, row.workRate(t) >= want*scale
}

// perRun returns the number by which the report multiplies the median time of a row.
func perRun(row *Row) float64 {
	if row.Unit == Launches {
		return row.Amount
	}
	return 1
}
