// Package layers contains a kernel for each part of a transformer. Results have a row for each token of the
// text. Each launch computes the row with index At[0]. At is in device memory, so that a graph can increase At[0].
package layers

import (
	"slices"

	"github.com/kgen-go/kgen/dsl"
	"github.com/kgen-go/kgen/dsl/math32"
	"github.com/kgen-go/kgen/properties"
)

//go:generate go tool kgen .

// Group is the number of work-items in a work-group, and the number of columns in a head. MaxTokens
// is the number of tokens in the longest text.
const Group, MaxTokens = 32, 1024

// Mat is a matrix that is stored row by row.
type Mat struct {
	Data []float32
	Cols int
}

func (m Mat) Row(i int) []float32 { return m.Data[i*m.Cols : (i+1)*m.Cols] }

// Next advances to the next token of the text, which is a printable character. If Text does not contain the
// next token yet, Next chooses the token with the greatest score. Next adds the token's row of Table to X.
type Next struct {
	At               []int32
	Text             []byte // text so far, followed by zeros
	Scores, Table, X Mat
}

func (k Next) Kernel(dsl.Task) { // one work-item is enough for so few numbers
	k.At[0]++
	row := int(k.At[0])
	if k.Text[row] == 0 {
		scores := k.Scores.Row(row - 1)
		k.Text[row] = ' ' + byte(slices.Index(scores, slices.Max(scores)))
	}
	for i, v := range k.Table.Row(int(k.Text[row] - ' ')) {
		k.X.Row(row)[i] += v
	}
}

// Linear multiplies In by the rows of a matrix, and adds the results to Out. With RMSNorm, Linear
// first divides In by the root of the mean of its squares.
type Linear struct {
	At         []int32
	In, W, Out Mat
	ReLU       bool // results below zero become zero
}

func (Linear) Properties() properties.List { return properties.List{properties.WorkGroupSize(Group)} }

// Kernel computes one number of Out in each work-group. Each work-item of the group multiplies some elements of In.
func (k Linear) Kernel(it dsl.NDItem1) {
	row, col := int(k.At[0]), it.GroupID()
	in, w := k.In.Row(row), k.W.Row(col)
	sum, squares := float32(0), float32(0)
	for i := it.LocalID(); i < len(in); i += Group {
		sum += in[i] * w[i]
		squares += in[i] * in[i]
	}
	sum = dsl.ReduceOverGroup(it.Group(), sum, dsl.Plus)
	squares = dsl.ReduceOverGroup(it.Group(), squares, dsl.Plus)
	sum *= math32.FastRsqrt(squares/float32(len(in)) + 1e-5)
	if k.ReLU {
		sum = max(sum, 0)
	}
	if it.LocalID() == 0 {
		k.Out.Row(row)[col] += sum
	}
}

// Attend computes attention. Each row of QKV contains a query, a key and a value for each head. Out
// is the weighted mean of the values of the tokens so far. The weights are the softmax of the
// products of the tokens' keys with the query.
type Attend struct {
	At       []int32
	QKV, Out Mat
}

func (Attend) Properties() properties.List { return properties.List{properties.WorkGroupSize(Group)} }

// Kernel computes one head in each work-group. Each work-item computes the weights of some tokens, and then one column of Out.
func (k Attend) Kernel(it dsl.NDItem1) {
	weight, sum, mean := dsl.Local[[MaxTokens]float32](it), float32(0), float32(0)
	row, width, from := int(k.At[0]), k.Out.Cols, it.GroupID()*Group
	query := k.QKV.Row(row)[from : from+Group]
	for t := it.LocalID(); t <= row; t += Group {
		match, key := float32(0), k.QKV.Row(t)[width+from:]
		for i, v := range query {
			match += v * key[i] * math32.FastRsqrt(Group)
		}
		weight[t] = math32.FastExp(min(max(match, -50), 50)) // limits the exponent, so that no sum overflows
		sum += weight[t]
	}
	sum = dsl.ReduceOverGroup(it.Group(), sum, dsl.Plus)
	it.Barrier() // after this barrier, the weights of other work-items are visible
	for t := range row + 1 {
		mean += weight[t] * k.QKV.Row(t)[2*width+it.GlobalID()]
	}
	k.Out.Row(row)[it.GlobalID()] = mean / sum
}
