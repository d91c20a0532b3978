package library

import (
	"fmt"
	"strings"
)

// Package strings, on parts of a string that data choose. What makes strings is the
// host's.
var stringsRows = join(texts(map[string]string{
	"Compare":       "r.i(strings.Compare(p, q)); r.i(strings.Compare(p, p))",
	"Contains":      "r.b(strings.Contains(p, q)); r.b(strings.Contains(p, \"uick\"))",
	"ContainsAny":   "r.b(strings.ContainsAny(p, q)); r.b(strings.ContainsAny(q, \"zx\\u00e9\"))",
	"ContainsFunc":  "r.b(strings.ContainsFunc(p, func(c rune) bool { return c == rune(u&0xff) }))",
	"ContainsRune":  "r.b(strings.ContainsRune(p, rune(u&0x7f))); r.b(strings.ContainsRune(p, rune(v))); r.b(strings.ContainsRune(p, '\\u00e9'))",
	"Count":         "r.i(strings.Count(p, q)); r.i(strings.Count(p, \"o\")); r.i(strings.Count(p, \"\"))",
	"Cut":           "d, e, ok := strings.Cut(p, q); r.s(d); r.s(e); r.b(ok)",
	"CutPrefix":     "d, ok := strings.CutPrefix(p, q); r.s(d); r.b(ok)",
	"CutSuffix":     "d, ok := strings.CutSuffix(p, q); r.s(d); r.b(ok)",
	"EqualFold":     "r.b(strings.EqualFold(p, q)); r.b(strings.EqualFold(q, \"\\u212a\\u00c9\"))",
	"FieldsFuncSeq": "for d := range strings.FieldsFuncSeq(p, func(c rune) bool { return c > 'o' }) { r.s(d) }",
	"FieldsSeq":     "for d := range strings.FieldsSeq(p) { r.s(d) }",
	"HasPrefix":     "r.b(strings.HasPrefix(p, q))",
	"HasSuffix":     "r.b(strings.HasSuffix(p, q))",
	"Index":         "r.i(strings.Index(p, q)); r.i(strings.Index(p, \"o\")); r.i(strings.Index(p, \"\"))",
	"IndexAny":      "r.i(strings.IndexAny(p, q)); r.i(strings.IndexAny(p, \"\\xff\"))",
	"IndexByte":     "r.i(strings.IndexByte(p, byte(u)))",
	"IndexFunc":     "r.i(strings.IndexFunc(p, func(c rune) bool { return c > 'x' }))",
	"IndexRune":     "r.i(strings.IndexRune(p, rune(u&0x7f))); r.i(strings.IndexRune(p, rune(v))); r.i(strings.IndexRune(p, '\\ufffd')); r.i(strings.IndexRune(p, '\\U0001f600'))",
	"LastIndex":     "r.i(strings.LastIndex(p, q)); r.i(strings.LastIndex(p, \"o\"))",
	"LastIndexAny":  "r.i(strings.LastIndexAny(p, q)); r.i(strings.LastIndexAny(p, \"\\u00e9\"))",
	"LastIndexByte": "r.i(strings.LastIndexByte(p, byte(u)))",
	"LastIndexFunc": "r.i(strings.LastIndexFunc(p, func(c rune) bool { return c > 'x' }))",
	"Lines":         "for d := range strings.Lines(p) { r.s(d) }",
	"SplitAfterSeq": "for d := range strings.SplitAfterSeq(p, q) { r.s(d) }",
	"SplitSeq":      "for d := range strings.SplitSeq(p, q) { r.s(d) }",
	"Trim":          "r.s(strings.Trim(p, q)); r.s(strings.Trim(p, \" o\\u00e9\"))",
	"TrimFunc":      "r.s(strings.TrimFunc(p, func(c rune) bool { return c > 'n' }))",
	"TrimLeft":      "r.s(strings.TrimLeft(p, q))",
	"TrimLeftFunc":  "r.s(strings.TrimLeftFunc(p, func(c rune) bool { return c > 'n' }))",
	"TrimPrefix":    "r.s(strings.TrimPrefix(p, q))",
	"TrimRight":     "r.s(strings.TrimRight(p, q))",
	"TrimRightFunc": "r.s(strings.TrimRightFunc(p, func(c rune) bool { return c > 'n' }))",
	"TrimSpace":     "r.s(strings.TrimSpace(p)); r.s(strings.TrimSpace(q))",
	"TrimSuffix":    "r.s(strings.TrimSuffix(p, q))",

	"NewReader":         "g := strings.NewReader(p); d, err := g.ReadByte(); r.i(int(d) + g.Len()); r.b(err == io.EOF)",
	"Reader.Len":        "g := strings.NewReader(p); r.i(g.Len())",
	"Reader.ReadByte":   "g := strings.NewReader(p); for { d, err := g.ReadByte(); if err != nil { break }; r.i(int(d)) }",
	"Reader.ReadRune":   "g := strings.NewReader(p); for { d, m, err := g.ReadRune(); if err != nil { break }; r.i(int(d) + m) }",
	"Reader.Reset":      "g := strings.NewReader(p); g.ReadByte(); g.Reset(q); r.i(g.Len())",
	"Reader.Seek":       "g := strings.NewReader(p); m, err := g.Seek(int64(n), int(u&3)); r.i(int(m)); r.b(err == nil); r.i(g.Len())",
	"Reader.Size":       "g := strings.NewReader(p); r.i(int(g.Size()))",
	"Reader.UnreadByte": "g := strings.NewReader(p); r.b(g.UnreadByte() == nil); g.ReadByte(); r.b(g.UnreadByte() == nil); r.i(g.Len())",
	"Reader.UnreadRune": "g := strings.NewReader(p); r.b(g.UnreadRune() == nil); g.ReadRune(); r.b(g.UnreadRune() == nil); r.i(g.Len())",
}), map[string]row{
	"Reader.Read":    yes(twoTexts + "g := strings.NewReader(p); m, err := g.Read(s[:n+3]); r.i(m); r.b(err == nil); _ = q").with("Uint8"),
	"Reader.ReadAt":  yes(twoTexts + "g := strings.NewReader(q); m, err := g.ReadAt(s[:n+3], 2); r.i(m); r.b(err == io.EOF); _ = p").with("Uint8"),
	"Reader.WriteTo": no("KG304", "a writer of strings is the host's", twoTexts+"strings.NewReader(p).WriteTo(adler32.New()); _ = q"),

	"Clone": no("KG304", allocates, "r.s(strings.Clone(\"a\"))"), "Fields": no("KG304", allocates, "r.i(len(strings.Fields(\"a\")))"),
	"FieldsFunc":     no("KG304", allocates, "r.i(len(strings.FieldsFunc(\"a\", nil)))"),
	"Join":           no("KG304", allocates, "r.s(strings.Join([]string{\"a\", \"b\"}, \"c\"))"),
	"Map":            no("KG304", allocates, "r.s(strings.Map(func(c rune) rune { return c + 1 }, \"a\"))"),
	"NewReplacer":    no("KG304", allocates, "r.s(strings.NewReplacer(\"a\", \"b\").Replace(\"a\"))"),
	"Repeat":         no("KG304", allocates, "r.s(strings.Repeat(\"a\", 3))"),
	"Replace":        no("KG304", allocates, "r.s(strings.Replace(\"a\", \"a\", \"b\", 1))"),
	"ReplaceAll":     no("KG304", allocates, "r.s(strings.ReplaceAll(\"a\", \"a\", \"b\"))"),
	"SplitN":         no("KG304", allocates, "r.i(len(strings.SplitN(\"a\", \"b\", 2)))"),
	"SplitAfterN":    no("KG304", allocates, "r.i(len(strings.SplitAfterN(\"a\", \"b\", 2)))"),
	"ToValidUTF8":    no("KG304", allocates, "r.s(strings.ToValidUTF8(\"a\", \"b\"))"),
	"ToLowerSpecial": no("KG304", allocates, "r.s(strings.ToLowerSpecial(nil, \"a\"))"),
	"ToTitleSpecial": no("KG304", allocates, "r.s(strings.ToTitleSpecial(nil, \"a\"))"),
	"ToUpperSpecial": no("KG304", allocates, "r.s(strings.ToUpperSpecial(nil, \"a\"))"),

	"Replacer.Replace":     no("KG304", allocates, "var g strings.Replacer; r.s(g.Replace(\"a\"))"),
	"Replacer.WriteString": no("KG304", allocates, "var g strings.Replacer; g.WriteString(nil, \"a\")"),
	"Builder.Grow":         no("KG304", allocates, "var g strings.Builder; g.Grow(3)"),
	"Builder.Write":        no("KG304", allocates, "var g strings.Builder; g.Write(nil)"),
	"Builder.WriteByte":    no("KG304", allocates, "var g strings.Builder; g.WriteByte(3)"),
	"Builder.WriteRune":    no("KG304", allocates, "var g strings.Builder; g.WriteRune(3)"),
	"Builder.WriteString":  no("KG304", allocates, "var g strings.Builder; g.WriteString(\"a\")"),
}, each(func(name string) row { return no("KG304", allocates, "r.i(len(strings."+name+"(\"a\", \"b\")))") }, "Split", "SplitAfter"),
	each(func(name string) row { return no("KG304", allocates, "r.s(strings."+name+"(\"a\"))") }, "Title", "ToLower", "ToTitle", "ToUpper"),
	each(func(name string) row {
		_, method, _ := strings.Cut(name, ".")
		return no("KG304", allocates, "var g strings.Builder; g."+method+"()")
	}, "Builder.Cap", "Builder.Len", "Builder.Reset", "Builder.String"))

