package lower

// This file parses the formats of print calls.

import (
	"github.com/kgen-go/kgen/codegen/internal/gotypes"
	"go/types"
	"strings"
	"unicode/utf8"
)

// directive has the parts of a verb in a format of package fmt that matter here.
type directive struct {
	verb  rune
	sharp bool // whether it is %#v
}

// verbsOf returns the verbs, apart from %v, for a kind of values.
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

// fits reports whether the verb accepts values of a basic type.
func (d directive) fits(b *types.Basic) bool {
	return d.verb == 'v' || strings.ContainsRune(verbsOf(b.Info()), d.verb)
}

// format adds the arguments of Printf in the order in which the format's verbs use them. It sets
// the site's format, without indices of arguments. Where fmt would write a complaint into the text,
// format reports an error, since such text contains names of types.
func (r *printRecord) format(format string, list []iface) {
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
			b.WriteString("%" + f.directive())
		}
	}
	for i, used := range f.used {
		if !used && !f.indexed && !r.failed {
			r.fail("add a verb for it, or leave it out", "no verb of the format %q is for argument %d", format, i+1)
		}
	}
	r.site.Format = b.String()
}

// formatReader parses a format.
type formatReader struct {
	r    *printRecord
	rest string
	list []iface
	used []bool
	next int // index of the argument for the next verb
	// indexed says that a verb has named its argument: then other arguments may be unused.
	indexed bool
}

// cut removes the longest prefix of rest whose characters are in set, and returns it.
func (f *formatReader) cut(set string) string {
	n := len(f.rest) - len(strings.TrimLeft(f.rest, set))
	s := f.rest[:n]
	f.rest = f.rest[n:]
	return s
}

// index parses the index of an argument, as in %[2]d.
func (f *formatReader) index() {
	if !strings.HasPrefix(f.rest, "[") {
		return
	}
	f.rest = f.rest[1:]
	n := 0
	for _, c := range f.cut("0123456789") {
		n = min(n*10+int(c-'0'), 1<<20)
	}
	if !strings.HasPrefix(f.rest, "]") || n < 1 || n > len(f.list) {
		f.r.fail("count the arguments from 1, as in %[1]d", "an index of the format names no argument")
		return
	}
	f.rest, f.next, f.indexed = f.rest[1:], n-1, true
}

// number parses a width or a precision: digits, or a star for an argument.
func (f *formatReader) number() string {
	f.index()
	if !strings.HasPrefix(f.rest, "*") {
		return f.cut("0123456789")
	}
	f.rest = f.rest[1:]
	if i, ok := f.arg(); ok {
		if i.typ == nil || !gotypes.IsInteger(i.typ) {
			f.r.fail("give it an int", "a width or precision of the format is no integer")
			return ""
		}
		f.r.arg(i, directive{verb: 'd'})
	}
	return "*"
}

// arg returns the next argument.
func (f *formatReader) arg() (iface, bool) {
	if f.next >= len(f.list) {
		f.r.fail("add the argument, or write %% for a percent sign", "a verb of the format has no argument")
		return iface{}, false
	}
	i := f.next
	f.used[i] = true
	f.next++
	return f.list[i], !f.r.failed
}

// directive parses the text after a percent sign and returns its form in the host's format.
func (f *formatReader) directive() string {
	flags := f.cut("+-# 0")
	text := flags + f.number()
	if strings.HasPrefix(f.rest, ".") {
		f.rest = f.rest[1:]
		text += "." + f.number()
	}
	f.index()
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
	i, ok := f.arg()
	if !ok {
		return ""
	}
	f.r.arg(i, directive{verb: verb, sharp: verb == 'v' && strings.Contains(flags, "#")})
	if verb == 'T' {
		verb, text = 's', strings.ReplaceAll(text, "#", "")
	}
	return text + string(verb)
}
