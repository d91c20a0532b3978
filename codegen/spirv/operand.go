package spirv

// This file decodes operands.

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Operand is one decoded operand. The elements of pairs and the parameters of enumerants are
// separate operands.
type Operand struct {
	Kind  Kind
	Words []uint32 // slice of the instruction's Words
}

// ID returns the operand's value if the operand is an id.
func (o Operand) ID() ID { return ID(o.Words[0]) }

// Text returns the text of a LiteralString.
func (o Operand) Text() string {
	s, _ := stringAt(o.Words)
	return s
}

// NumericKind is the interpretation of a scalar's bits, such as signed integer or float.
type NumericKind uint8

const (
	Bool NumericKind = iota + 1
	Uint
	Int
	Float
)

// Numeric describes a scalar type. The width of Bool, whose bits are not specified, is 1.
type Numeric struct {
	Kind  NumericKind
	Width uint32
}

// Decoder decodes operands. The number of words of a constant or of a switch case depends on the type of
// the value. For this reason a new Decoder first records the types of its module.
type Decoder struct {
	numeric map[ID]Numeric // maps the id of a scalar type to the type
	typeOf  map[ID]ID      // maps the id of a value to the id of its type
	sets    map[ID]string  // maps the id of an imported instruction set to its name
}

// Decoder returns a Decoder for the instructions of m.
func (m *Module) Decoder() *Decoder {
	d := newDecoder()
	for in := range m.All {
		d.noteFacts(in)
	}
	return d
}

func newDecoder() *Decoder {
	return &Decoder{numeric: map[ID]Numeric{}, typeOf: map[ID]ID{}, sets: map[ID]string{}}
}

// noteFacts records the facts about an instruction that are needed for the operands of later
// instructions. noteFacts must accept invalid operands, because operands are checked later.
func (d *Decoder) noteFacts(in *Instruction) {
	if in.Type != 0 && in.Result != 0 {
		d.typeOf[in.Result] = in.Type
	}
	switch in.Op {
	case OpTypeBool:
		d.numeric[in.Result] = Numeric{Bool, 1}
	case OpTypeInt:
		if len(in.Words) == 2 {
			k := Uint
			if in.Words[1] != 0 {
				k = Int
			}
			d.numeric[in.Result] = Numeric{k, in.Words[0]}
		}
	case OpTypeFloat:
		if len(in.Words) >= 1 {
			d.numeric[in.Result] = Numeric{Float, in.Words[0]}
		}
	case OpExtInstImport:
		d.sets[in.Result], _ = stringAt(in.Words)
	}
}

// TypeOf returns the Result Type of the instruction that defines id, or 0.
func (d *Decoder) TypeOf(id ID) ID { return d.typeOf[id] }

// Numeric returns the scalar type with the given id.
func (d *Decoder) Numeric(typ ID) (Numeric, bool) {
	n, ok := d.numeric[typ]
	return n, ok
}

// Operands decodes an instruction's operands that follow Result Type and Result.
func (d *Decoder) Operands(in *Instruction) ([]Operand, error) {
	var list []Operand
	err := d.walkOperands(in, func(o Operand) { list = append(list, o) })
	return list, err
}

// eachID calls function f for each id among the operand words of an instruction.
func (d *Decoder) eachID(in *Instruction, f func(*uint32)) error {
	return d.walkOperands(in, func(o Operand) {
		if o.Kind.IsID() {
			f(&o.Words[0])
		}
	})
}

// walkOperands matches the operands of an instruction with the operand pattern of its opcode, and calls visit for
// each operand.
func (d *Decoder) walkOperands(in *Instruction, visit func(Operand)) error {
	row := in.Op.row()
	if row == nil {
		return fmt.Errorf("spirv: unknown opcode %d", uint16(in.Op))
	}
	w := walker{d: d, typ: in.Type, rest: in.Words, visit: visit}
	if len(in.Words) > 0 {
		w.first = ID(in.Words[0])
	}
	err := w.pattern(row.operands)
	if err == nil && len(w.rest) > 0 {
		err = fmt.Errorf("%d operand words too many", len(w.rest))
	}
	if err != nil {
		return fmt.Errorf("spirv: %v: %w", in.Op, err)
	}
	return nil
}

type walker struct {
	d     *Decoder
	typ   ID // Result Type
	first ID // first operand before the call of visit, which may change the words
	rest  []uint32
	visit func(Operand)
}

var errShort = errors.New("too few operand words")

