package natskgen

import (
	"encoding"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// A plan says how values of a type are encoded. The package documentation describes the encoding.
type plan struct {
	typ    reflect.Type
	kind   reflect.Kind
	size   int  // number of bytes of an encoded value, or 0 if the values differ in size
	raw    bool // whether the encoding is the same as the bytes of the value in memory
	marsh  bool // whether values are encoded by the type's own methods
	elem   *plan
	fields []*plan
	shape  string
}

var (
	marshaler   = reflect.TypeFor[encoding.BinaryMarshaler]()
	unmarshaler = reflect.TypeFor[encoding.BinaryUnmarshaler]()
)

// The variable `little` is true if this machine stores numbers in the byte order of the encoding.
var little = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// The map `sizes` contains the number of bytes of an encoded value, for kinds whose values have a
// fixed size.
var sizes = map[reflect.Kind]int{
	reflect.Bool: 1, reflect.Int: 8, reflect.Int8: 1, reflect.Int16: 2, reflect.Int32: 4, reflect.Int64: 8,
	reflect.Uint: 8, reflect.Uint8: 1, reflect.Uint16: 2, reflect.Uint32: 4, reflect.Uint64: 8,
	reflect.Float32: 4, reflect.Float64: 8, reflect.Complex64: 8, reflect.Complex128: 16,
}

// planOf returns the plan of a type, or an error of the class ErrType.
func planOf(t reflect.Type) (*plan, error) {
	p, err := newPlan(t, nil)
	if err != nil {
		return nil, &Error{Class: ErrType, Problem: fmt.Sprintf("%v cannot be encoded", t), Err: err}
	}
	return p, nil
}

// newPlan returns the plan of a type. The argument `above` lists the types that contain type t.
func newPlan(t reflect.Type, above []reflect.Type) (*plan, error) {
	if slices.Contains(above, t) {
		return nil, fmt.Errorf("%v contains itself", t)
	}
	above = append(above, t)
	p := &plan{typ: t, kind: t.Kind(), shape: t.Kind().String()}
	if at := reflect.PointerTo(t); at.Implements(marshaler) && at.Implements(unmarshaler) {
		p.marsh, p.shape = true, "binary("+t.String()+")"
		return p, nil
	}
	var err error
	switch t.Kind() {
	case reflect.String:
	case reflect.Array, reflect.Slice, reflect.Pointer:
		if p.elem, err = newPlan(t.Elem(), above); err != nil {
			return nil, err
		}
		switch t.Kind() {
		case reflect.Array:
			p.shape = fmt.Sprintf("[%d]%s", t.Len(), p.elem.shape)
			p.size, p.raw = p.elem.size*t.Len(), p.elem.raw
		case reflect.Slice:
			p.shape = "[]" + p.elem.shape
			if t.Elem().Size() == 0 {
				return nil, fmt.Errorf("the elements of %v have no bytes", t)
			}
		case reflect.Pointer:
			p.shape = "*" + p.elem.shape
		}
	case reflect.Struct:
		return p, p.addFields(above)
	default:
		size, ok := sizes[t.Kind()]
		if !ok {
			return nil, fmt.Errorf("a value of type %v has no encoding", t)
		}
		p.size = size
		p.raw = little && size == int(t.Size()) && t.Kind() != reflect.Bool
	}
	return p, nil
}

// addFields adds the plans of a struct's fields.
func (p *plan) addFields(above []reflect.Type) error {
	texts, fixed := []string{}, true
	p.raw = true
	for i := range p.typ.NumField() {
		f := p.typ.Field(i)
		if !f.IsExported() {
			return fmt.Errorf("the field %s of %v is not exported", f.Name, p.typ)
		}
		sub, err := newPlan(f.Type, above)
		if err != nil {
			return fmt.Errorf("field %s: %w", f.Name, err)
		}
		p.fields = append(p.fields, sub)
		p.size += sub.size
		fixed = fixed && sub.size > 0
		p.raw = p.raw && sub.raw
		texts = append(texts, f.Name+" "+sub.shape)
	}
	if !fixed {
		p.size = 0
	}
	p.raw = p.raw && p.size > 0 && p.size == int(p.typ.Size())
	p.shape = "struct{" + strings.Join(texts, "; ") + "}"
	return nil
}

// The function memory returns the bytes of a slice whose encoded elements have the same bytes as in
// memory.
func memory(v reflect.Value, size int) []byte {
	return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*size)
}

// An encoder collects the encoding of a value, which consists of a text and of slices that are
// stored outside the text.
type encoder struct {
	text  []byte
	moved [][]byte
	limit int // largest number of bytes of a slice that stays in the text
}