// twoTexts are parts of strings with runes of all lengths, with bytes that are none,
// and with spaces of several kinds.
const twoTexts = "p := \" the quick\\nbrown fox \\u00e9t\\U0001f600\\xff\\u2003\"[u%31:]; q := \"o\\xffwnk\\u00e9 \\t\"[v%5:][:w%5]; "

func texts(bodies map[string]string) map[string]row {
	rows := map[string]row{}
	for name, body := range bodies {
		rows[name] = yes(twoTexts + "_ = q; " + body)
	}
	return rows
}

// digits makes s a number, mostly, of up to 20 letters of an alphabet, and t the string of it.
func digits(alphabet string) string {
	return fmt.Sprintf("const abc = %q; s[0] = abc[u%%%d]; for j := 1; j < len(s); j++ { s[j] = abc[(uint64(s[j])*uint64(j)+v>>(3*j))%%%[2]d] }; t := string(s[:u>>40%%21]); ", alphabet, len(alphabet))
}

// strconvRows: of the errors of what parses, kernels have no text, and what else there is makes
// strings.
var strconvRows = join(map[string]row{
	"AppendBool":  yes("add(strconv.AppendBool(s[:n+3], u&1 == 0))").with("Uint8"),
	"AppendFloat": yes("t := strconv.AppendFloat(make([]byte, 0, 400), x, \"eEfgG\"[u%5], n, 64); t = strconv.AppendFloat(t, float64(a), 'g', -1, 32); for _, c := range t { r.i(int(c)) }").ofMuchCode(),
	"AppendInt":   yes("add(strconv.AppendInt(s[:0], int64(u)>>(v%64), 10)); add(strconv.AppendInt(s[:n+3], int64(int16(u)), 2+int(v%35)))").with("Uint8"),
	"AppendUint":  yes("add(strconv.AppendUint(s[:0], u, 10)); add(strconv.AppendUint(s[:n+3], u>>(v%64), 16)); add(strconv.AppendUint(s[:n+3], u>>50, 2+int(v%35)))").with("Uint8"),
	"IsGraphic":   yes("r.b(strconv.IsGraphic(rune(u))); r.b(strconv.IsGraphic(rune(u & 0x1fffff)))"),
	"IsPrint":     yes("r.b(strconv.IsPrint(rune(u))); r.b(strconv.IsPrint(rune(u & 0x1fffff))); r.b(strconv.IsPrint(rune(u & 0xfff)))"),

	"Atoi":       yes(digits("0123456789012345678-") + "g, err := strconv.Atoi(t); r.i(g); r.b(err == nil); g, err = strconv.Atoi(\"-007\"[n&3:]); r.i(g); r.b(err == nil)").with("Uint8"),
	"ParseInt":   yes(digits("0123456789-0_x1b") + "g, err := strconv.ParseInt(t, []int{0, 10, 16, 36}[u>>8%4], []int{0, 8, 32, 64}[u>>10%4]); r.u(uint64(g)); r.b(err == nil); if g, ok := err.(*strconv.NumError); ok { r.b(g.Err == strconv.ErrRange); r.i(len(g.Func)) }").with("Uint8"),
	"ParseUint":  yes(digits("0123456789aF") + "g, err := strconv.ParseUint(t[:min(max(n, 0), len(t))], int(u>>8%38), int(u>>50%67)); r.u(g); r.b(err == nil); g, err = strconv.ParseUint(t, 16, 64); r.u(g); r.b(err == nil)").with("Uint8"),
	"ParseFloat": yes(digits("0123456789.e-") + "g, err := strconv.ParseFloat(t, 32<<(u>>30&1)); r.f(g); r.b(err == nil); g, err = strconv.ParseFloat([]string{\"+1e22\", \"0x1p-2\", \"-Infinity\", \"nan\", \"1_0.5\", \"1e400\", \"-0\", \"4.9e-324\", \"1.7976931348623159e308\", \"0x1.8p1023\", \"179769313486231570000000000000000000000000e270\"}[v%11], 64); r.f(g); r.b(err == nil)").with("Uint8").ofMuchCode(),

	"NumError.Error":  no("KG304", allocates, "g := strconv.NumError{Func: \"a\", Num: \"b\"[n+3:]}; r.s(g.Error())"),
	"NumError.Unwrap": yes("g := strconv.NumError{Err: strconv.ErrRange}; r.b(g.Unwrap() == strconv.ErrRange)"),
}, refusedAs("KG304", "strconv", map[string]string{
	"AppendQuote": "s, \"a\"", "AppendQuoteRune": "s, 'a'", "AppendQuoteRuneToASCII": "s, 'a'",
	"AppendQuoteRuneToGraphic": "s, 'a'", "AppendQuoteToASCII": "s, \"a\"", "AppendQuoteToGraphic": "s, \"a\"",
	"CanBackquote": "\"a\"", "FormatBool": "true", "FormatComplex": "1, 'g', 3, 64", "FormatFloat": "x, 'g', -1, 64",
	"FormatInt": "1, 10", "FormatUint": "u, 10", "Itoa": "n", "ParseBool": "\"true\"", "ParseComplex": "\"1\", 64",
	"Quote": "\"a\"", "QuoteRune": "'a'", "QuoteRuneToASCII": "'a'",
	"QuoteRuneToGraphic": "'a'", "QuoteToASCII": "\"a\"", "QuoteToGraphic": "\"a\"", "QuotedPrefix": "\"a\"", "Unquote": "\"a\"", "UnquoteChar": "\"a\", 'b'",
}))

