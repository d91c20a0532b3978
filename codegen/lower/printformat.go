package lower

// This file parses the formats of print calls.

import (
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"go/types"
	"strings"
	"unicode/utf8"
)

// printDirective holds the verb of a format directive, and whether it has the flag #.
type printDirective struct {
	verb  rune
	sharp bool // whether the directive is %#v
}

// verbsOf returns the verbs that package fmt accepts for a group of basic types. The verb v is not
// included.
func verbsOf(info types.BasicInfo) string {
	switch {
	case info&types.IsBoolean != 0:
		return "t"
	case info&types.IsInteger != 0:
		return "dboOxXcqU"
	case info&(types.IsFloat|types.IsComplex) != 0:
		return "bgGxXfFeE"
	case info&types.IsString != 0:
		return "sxXq"
	}
	return ""
}

// acceptsType reports whether the directive accepts values of basic type b.
func (d printDirective) acceptsType(b *types.Basic) bool {
	return d.verb == 'v' || strings.ContainsRune(verbsOf(b.Info()), d.verb)
}

// addFormat adds the arguments of Printf to the record, in the order in which the format's verbs
// use them. addFormat also sets the format of the print site (the abi's description of the call),
// without argument indices. If a format has a mistake, addFormat reports an error. Package fmt
// would print a complaint that contains names of types.
func (r *printRecord) addFormat(format string, list []iface) {
	f := &formatReader{r: r, rest: format, list: list, used: make([]bool, len(list))}
	var b strings.Builder
	for f.rest != "" && !r.failed {
		i := strings.IndexByte(f.rest, '%')
		if i < 0 {
			i = len(f.rest)
		}
		b.WriteString(f.rest[:i])
		if f.rest = f.rest[i:]; f.rest != "" {
			f.rest = f.rest[1:]
			b.WriteString("%" + f.parseDirective())
		}
	}
	for i, used := range f.used {
		if !used && !f.explicitIndex && !r.failed {
			r.fail("add a verb for it, or leave it out", "no verb of the format %q is for argument %d", format, i+1)
		}
	}
	r.site.Format = b.String()
}

// formatReader parses a format of package fmt.
type formatReader struct {
	r    *printRecord
	rest string
	list []iface
	used []bool
	next int // index of the argument for the next verb
	// explicitIndex is set if a verb has an explicit argument index. With an explicit argument
	// index, arguments that no verb uses are allowed.
	explicitIndex bool
}

// cutPrefix removes the characters at the beginning of f.rest that are in the string `set`, and
// returns the removed characters.
func (f *formatReader) cutPrefix(set string) string {
	n := len(f.rest) - len(strings.TrimLeft(f.rest, set))
	s := f.rest[:n]
	f.rest = f.rest[n:]
	return s
}

// parseIndex parses an explicit argument index, as in %[2]d.
func (f *formatReader) parseIndex() {
	if !strings.HasPrefix(f.rest, "[") {
		return
	}
	f.rest = f.rest[1:]
	n := 0
	for _, c := range f.cutPrefix("0123456789") {
		n = min(n*10+int(c-'0'), 1<<20)
	}
	if !strings.HasPrefix(f.rest, "]") || n < 1 || n > len(f.list) {
		f.r.fail("count the arguments from 1, as in %[1]d", "an index of the format names no argument")
		return
	}
	f.rest, f.next, f.explicitIndex = f.rest[1:], n-1, true
}

// parseNumber parses a width or a precision. A format contains the number as digits, or a star if
// an argument supplies the number.
func (f *formatReader) parseNumber() string {
	f.parseIndex()
	if !strings.HasPrefix(f.rest, "*") {
		return f.cutPrefix("0123456789")
	}
	f.rest = f.rest[1:]
	if i, ok := f.nextArg(); ok {
		if i.typ == nil || !gotypes.IsInteger(i.typ) {
			f.r.fail("give it an int", "a width or precision of the format is no integer")
			return ""
		}
		f.r.addArg(i, printDirective{verb: 'd'})
	}
	return "*"
}

// nextArg returns the argument that the next verb uses.
func (f *formatReader) nextArg() (iface, bool) {
	if f.next >= len(f.list) {
		f.r.fail("add the argument, or write %% for a percent sign", "a verb of the format has no argument")
		return iface{}, false
	}
	i := f.next
	f.used[i] = true
	f.next++
	return f.list[i], !f.r.failed
}

// parseDirective parses the text after a percent sign, and returns the text with which the host
// formats the argument.
func (f *formatReader) parseDirective() string {
	flags := f.cutPrefix("+-# 0")
	text := flags + f.parseNumber()
	if strings.HasPrefix(f.rest, ".") {
		f.rest = f.rest[1:]
		text += "." + f.parseNumber()
	}
	f.parseIndex()
	if f.r.failed {
		return ""
	}
	verb, size := utf8.DecodeRuneInString(f.rest)
	f.rest = f.rest[size:]
	switch {
	case size == 0:
		f.r.fail("write %% for a percent sign", "the format ends within a verb")
		return ""
	case verb == '%':
		return "%"
	case !strings.ContainsRune("vTtboOdxXcqUeEfFgGs", verb):
		f.r.fail("use one of %v, %d, %x, %q, %s, %t, %g, and those like them", "the format has the verb %%%c, which a kernel does not have", verb)
		return ""
	}
	i, ok := f.nextArg()
	if !ok {
		return ""
	}
	f.r.addArg(i, printDirective{verb: verb, sharp: verb == 'v' && strings.Contains(flags, "#")})
	if verb == 'T' {
		verb, text = 's', strings.ReplaceAll(text, "#", "")
	}
	return text + string(verb)
}