// encode returns the text of an addressable value, and the slices that are stored outside the text.
// If the encoded elements of a slice have the same bytes as in memory, encode returns the slice's
// own memory.
func (p *plan) encode(v reflect.Value, limit int) (text []byte, moved [][]byte, err error) {
	e := &encoder{limit: limit}
	if err := e.value(p, v); err != nil {
		return nil, nil, err
	}
	return e.text, e.moved, nil
}

func (e *encoder) value(p *plan, v reflect.Value) error {
	if p.marsh {
		b, err := v.Addr().Interface().(encoding.BinaryMarshaler).MarshalBinary()
		if err != nil {
			return fmt.Errorf("%v: %w", p.typ, err)
		}
		e.text = append(binary.AppendUvarint(e.text, uint64(len(b))), b...)
		return nil
	}
	switch p.kind {
	case reflect.String:
		e.text = append(binary.AppendUvarint(e.text, uint64(v.Len())), v.String()...)
	case reflect.Pointer:
		if v.IsNil() {
			e.text = append(e.text, 0)
			return nil
		}
		e.text = append(e.text, 1)
		return e.value(p.elem, v.Elem())
	case reflect.Struct:
		for i, f := range p.fields {
			if err := e.value(f, v.Field(i)); err != nil {
				return err
			}
		}
	case reflect.Array:
		return e.elements(p.elem, v)
	case reflect.Slice:
		return e.slice(p.elem, v)
	default:
		e.number(p.kind, v)
	}
	return nil
}

func (e *encoder) elements(elem *plan, v reflect.Value) error {
	for i := range v.Len() {
		if err := e.value(elem, v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// The method slice writes 0 for a nil slice, and 2*(length+1) for any other slice. The lowest bit
// of this number is set if the elements are stored outside the text.
func (e *encoder) slice(elem *plan, v reflect.Value) error {
	if v.IsNil() {
		e.text = append(e.text, 0)
		return nil
	}
	head, bytes := uint64(v.Len()+1)<<1, v.Len()*elem.size
	if elem.size == 0 || bytes <= e.limit {
		e.text = binary.AppendUvarint(e.text, head)
		if elem.raw {
			e.text = append(e.text, memory(v, elem.size)...)
			return nil
		}
		return e.elements(elem, v)
	}
	e.text = binary.AppendUvarint(e.text, head|1)
	if elem.raw {
		e.moved = append(e.moved, memory(v, elem.size))
		return nil
	}
	beside := &encoder{text: make([]byte, 0, bytes)}
	if err := beside.elements(elem, v); err != nil {
		return err
	}
	e.moved = append(e.moved, beside.text)
	return nil
}

func (e *encoder) number(kind reflect.Kind, v reflect.Value) {
	le := binary.LittleEndian
	switch kind {
	case reflect.Bool:
		b := byte(0)
		if v.Bool() {
			b = 1
		}
		e.text = append(e.text, b)
	case reflect.Int8:
		e.text = append(e.text, byte(v.Int()))
	case reflect.Int16:
		e.text = le.AppendUint16(e.text, uint16(v.Int()))
	case reflect.Int32:
		e.text = le.AppendUint32(e.text, uint32(v.Int()))
	case reflect.Int, reflect.Int64:
		e.text = le.AppendUint64(e.text, uint64(v.Int()))
	case reflect.Uint8:
		e.text = append(e.text, byte(v.Uint()))
	case reflect.Uint16:
		e.text = le.AppendUint16(e.text, uint16(v.Uint()))
	case reflect.Uint32:
		e.text = le.AppendUint32(e.text, uint32(v.Uint()))
	case reflect.Uint, reflect.Uint64:
		e.text = le.AppendUint64(e.text, v.Uint())
	case reflect.Float32: // a conversion to float64 would change signalling NaNs
		e.text = le.AppendUint32(e.text, *(*uint32)(v.Addr().UnsafePointer()))
	case reflect.Float64:
		e.text = le.AppendUint64(e.text, math.Float64bits(v.Float()))
	case reflect.Complex64:
		e.text = le.AppendUint32(e.text, math.Float32bits(real(*(*complex64)(v.Addr().UnsafePointer()))))
		e.text = le.AppendUint32(e.text, math.Float32bits(imag(*(*complex64)(v.Addr().UnsafePointer()))))
	case reflect.Complex128:
		e.text = le.AppendUint64(e.text, math.Float64bits(real(v.Complex())))
		e.text = le.AppendUint64(e.text, math.Float64bits(imag(v.Complex())))
	default:
		panic("BUG: no number of kind " + kind.String())
	}
}
