package bench

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// WriteSVG draws each row as a bar. The length of the bar is kgen's speed relative to the ceiling
// or to the fastest contestant, whichever is faster. Marks on the bar are the speeds of peers. The
// picture adapts to the reader's light or dark theme.
func (r *Report) WriteSVG(w io.Writer) error {
	const line, left, wide, right, top = 18, 250, 420, 100, 64
	var body strings.Builder
	y := top
	group := ""
	used := map[string]bool{}
	for _, row := range r.Rows {
		if len(row.Times) == 0 || row.Times[0].Median == 0 || len(row.Times) == 1 && row.Share == 0 {
			continue
		}
		if row.Group != group {
			group = row.Group
			y += line / 2
			fmt.Fprintf(&body, `<text class="group" x="12" y="%d">%s</text>`+"\n", y+13, escape(group))
			y += line
		}
		own := row.workRate(row.Times[0])
		best := own
		if row.Share > 0 {
			best = max(best, own/row.Share)
		}
		for _, t := range row.Times {
			best = max(best, row.workRate(t))
		}
		at := func(rate float64) float64 { return left + wide*rate/best }
		fmt.Fprintf(&body, `<text class="name" x="%d" y="%d">%s</text>`, left-8, y+13, escape(row.Name))
		fmt.Fprintf(&body, `<rect class="kgen" x="%d" y="%d" width="%.0f" height="%d"/>`, left, y+3, at(own)-left, line-6)
		for _, t := range row.Times[1:] {
			c := class(t.Peer)
			used[c] = true
			fmt.Fprintf(&body, `<rect class="%s" x="%.0f" y="%d" width="4" height="%d"/>`, c, at(row.workRate(t))-2, y+1, line-2)
		}
		fmt.Fprintf(&body, `<text x="%d" y="%d">%s</text>`+"\n", left+wide+10, y+13, escape(row.speedText(row.Times[0])))
		y += line
	}
	height := y + line
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="12">`+"\n", left+wide+right, height)
	fmt.Fprint(w, style)
	fmt.Fprintf(w, `<rect class="page" width="%d" height="%d"/>`+"\n", left+wide+right, height)
	fmt.Fprintf(w, `<text class="group" x="12" y="22">%s</text>`+"\n", escape(r.Device))
	x := 12
	for _, l := range legendText {
		if l.class != "kgen" && !used[l.class] {
			continue
		}
		fmt.Fprintf(w, `<rect class="%s" x="%d" y="36" width="%d" height="12"/><text x="%d" y="47">%s</text>`+"\n", l.class, x, l.width, x+l.width+5, l.text)
		x += l.width + 12 + 7*len(l.text)
	}
	for i := range 5 {
		fmt.Fprintf(w, `<line class="grid" x1="%d" x2="%[1]d" y1="%d" y2="%d"/><text class="axis" x="%[1]d" y="%[3]d" dy="14" text-anchor="middle">%d %%</text>`+"\n", left+wide*i/4, top, height-line, 25*i)
	}
	_, err := fmt.Fprint(w, body.String(), "</svg>\n")
	return err
}

// legendText explains the colours of the picture.
var legendText = []struct {
	class, text string
	width       int
}{{"kgen", "kgen, of the fastest known", 24}, {"cuda", "CUDA, CUB, cuBLAS, cuSPARSE, cuFFT", 4}, {"glsl", "GLSL", 4}, {"go", "Go", 4}}

func class(peer string) string {
	switch peer {
	case "GLSL":
		return "glsl"
	case "Go":
		return "go"
	}
	return "cuda"
}

// speedText returns the text of a contestant's rate or time.
func (row *Row) speedText(t Timing) string {
	if row.Unit == Launches {
		return duration(t.Median * row.Amount)
	}
	return perSecond(row.workRate(t), row.Unit)
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

const style = `<style>
.page { fill: #ffffff } text { fill: #1f2328 } .group { font-weight: 600 } .axis { fill: #59636e; font-size: 10px } .name { text-anchor: end }
.grid { stroke: #d1d9e0 } .kgen { fill: #0969da } .cuda { fill: #1a7f37 } .glsl { fill: #bc4c00 } .go { fill: #8250df }
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117 } text { fill: #f0f6fc } .axis { fill: #9198a1 }
.grid { stroke: #3d444d } .kgen { fill: #4493f8 } .cuda { fill: #3fb950 } .glsl { fill: #f0883e } .go { fill: #ab7df8 }
}
</style>
`
