package natskgen

import (
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"reflect"
)

// A decoder reads a value from its text and from the slices that are stored outside the text.
type decoder struct {
	text []byte
	// The reader in the field `beside` contains the slices that are stored outside the text, one
	// after the other. The field `left` is the number of bytes that have not been read from this
	// reader.
	beside io.Reader
	left   int64
}

var (
	errShort = errors.New("it ends too early")
	errRest  = errors.New("it goes on after its end")
)

// decode reads a value of the plan's type into v. The reader `beside` contains the slices that are
// stored outside the text. It has as many bytes as the argument `left` says. The value must use all
// bytes of the text and of the reader.
func (p *plan) decode(v reflect.Value, text []byte, beside io.Reader, left int64) error {
	d := &decoder{text, beside, left}
	err := d.value(p, v)
	if err == nil && (len(d.text) > 0 || d.left > 0) {
		err = errRest
	}
	return err
}

// The method take returns the next n bytes of the text, and removes them from it.
func (d *decoder) take(n uint64) ([]byte, error) {
	if n > uint64(len(d.text)) {
		return nil, errShort
	}
	b := d.text[:n]
	d.text = d.text[n:]
	return b, nil
}

func (d *decoder) uvarint() (uint64, error) {
	v, n := binary.Uvarint(d.text)
	if n <= 0 {
		return 0, errShort
	}
	d.text = d.text[n:]
	return v, nil
}

func (d *decoder) value(p *plan, v reflect.Value) error {
	if p.marsh || p.kind == reflect.String {
		n, err := d.uvarint()
		if err != nil {
			return err
		}
		b, err := d.take(n)
		if err != nil {
			return err
		}
		if !p.marsh {
			v.SetString(string(b))
			return nil
		}
		if err := v.Addr().Interface().(encoding.BinaryUnmarshaler).UnmarshalBinary(b); err != nil {
			return fmt.Errorf("%v: %w", p.typ, err)
		}
		return nil
	}
	switch p.kind {
	case reflect.Pointer:
		b, err := d.take(1)
		if err != nil || b[0] == 0 {
			return err
		}
		if b[0] != 1 {
			return fmt.Errorf("a pointer begins with %d", b[0])
		}
		v.Set(reflect.New(p.elem.typ))
		return d.value(p.elem, v.Elem())
	case reflect.Struct:
		for i, f := range p.fields {
			if err := d.value(f, v.Field(i)); err != nil {
				return err
			}
		}
		return nil
	case reflect.Array:
		return d.elements(p.elem, v)
	case reflect.Slice:
		return d.slice(p, v)
	}
	b, err := d.take(uint64(p.size))
	if err != nil {
		return err
	}
	return setNumber(p.kind, v, b)
}

func (d *decoder) elements(elem *plan, v reflect.Value) error {
	for i := range v.Len() {
		if err := d.value(elem, v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// The method slice reads a slice. If the remaining bytes are too few for its length, the method
// returns an error.
func (d *decoder) slice(p *plan, v reflect.Value) error {
	head, err := d.uvarint()
	if err != nil || head == 0 {
		return err
	}
	n := head >> 1
	if n == 0 {
		return errors.New("a slice begins with 1")
	}
	n--
	elem, moved := p.elem, head&1 == 1
	least, have := uint64(max(elem.size, 1)), uint64(len(d.text))
	if moved {
		have = uint64(d.left)
		if elem.size == 0 {
			return errors.New("elements without a size are beside it")
		}
	}
	high, bytes := bits.Mul64(n, least)
	if high != 0 || bytes > have {
		return errShort
	}
	v.Set(reflect.MakeSlice(p.typ, int(n), int(n)))
	switch {
	case moved && elem.raw:
		d.left -= int64(bytes)
		_, err := io.ReadFull(d.beside, memory(v, elem.size))
		return err
	case moved:
		d.left -= int64(bytes)
		text := make([]byte, bytes)
		if _, err := io.ReadFull(d.beside, text); err != nil {
			return err
		}
		return (&decoder{text: text}).elements(elem, v)
	case elem.raw:
		b, err := d.take(bytes)
		copy(memory(v, elem.size), b)
		return err
	}
	return d.elements(elem, v)
}

func setNumber(kind reflect.Kind, v reflect.Value, b []byte) error {
	le := binary.LittleEndian
	switch kind {
	case reflect.Bool:
		if b[0] > 1 {
			return fmt.Errorf("a bool is %d", b[0])
		}
		v.SetBool(b[0] == 1)
	case reflect.Int8:
		v.SetInt(int64(int8(b[0])))
	case reflect.Int16:
		v.SetInt(int64(int16(le.Uint16(b))))
	case reflect.Int32:
		v.SetInt(int64(int32(le.Uint32(b))))
	case reflect.Int, reflect.Int64:
		n := int64(le.Uint64(b))
		if v.OverflowInt(n) {
			return fmt.Errorf("%d is no %v here", n, v.Type())
		}
		v.SetInt(n)
	case reflect.Uint8:
		v.SetUint(uint64(b[0]))
	case reflect.Uint16:
		v.SetUint(uint64(le.Uint16(b)))
	case reflect.Uint32:
		v.SetUint(uint64(le.Uint32(b)))
	case reflect.Uint, reflect.Uint64:
		n := le.Uint64(b)
		if v.OverflowUint(n) {
			return fmt.Errorf("%d is no %v here", n, v.Type())
		}
		v.SetUint(n)
	case reflect.Float32:
		*(*uint32)(v.Addr().UnsafePointer()) = le.Uint32(b)
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(le.Uint64(b)))
	case reflect.Complex64:
		*(*complex64)(v.Addr().UnsafePointer()) = complex(math.Float32frombits(le.Uint32(b)), math.Float32frombits(le.Uint32(b[4:])))
	case reflect.Complex128:
		v.SetComplex(complex(math.Float64frombits(le.Uint64(b)), math.Float64frombits(le.Uint64(b[8:]))))
	default:
		panic("BUG: no number of kind " + kind.String())
	}
	return nil
}