func refusedAs(code, pkg string, args map[string]string) map[string]row {
	rows := map[string]row{}
	for name, a := range args {
		rows[name] = no(code, allocates, pkg+"."+name+"("+a+")").with("Uint8")
	}
	return rows
}

var hexRows = map[string]row{
	"AppendDecode": yes("hex.Encode(s, []byte{byte(u), byte(v), byte(w)}); s[n+3] ^= byte(w >> 60); t, err := hex.AppendDecode(s[8:9], s[:6]); add(t); r.b(err == nil)").with("Uint8"),
	"AppendEncode": yes("add(hex.AppendEncode(s[:n+3], s[10:][:u%9]))").with("Uint8"),
	"Decode":       yes("hex.Encode(s, []byte{byte(u), byte(v), byte(w)}); s[n+3] ^= byte(w >> 60); m, err := hex.Decode(s[6:], s[:6-u>>63]); r.i(m); r.b(err == nil); r.b(err == hex.ErrLength)").with("Uint8"),
	"DecodedLen":   yes("r.i(hex.DecodedLen(n))"),
	"Encode":       yes("r.i(hex.Encode(s, s[12:][:n&7]))").with("Uint8"),
	"EncodedLen":   yes("r.i(hex.EncodedLen(n))"),

	"DecodeString":           no("KG208", allocates, "hex.DecodeString(\"ab\"[u%2:])"),
	"Dump":                   no("KG304", allocates, "r.s(hex.Dump([]byte{1}))"),
	"Dumper":                 yes("r.b(hex.Dumper(nil) == nil)"),
	"EncodeToString":         yes("r.s(hex.EncodeToString([]byte{1, byte(u), byte(v)}))"),
	"InvalidByteError.Error": no("KG304", allocates, "r.s(hex.InvalidByteError(3).Error())"),
	"NewDecoder":             yes("r.b(hex.NewDecoder(nil) == nil)"),
	"NewEncoder":             yes("r.b(hex.NewEncoder(nil) == nil)"),
}