func (w *walker) pattern(ops []OperandInfo) error {
	for _, o := range ops {
		switch o.Quantifier {
		case One:
			if err := w.operand(o.Kind); err != nil {
				return err
			}
		case Optional:
			if len(w.rest) > 0 {
				if err := w.operand(o.Kind); err != nil {
					return err
				}
			}
		case Any:
			for len(w.rest) > 0 {
				if err := w.operand(o.Kind); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// takeWords calls visit with the next n words as one operand, and returns the first word.
func (w *walker) takeWords(k Kind, n int) (uint32, error) {
	if len(w.rest) < n {
		return 0, errShort
	}
	words := w.rest[:n:n]
	w.rest = w.rest[n:]
	first := words[0] // the first word before the call of visit, which may change the word
	w.visit(Operand{k, words})
	return first, nil
}

func (w *walker) operand(k Kind) error {
	row := &kindRows[k]
	switch row.category {
	case categoryId:
		if len(w.rest) > 0 && w.rest[0] == 0 {
			return errors.New("an <id> is 0")
		}
		_, err := w.takeWords(k, 1)
		return err
	case categoryComposite:
		for i, base := range row.bases {
			var err error
			if k == KindPairLiteralIntegerIdRef && i == 0 { // this kind occurs only in OpSwitch
				err = w.walkNumber(w.d.typeOf[w.first], KindLiteralInteger)
			} else {
				err = w.operand(base)
			}
			if err != nil {
				return err
			}
		}
		return nil
	case categoryLiteral:
		return w.literal(k)
	}
	v, err := w.takeWords(k, 1)
	if err != nil {
		return err
	}
	return w.walkParameters(k, v)
}

func (w *walker) literal(k Kind) error {
	switch k {
	case KindLiteralString:
		s, n := stringAt(w.rest)
		if n == 0 {
			return errors.New("a string without an end")
		}
		if !utf8.ValidString(s) {
			return errors.New("a string that is not UTF-8")
		}
		_, err := w.takeWords(k, n)
		return err
	case KindLiteralContextDependentNumber:
		return w.walkNumber(w.typ, k)
	case KindLiteralSpecConstantOpInteger:
		v, err := w.takeWords(k, 1)
		if err != nil {
			return err
		}
		op := Op(v)
		row := op.row()
		if row == nil || v > 0xffff || row.flags != hasType|hasResult || row.section != secFunction {
			return fmt.Errorf("opcode %d has no place in it", v)
		}
		return w.pattern(row.operands)
	case KindLiteralExtInstInteger:
		return w.extInst()
	}
	_, err := w.takeWords(k, 1)
	return err
}

// extInst decodes the number of an extended instruction and its operands. Ids can be distinguished from
// literals only if the instruction set is known. In non-semantic sets, all operands are ids
// (SPV_KHR_non_semantic_info).
func (w *walker) extInst() error {
	set := w.d.sets[w.first]
	inst, err := w.takeWords(KindLiteralExtInstInteger, 1)
	if err != nil {
		return err
	}
	switch {
	case set == GLSLstd450Name:
		row := GLSLstd450(inst).row()
		if row == nil {
			return fmt.Errorf("%s has no instruction %d", set, inst)
		}
		if len(w.rest) < len(row.operands) {
			return fmt.Errorf("%s: %w", row.name, errShort)
		}
		if len(w.rest) > len(row.operands) {
			return fmt.Errorf("%s: too many operand words", row.name)
		}
	case isNonSemantic(set), strings.HasPrefix(set, "SPV_AMD_"):
	case set == "":
		return errors.New("the set is not an OpExtInstImport")
	default:
		return fmt.Errorf("unknown extended instruction set %q", set)
	}
	return nil
}

func isNonSemantic(set string) bool { return strings.HasPrefix(set, "NonSemantic.") }

// walkNumber decodes a literal that has the width of type typ. A literal of up to 32 bits has one word, and a
// literal of up to 64 bits has two (SPIR-V 2.2.1).
func (w *walker) walkNumber(typ ID, k Kind) error {
	t, ok := w.d.numeric[typ]
	if !ok || t.Kind == Bool || t.Width == 0 || t.Width > 64 {
		return fmt.Errorf("a literal whose type %%%d is no integer or floating-point type of 1 to 64 bits", typ)
	}
	n := 1
	if t.Width > 32 {
		n = 2
	}
	_, err := w.takeWords(k, n)
	return err
}

// walkParameters decodes the parameters of enumerant v of kind k. The parameters of a mask follow in the
// order of its bits. A number that the grammar does not contain may belong to a newer extension. An
// unknown number is accepted without parameters if no enumerant of kind k has parameters. If an
// enumerant of kind k has parameters, the length of an unknown operand is unknown, and walkParameters
// returns an error.
func (w *walker) walkParameters(k Kind, v uint32) error {
	row := &kindRows[k]
	if row.category == categoryValueEnum {
		return w.enumerant(k, v)
	}
	for ; v != 0; v &= v - 1 {
		if err := w.enumerant(k, v&-v); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) enumerant(k Kind, v uint32) error {
	e := k.lookup(v)
	if e != nil {
		return w.pattern(e.params)
	}
	for i := range kindRows[k].enumerants {
		if kindRows[k].enumerants[i].params != nil {
			return fmt.Errorf("unknown %v %d", k, v)
		}
	}
	return nil
}
