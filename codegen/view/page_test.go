package view

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// evil is text that would end a script, be an element, or start a comment that scripts know.
const evil = `</script><script>alert(1)</script><img src=x onerror=alert(2)><!--<script>{{js}}` + "\u2028"

// evilPage has evil texts wherever texts can be.
func evilPage() *Page {
	pos := Pos{"a" + evil + ".go", 3, 1}
	body := &Body{
		Source:   []Excerpt{{pos.File, 1, []string{"package p", "", `const s = "` + evil + `"`}}},
		Problems: []Problem{{Pos: pos, Code: "KG000", Message: evil, Hint: evil, Related: []Problem{{Pos: pos, Message: evil}}}},
	}
	good := &Body{
		Source: body.Source, Files: []string{pos.File}, Places: [][3]int{{0, 3, 1}},
		Built:  Listing{[]string{"module " + evil, "", "kernel main {", "b0:", "\t%0 = IAdd i32 i32 1, i32 2", "\tReturn", "}"}, []int{-1, -1, -1, -1, 0, 0, -1}},
		Passes: []Pass{{"fold", evil, []Edit{{From: 4, Lines: 1, Text: []string{"\t%1 = Const " + evil}, At: []int{0}}}}},
		Idle:   []string{evil},
		Values: "ud", Blocks: "u",
		Modules:  []Module{{Bytes: 8, Text: []string{"OpNop", "%1 = OpFunction " + evil, "%2 = OpLabel"}, From: []int{-1, -1, 3}}},
		Checks:   &Checks{[]Proved{{evil, 1}}, []Finding{{pos, evil, evil, evil, evil, 2}}},
		Integers: &Integers{1, []Finding{{pos, evil, evil, evil, evil, 1}}},
		Fused:    []Finding{{pos, evil, evil, evil, evil, 1}}, Float: evil,
		Slices: []Slice{{evil, evil, pos}}, Matrices: []Matrix{{evil, pos}, {evil, Pos{}}}, Args: Args{8, true, []string{evil}}, Aspects: []string{evil}, Lacks: []string{evil},
	}
	return &Page{
		Title:    evil,
		Problems: body.Problems,
		Kernels: []Kernel{
			{Name: "Bad", Package: "example.com/p", Pos: pos, Shape: evil, Doc: evil, Failed: true, Body: body},
			{Name: "K" + evil, Package: "example.com/" + evil, Pos: pos, Shape: evil, Checks: 2, Wide: 1, Fused: 1, Spilled: true, Bytes: 8, Body: good},
		},
	}
}