var fnvRows = join(each(func(name string) row {
	return yes("h := fnv." + name + "(); h.Write(s); h.Write(s[3:5]); add(h.Sum(s[:4])); r.i(h.Size() + h.BlockSize()); h.Reset(); add(h.Sum(s[:0]))").with("Uint8")
}, "New32", "New32a", "New64", "New64a", "New128", "New128a"))

// twoLists are lists of three and two numbers.
const twoLists = "g, o := list.New(), list.New(); e1 := g.PushBack(n); e2 := g.PushBack(7); e3 := g.PushFront(int(u)); e4 := o.PushFront(1); o.PushBack(2); _, _, _, _ = e1, e2, e3, e4; "

const sumLists = "; for e := g.Front(); e != nil; e = e.Next() { r.i(e.Value.(int)) }; for e := o.Back(); e != nil; e = e.Prev() { r.i(e.Value.(int)) }; r.i(g.Len())"

var listRows = func() map[string]row {
	rows := map[string]row{}
	for name, body := range map[string]string{
		"New": "", "List.Init": "o.Init()", "List.Len": "r.i(o.Len())",
		"List.Front": "r.b(o.Front() == e4)", "List.Back": "r.b(o.Back() == e4)", "Element.Next": "r.b(e3.Next() == e1)", "Element.Prev": "r.b(e3.Prev() == nil)",
		"List.InsertAfter": "g.InsertAfter(5, e1)", "List.InsertBefore": "g.InsertBefore(5, e1); r.b(g.InsertBefore(6, e4) == nil)",
		"List.MoveAfter": "g.MoveAfter(e3, e2)", "List.MoveBefore": "g.MoveBefore(e2, e3)", "List.MoveToBack": "g.MoveToBack(e3)", "List.MoveToFront": "g.MoveToFront(e2)",
		"List.PushBack": "o.PushBack(8)", "List.PushFront": "o.PushFront(8)",
		"List.Remove": "r.i(g.Remove(e1).(int)); g.Remove(e4)",
	} {
		rows["List."+strings.TrimPrefix(name, "List.")] = yes(twoLists + body + sumLists)
		if !strings.HasPrefix(name, "List.") {
			delete(rows, "List."+name)
			rows[name] = yes(twoLists + body + sumLists)
		}
	}
	for _, name := range []string{"PushBackList", "PushFrontList"} {
		rows["List."+name] = no("KG203", "it makes elements in a loop", twoLists+"g."+name+"(o)"+sumLists)
	}
	return rows
}()

