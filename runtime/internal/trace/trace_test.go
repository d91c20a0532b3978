package trace

import (
	"slices"
	"testing"
)

// TestLanes: spans that follow each other are in one lane of a row, spans at the same time in several.
func TestLanes(t *testing.T) {
	tr := &Tracer{rows: map[string]*row{}}
	var got []int
	for _, s := range [][2]int64{{0, 10}, {10, 20}, {15, 30}, {20, 25}, {24, 26}, {30, 31}} {
		id, _ := tr.laneFor(&Span{Start: s[0], End: s[1]})
		got = append(got, id)
	}
	if want := []int{1, 1, 2, 1, 3, 1}; !slices.Equal(got, want) {
		t.Errorf("lanes %v, want %v", got, want)
	}
}