func text(t *testing.T, p *Page) string {
	t.Helper()
	var b strings.Builder
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var script = regexp.MustCompile(`(?s)<script( type="([^"]*)" id="([^"]*)")?>(.*?)</script`)

// TestWrite reads back what stands in the page, and holds the page to elements of its own.
func TestWrite(t *testing.T) {
	p := evilPage()
	page := text(t, p)
	scripts := script.FindAllStringSubmatch(page, -1)
	if len(scripts) != 3+len(p.Kernels) || strings.Count(strings.ToLower(page), "<script") != len(scripts) || strings.Contains(page, "<img") {
		t.Fatalf("there are %d scripts", len(scripts))
	}
	data := map[string]string{}
	for _, s := range scripts[:len(scripts)-1] {
		if s[2] != "application/json" && s[2] != "application/octet-stream" {
			t.Errorf("the script %s runs", s[3])
		}
		data[s[3]] = s[4]
	}
	var back Page
	if err := json.Unmarshal([]byte(data["index"]), &back); err != nil {
		t.Fatal(err)
	}
	var src excerptSet
	if err := decodeData(data["sources"], &src); err != nil {
		t.Fatal(err)
	}
	if len(src.Excerpts) != 1 {
		t.Errorf("an excerpt that two kernels have stands there %d times", len(src.Excerpts))
	}
	for i := range back.Kernels {
		back.Kernels[i].Body = &Body{}
		if err := decodeData(data["body"+string(rune('0'+i))], back.Kernels[i].Body); err != nil {
			t.Fatal(err)
		}
		for _, n := range src.Of[i] {
			back.Kernels[i].Body.Source = append(back.Kernels[i].Body.Source, src.Excerpts[n])
		}
	}
	if !reflect.DeepEqual(&back, p) {
		t.Errorf("it reads back as %+v", back)
	}
	if text(t, p) != page {
		t.Error("it is another page each time")
	}
}

// TestSelfContained: the page names nothing of the network, and its policy lets it run its own
// script and nothing else.
func TestSelfContained(t *testing.T) {
	page := text(t, &Page{Title: "."})
	for _, word := range []string{"://", "//cdn", "src=", "href", "@import", "url(", "fetch(", "XMLHttpRequest", "WebSocket", "EventSource", "sendBeacon", "import(", "<link", "<iframe", "<base",
		"innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function("} {
		if strings.Contains(page, word) {
			t.Errorf("the page has %s", word)
		}
	}
	policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil {
		t.Fatal("there is no policy")
	}
	sum := func(open, end string) string {
		_, rest, _ := strings.Cut(page, open)
		inside, _, ok := strings.Cut(rest, end)
		if !ok || len(inside) < 1000 {
			t.Errorf("there is no %s", open)
		}
		h := sha256.Sum256([]byte(inside))
		return "'sha256-" + base64.StdEncoding.EncodeToString(h[:]) + "'"
	}
	want := "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src " + sum("<style>", "</style>") + "; script-src " + sum("<script>", "</script>")
	if policy[1] != want {
		t.Errorf("the policy is %s, not %s", policy[1], want)
	}
	if !strings.HasPrefix(page, "<!doctype html>\n<html lang=\"en\">") || !strings.Contains(page, `<meta charset="utf-8">`) {
		t.Errorf("it begins with %.80s", page)
	}
}

// TestContrast holds texts to the contrast that WCAG 2 asks for (AA, 4.5), in both themes.
func TestContrast(t *testing.T) {
	themes := regexp.MustCompile(`(?s):root[^{]*\{(.*?)\}`).FindAllStringSubmatch(pageCSS, -1)
	if len(themes) != 2 {
		t.Fatalf("there are %d themes", len(themes))
	}
	for i, theme := range themes {
		colors := map[string]float64{}
		for _, c := range regexp.MustCompile(`--(\w+): #(\w+)`).FindAllStringSubmatch(theme[1], -1) {
			colors[c[1]] = luminance(c[2])
		}
		for _, text := range []string{"fg", "quiet", "link", "warn", "bad", "good", "kw", "str", "com", "op", "id", "pin"} {
			for _, ground := range []string{"bg", "panel", "mark", "add", "del", "strong"} {
				if (ground == "strong" || ground == "del" || ground == "add" || ground == "mark") && text != "fg" && text != "op" && text != "id" && text != "kw" && text != "str" {
					continue
				}
				a, b := colors[text], colors[ground]
				if ratio := (max(a, b) + .05) / (min(a, b) + .05); ratio < 4.5 {
					t.Errorf("theme %d: %s on %s has a contrast of %.2f", i, text, ground, ratio)
				}
			}
		}
		for _, kind := range []string{"warn", "bad"} {
			a, b := colors[kind], colors[kind+"bg"]
			if ratio := (max(a, b) + .05) / (min(a, b) + .05); ratio < 4.5 {
				t.Errorf("theme %d: %s on its ground has a contrast of %.2f", i, kind, ratio)
			}
		}
	}
}

// luminance is a color's relative luminance, as WCAG 2 defines it.
func luminance(hex string) float64 {
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	sum := 0.0
	for i, weight := range []float64{.2126, .7152, .0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			panic(err)
		}
		c := float64(n) / 255
		if c <= .04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