var ringRows = func() map[string]row {
	const two, sum = "g, o := &ring.Ring{Value: n}, &ring.Ring{Value: 5}; g.Link(o); o.Link(&ring.Ring{Value: 9}); ", "; g.Do(func(v any) { r.i(v.(int)) })"
	rows := map[string]row{"New": no("KG203", "it makes elements in a loop", "g := ring.New(3); r.i(g.Len())")}
	for name, body := range map[string]string{
		"Do": "", "Len": "r.i(g.Len())", "Link": "g.Link(g.Next().Next())", "Move": "r.i(g.Move(n).Value.(int))",
		"Next": "r.i(g.Next().Value.(int))", "Prev": "r.i(g.Prev().Value.(int))", "Unlink": "g.Unlink(1)",
	} {
		rows["Ring."+name] = yes(two + body + sum)
	}
	return rows
}()

var colorRows = func() map[string]row {
	rows := map[string]row{
		"ModelFunc":       yes("g := color.ModelFunc(func(c color.Color) color.Color { d, _, _, _ := c.RGBA(); return color.Gray16{uint16(d)} }).Convert(color.Alpha{byte(u)}); d, e, _, _ := g.RGBA(); r.u(uint64(d + e))"),
		"Palette.Convert": yes("p := color.Palette{color.Gray{1}, color.Alpha{2}}; d, _, _, _ := p.Convert(color.Gray{byte(u)}).RGBA(); r.u(uint64(d))"),
		"Palette.Index":   yes("p := color.Palette{color.Gray{1}, color.Gray{200}, color.RGBA{1, 90, 3, 255}}; r.i(p.Index(color.Gray{byte(u)}))"),
	}
	for name, fields := range map[string]string{
		"Alpha": "byte(u)", "Alpha16": "uint16(u)", "CMYK": "byte(u), byte(v), byte(w), byte(n)", "Gray": "byte(u)", "Gray16": "uint16(u)",
		"NRGBA": "byte(u), byte(v), byte(w), byte(n)", "NRGBA64": "uint16(u), uint16(v), uint16(w), uint16(n)",
		"NYCbCrA": "color.YCbCr{byte(u), byte(v), byte(w)}, byte(n)", "RGBA": "byte(u), byte(v), byte(w), byte(n)",
		"RGBA64": "uint16(u), uint16(v), uint16(w), uint16(n)", "YCbCr": "byte(u), byte(v), byte(w)",
	} {
		rows[name+".RGBA"] = yes("x1, x2, x3, x4 := color." + name + "{" + fields + "}.RGBA(); r.u(uint64(x1)); r.u(uint64(x2)); r.u(uint64(x3)); r.u(uint64(x4))")
	}
	return rows
}()

