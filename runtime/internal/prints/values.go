package prints

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/dsl/half"
)

// A typ is a type or constant that abi.PrintSite.Args describes.
type typ struct {
	valueType reflect.Type // nil for a constant and for the value nil
	name      string       // name of a basic type, or text of a constant
	value     any          // value of a constant
	elem      *typ         // element type of an array
	fields    []*typ
}

// printMessage is the text that the String or Error method of a value has returned on the
// device.
type printMessage struct{ textOf string }

func (m printMessage) String() string { return m.textOf }

// messageString is like printMessage, but for a value of a string type. fmt.Print adds no spaces
// next to operands of string types.
type messageString string

func (m messageString) String() string { return string(m) }

var basic = map[string]reflect.Type{
	"bool": reflect.TypeFor[bool](), "string": reflect.TypeFor[string](),
	"text": reflect.TypeFor[printMessage](), "textstring": reflect.TypeFor[messageString](),
	"int": reflect.TypeFor[int](), "int8": reflect.TypeFor[int8](), "int16": reflect.TypeFor[int16](),
	"int32": reflect.TypeFor[int32](), "int64": reflect.TypeFor[int64](),
	"uint": reflect.TypeFor[uint](), "uint8": reflect.TypeFor[uint8](), "uint16": reflect.TypeFor[uint16](),
	"uint32": reflect.TypeFor[uint32](), "uint64": reflect.TypeFor[uint64](), "uintptr": reflect.TypeFor[uintptr](),
	"float32": reflect.TypeFor[float32](), "float64": reflect.TypeFor[float64](),
	"half.Float16": reflect.TypeFor[half.Float16](), "half.BFloat16": reflect.TypeFor[half.BFloat16](),
	"half.Float8E4M3": reflect.TypeFor[half.Float8E4M3](), "half.Float8E5M2": reflect.TypeFor[half.Float8E5M2](),
	"complex64": reflect.TypeFor[complex64](), "complex128": reflect.TypeFor[complex128](),
}

// `parse` returns the type that the parameter `text` describes.
func parse(text string) (*typ, error) {
	switch {
	case text == "nil":
		return &typ{}, nil
	case strings.HasPrefix(text, `"`):
		s, err := strconv.Unquote(text)
		return &typ{value: s}, err
	}
	p := &parser{rest: text}
	t := p.parseType()
	if t == nil || p.rest != "" {
		return nil, fmt.Errorf("%q is no type of a value that is printed", text)
	}
	return t, nil
}

type parser struct{ rest string }

// eatWord removes the prefix s from the remaining text. eatWord returns false, and removes
// nothing, if the text has another prefix.
func (p *parser) eatWord(s string) bool {
	rest, ok := strings.CutPrefix(p.rest, s)
	p.rest = rest
	return ok
}

// takeWord removes and returns the text before the first character that the string `ends` contains.
func (p *parser) takeWord(ends string) string {
	n := strings.IndexAny(p.rest, ends)
	if n < 0 {
		n = len(p.rest)
	}
	s := p.rest[:n]
	p.rest = p.rest[n:]
	return s
}

// parseType parses a type, removes the type from the remaining text, and returns the type.
// parseType returns nil if the remaining text does not begin with a type.
func (p *parser) parseType() *typ {
	switch {
	case p.eatWord("["):
		n, err := strconv.Atoi(p.takeWord("]"))
		if err != nil || n < 0 || !p.eatWord("]") {
			return nil
		}
		e := p.parseType()
		if e == nil {
			return nil
		}
		return &typ{valueType: reflect.ArrayOf(n, e.valueType), elem: e}
	case p.eatWord("struct{"):
		t := &typ{}
		var fields []reflect.StructField
		for !p.eatWord("}") {
			f := reflect.StructField{Name: p.takeWord(" ")}
			if !p.eatWord(" ") {
				return nil
			}
			e := p.parseType()
			if e == nil || !p.eatWord(";") {
				return nil
			}
			f.Type = e.valueType
			if !isExported(f.Name) {
				f.PkgPath = "kernel"
			}
			fields, t.fields = append(fields, f), append(t.fields, e)
		}
		t.valueType = reflect.StructOf(fields)
		return t
	}
	name := p.takeWord(";")
	if basic[name] == nil {
		return nil
	}
	return &typ{valueType: basic[name], name: name}
}

// isExported reports whether a field's name begins with an upper-case letter, as Go
// defines it.
func isExported(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(r)
}

// valueReader reads 32-bit words from a print buffer.
type valueReader struct {
	words []uint32
	at    int
	texts string
	short bool // a read went past the end of the buffer
}

func (r *valueReader) takeWord() uint32 {
	if r.at >= len(r.words) {
		r.short = true
		return 0
	}
	r.at++
	return r.words[r.at-1]
}

func (r *valueReader) long() uint64 {
	low := uint64(r.takeWord())
	return low | uint64(r.takeWord())<<32
}

func (r *valueReader) float32() float32 { return math.Float32frombits(r.takeWord()) }
func (r *valueReader) float64() float64 { return math.Float64frombits(r.long()) }

// readString reads a string from the buffer. Instead of the string's bytes, the record may refer to
// one of the kernel's constant texts.
func (r *valueReader) readString() string {
	n := uint64(r.takeWord())
	if n&abi.PrintTable != 0 {
		n &^= abi.PrintTable
		at := uint64(r.takeWord())
		if at+n > uint64(len(r.texts)) {
			r.short = true
			return ""
		}
		return r.texts[at : at+n]
	}
	words := int((n + 3) / 4)
	if words > len(r.words)-r.at {
		r.short = true
		return ""
	}
	b := make([]byte, 0, 4*words)
	for range words {
		b = binary.LittleEndian.AppendUint32(b, r.takeWord())
	}
	return string(b[:n])
}

// readValue reads a value of the type t.
func (t *typ) readValue(r *valueReader) any {
	if t.valueType == nil {
		return t.value
	}
	v := reflect.New(t.valueType).Elem()
	t.fill(v, r)
	return v.Interface()
}

// `fill` reads a value of the type t into v.
func (t *typ) fill(v reflect.Value, r *valueReader) {
	if t.elem != nil {
		for i := 0; i < v.Len() && !r.short; i++ {
			t.elem.fill(v.Index(i), r)
		}
		return
	}
	if t.name == "" {
		for i, f := range t.fields {
			// NewAt makes it possible to write fields that are not exported.
			field := v.Field(i)
			f.fill(reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem(), r)
		}
		return
	}
	if t.name == "text" {
		v.Set(reflect.ValueOf(printMessage{r.readString()}))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.takeWord() != 0)
	case reflect.String:
		v.SetString(r.readString())
	case reflect.Int8, reflect.Int16, reflect.Int32:
		v.SetInt(int64(int32(r.takeWord())))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(r.long()))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		v.SetUint(uint64(r.takeWord()))
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		v.SetUint(r.long())
	case reflect.Float32:
		*(*float32)(unsafe.Pointer(v.UnsafeAddr())) = r.float32() // writes the bits themselves, so a NaN keeps its bits
	case reflect.Float64:
		v.SetFloat(r.float64())
	case reflect.Complex64:
		re := r.float32()
		*(*complex64)(unsafe.Pointer(v.UnsafeAddr())) = complex(re, r.float32())
	case reflect.Complex128:
		re := r.float64()
		v.SetComplex(complex(re, r.float64()))
	}
}
