// Package layers has the parts of a transformer, the kind of network that language models are: a
// kernel for each. A row of an activation belongs to a token of the text; the range covers a run
// of rows that begins at First[0], which stands in device memory for graphs to move it.
package layers

import (
	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

const (
	// Group is the number of work-items in a work-group, which make sums together. The groups
	// stand in rows as activations do.
	Group = 32
	// MaxTokens is the length of the longest text.
	MaxTokens = 1024
)

// Mat is a matrix, row by row.
type Mat struct {
	Data []float32
	Cols int
}

// Row returns a row.
func (m Mat) Row(i int) []float32 { return m.Data[i*m.Cols : (i+1)*m.Cols] }

// At returns the place of an element.
func (m Mat) At(row, col int) *float32 { return &m.Data[row*m.Cols+col] }

// dot returns the scalar product of two slices of one length, to all work-items of a group. They
// go through it side by side, and then sum what each has.
func dot(it dsl.NDItem2, a, b []float32) (sum float32) {
	_, lane := it.LocalID()
	b = b[:len(a)]
	for i := lane; i < len(a); i += Group {
		sum += a[i] * b[i]
	}
	return dsl.ReduceOverGroup(it.Group(), sum, dsl.Plus)
}

// Embed begins an activation: what the table has for the token, and what it has for the place.
type Embed struct {
	First, Tokens     []int32
	Table, Place, Out Mat
}

// Kernel computes a number of a row.
func (k Embed) Kernel(it dsl.Item2) {
	row, i := it.GlobalID()
	row += int(k.First[0])
	*k.Out.At(row, i) = *k.Table.At(int(k.Tokens[row]), i) + *k.Place.At(row, i)
}

// Norm is RMSNorm: it divides a row by the root of the mean of its squares, and multiplies by Gain.
type Norm struct {
	First         []int32
	In, Gain, Out Mat
}

// Properties states the work-group's size.
func (Norm) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(1, Group)}
}

// Kernel computes a row by one group.
func (k Norm) Kernel(it dsl.NDItem2) {
	row, lane := it.GlobalID()
	row += int(k.First[0])
	in, gain, out := k.In.Row(row), k.Gain.Row(0), k.Out.Row(row)
	scale := math32.FastRsqrt(dot(it, in, in)/float32(len(in)) + 1e-5)
	for i := lane; i < len(in); i += Group {
		out[i] = in[i] * scale * gain[i]
	}
}

// Linear multiplies rows by a matrix, which has a row for each number that comes out.
type Linear struct {
	First      []int32
	W, In, Out Mat
	ReLU       bool // what is below zero becomes zero
	Residual   bool // Out is added to
}

// Properties states the work-group's size.
func (Linear) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(1, Group)}
}

// Kernel computes a number by one group.
func (k Linear) Kernel(it dsl.NDItem2) {
	row, i := it.GroupID()
	row += int(k.First[0])
	sum := dot(it, k.In.Row(row), k.W.Row(i))
	if _, lane := it.LocalID(); lane > 0 {
		return
	}
	out := k.Out.At(row, i)
	if k.ReLU {
		sum = max(sum, 0)
	}
	if k.Residual {
		sum += *out
	}
	*out = sum
}

// Attend looks back: for each head, which is a run of columns, Out is the mean of the values V of
// the tokens so far. Their weights are the softmax of how well their keys K match the query Q.
type Attend struct {
	First        []int32
	Head         int // columns of a head
	Q, K, V, Out Mat
}

// Properties states the work-group's size.
func (Attend) Properties() properties.List {
	return properties.List{properties.WorkGroupSize(1, Group)}
}

// Kernel computes a head of a row by one group.
func (k Attend) Kernel(it dsl.NDItem2) {
	weight := dsl.Local[[MaxTokens]float32](it)
	row, head := it.GroupID()
	row += int(k.First[0])
	_, lane := it.LocalID()
	from, to := head*k.Head, (head+1)*k.Head
	q := k.Q.Row(row)[from:to]

	top := math32.Inf(-1)
	for t := lane; t <= row; t += Group {
		key, score := k.K.Row(t)[from:to], float32(0)
		for i := range q {
			score += q[i] * key[i]
		}
		score *= math32.FastRsqrt(float32(k.Head))
		weight[t], top = score, max(top, score)
	}
	top = dsl.ReduceOverGroup(it.Group(), top, dsl.Maximum) // less it, nothing overflows
	sum := float32(0)
	for t := lane; t <= row; t += Group {
		weight[t] = math32.FastExp(weight[t] - top)
		sum += weight[t]
	}
	sum = dsl.ReduceOverGroup(it.Group(), sum, dsl.Plus)
	it.Barrier() // the weights of the others are there
	for i := from + lane; i < to; i += Group {
		mean := float32(0)
		for t := range row + 1 {
			mean += weight[t] * *k.V.At(t, i)
		}
		*k.Out.At(row, i) = mean / sum
	}
}

// Sample draws the token that follows the last of Rows rows, and moves First past them.
type Sample struct {
	First, Tokens []int32
	Rows          int
	Random        []float32 // for each row a number from 0 to 1, which is less than 1
	Temperature   float32   // how little a token's score matters
	Logits        Mat       // the scores
}

// Kernel lays the softmax of the scores end to end, and draws the token that the random number
// hits. For so few scores a single work-item does.
func (k Sample) Kernel(dsl.Task) {
	row := int(k.First[0]) + k.Rows - 1
	logits := k.Logits.Row(row)
	top, sum := math32.Inf(-1), float32(0)
	for _, v := range logits {
		top = max(top, v)
	}
	for _, v := range logits {
		sum += math32.FastExp((v - top) / k.Temperature)
	}
	hit, token := k.Random[row]*sum, len(logits)-1 // which it is where roundings leave some of hit
	for i, v := range logits {
		if hit -= math32.FastExp((v - top) / k.Temperature); hit < 0 {
			token = i
			break
		}
	}
	k.Tokens[row+1], k.First[0] = int32(token), int32(row+1)
}