// baseRows has rows for packages base32 and base64, with an alphabet.
func baseRows(pkg, alphabet string) map[string]row {
	enc := "e := " + pkg + ".NewEncoding(\"" + alphabet + "\"); "
	with := func(body string) row { return yes(enc + body).with("Uint8").ofMuchCode() }
	rows := map[string]row{
		"NewEncoding":             with("e.Encode(s, s[20-n&7:])"),
		"Encoding.AppendEncode":   with("add(e.AppendEncode(s[:3], s[:n&7]))"),
		"Encoding.Encode":         with("e.Encode(s, s[:1]); e.Encode(s[8:], s[:5])"),
		"Encoding.Decode":         with("e.Encode(s, s[:5]); s[n&7] ^= byte(u >> 60); m, err := e.Decode(s[8:], s[:8]); r.i(m); r.b(err == nil)"),
		"Encoding.AppendDecode":   with("e.Encode(s, s[:5]); t, err := e.AppendDecode(s[8:9], s[:n&7]); add(t); r.b(err == nil)"),
		"Encoding.DecodedLen":     with("r.i(e.DecodedLen(n & 7))"),
		"Encoding.EncodedLen":     with("r.i(e.EncodedLen(n & 7))"),
		"Encoding.Strict":         with("e = e.Strict(); e.Encode(s, s[:5]); s[6] ^= byte(u >> 60); m, err := e.Decode(s[8:], s[:8]); r.i(m); r.b(err == nil)"),
		"Encoding.WithPadding":    with("e = e.WithPadding('*'); e.Encode(s, s[:1+n&3])"),
		"Encoding.DecodeString":   no("KG208", allocates, enc+"e.DecodeString(\"aa\"[n&1:])").with("Uint8"),
		"Encoding.EncodeToString": no("KG204", allocates, enc+"r.s(e.EncodeToString(s))").with("Uint8"),
		"NewDecoder":              yes(enc + "r.b(" + pkg + ".NewDecoder(e, nil) == nil)").ofMuchCode(),
		"NewEncoder":              yes(enc + "r.b(" + pkg + ".NewEncoder(e, nil) == nil)").ofMuchCode(),
		"CorruptInputError.Error": no("KG304", allocates, "r.s("+pkg+".CorruptInputError(3).Error())"),
	}
	if pkg == "base32" { // which drops line breaks in a copy
		delete(rows, "Encoding.Strict")
		rows["Encoding.EncodeToString"] = with("r.s(e.EncodeToString(s))")
		rows["Encoding.AppendDecode"] = no("KG204", allocates, rows["Encoding.AppendDecode"].body).with("Uint8")
	}
	return rows
}
