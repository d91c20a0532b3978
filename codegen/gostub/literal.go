package gostub

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/properties"
)

// litField is one field of a composite literal. A field whose value is zero is omitted from the
// literal.
type litField struct {
	name  string
	value any // a string, int, bool, or *jen.Statement
}

// rowLit returns a composite literal on one line, without the type of the literal.
func rowLit(fields ...litField) *jen.Statement {
	return jen.ValuesFunc(func(g *jen.Group) {
		for _, f := range fields {
			if v := value(f.value); v != nil {
				g.Id(f.name).Op(":").Add(v)
			}
		}
	})
}

// blockLit returns a composite literal with one value per line, without the type of the literal.
func blockLit(values ...jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, values...)
}

func value(v any) *jen.Statement {
	switch v := v.(type) {
	case string:
		if v != "" {
			return jen.Lit(v)
		}
	case int:
		if v != 0 {
			return jen.Lit(v)
		}
	case int64:
		if v != 0 {
			return jen.Id(strconv.FormatInt(v, 10))
		}
	case uint64:
		if v != 0 {
			return jen.Id("0x" + strconv.FormatUint(v, 16))
		}
	case bool:
		if v {
			return jen.True()
		}
	case *jen.Statement:
		return v
	}
	return nil
}

// abiKernel returns the literal that describes the kernel.
func abiKernel(stub *Kernel) *jen.Statement {
	k := stub.ABI
	q := func(name string) *jen.Statement { return jen.Qual(abiPath, name) }
	var fields []jen.Code
	add := func(name string, v any) {
		if s := value(v); s != nil {
			fields = append(fields, jen.Id(name).Op(":").Add(s))
		}
	}
	list := func(name string, t *jen.Statement, rows []jen.Code) {
		if len(rows) > 0 {
			add(name, jen.Index().Add(t).Add(blockLit(rows...)))
		}
	}
	add("Name", k.Name)
	add("Package", k.Package)
	add("Form", q(k.Form.String()))
	add("Rank", k.Rank)
	var rows []jen.Code
	for i := range k.Params {
		rows = append(rows, paramRow(&k.Params[i]))
	}
	list("Params", q("Param"), rows)
	add("ArgSize", k.ArgSize)
	add("Spilled", k.Spilled)
	add("Items", k.Items)
	add("Lingers", k.Lingers)
	rows = nil
	for _, p := range k.Properties {
		rows = append(rows, propertyCall(p))
	}
	if rows != nil {
		add("Properties", jen.Qual(propertiesPath, "List").Values(rows...))
	}
	add("Directed", k.Directed)
	if len(k.Aspects) > 0 {
		add("Aspects", aspectList(k.Aspects))
	}
	rows = nil
	for _, u := range k.Uses {
		var chain []jen.Code
		for _, f := range u.Chain {
			chain = append(chain, rowLit(litField{"Func", f.Func}, litField{"Pos", f.Pos}))
		}
		rows = append(rows, rowLit(litField{"Aspect", aspectConst(u.Aspect)},
			litField{"Chain", jen.Index().Add(q("Frame")).Values(chain...)}))
	}
	list("Uses", q("Use"), rows)
	rows = nil
	for _, s := range k.Specs {
		rows = append(rows, rowLit(litField{"ID", int(s.ID)}, litField{"Name", s.Name}, litField{"Path", s.Path}, litField{"Type", s.Type},
			litField{"Size", s.Size}, litField{"Offset", s.Offset}, litField{"Default", s.Default}, litField{"Required", s.Required},
			litField{"Pinned", s.Pinned}, litField{"Min", s.Min}, litField{"Max", s.Max}))
	}
	list("Specs", q("SpecConstant"), rows)
	rows = nil
	for _, l := range k.Locals {
		rows = append(rows, rowLit(litField{"Name", l.Name}, litField{"ElemSize", l.ElemSize}, litField{"Len", l.Len}, litField{"Accessor", l.Accessor}, litField{"Matrices", l.Matrices}, litField{"Shape", l.Shape}, litField{"Expr", string(l.Expr)}))
	}
	list("Locals", q("Local"), rows)
	rows = nil
	for _, p := range k.Privates {
		rows = append(rows, rowLit(litField{"Name", p.Name}, litField{"ElemSize", p.ElemSize}, litField{"Align", p.Align}, litField{"Len", p.Len}, litField{"Expr", string(p.Expr)}))
	}
	list("Privates", q("Private"), rows)
	rows = nil
	for _, s := range k.Sites {
		rows = append(rows, rowLit(litField{"Kind", q(faultNames[s.Kind])}, litField{"Pos", s.Pos}, litField{"Message", s.Message}, litField{"Unsigned", s.Unsigned}, litField{"Limit", s.Limit}))
	}
	list("Sites", q("Site"), rows)
	if k.Loops != "" {
		add("Loops", k.Loops)
	}
	rows = nil
	for _, p := range k.Prints {
		var args []jen.Code
		for _, a := range p.Args {
			args = append(args, jen.Lit(a))
		}
		fields := []litField{{"Func", q(p.Func.String())}, {"Format", p.Format}}
		if args != nil {
			fields = append(fields, litField{"Args", jen.Index().String().Values(args...)})
		}
		rows = append(rows, rowLit(append(fields, litField{"Pos", p.Pos})...))
	}
	list("Prints", q("PrintSite"), rows)
	add("PrintTexts", k.PrintTexts)
	rows = nil
	for _, v := range k.Variables {
		rows = append(rows, rowLit(litField{"Name", v.Name}, litField{"Pos", v.Pos}, litField{"Var", varPointer(v.Name)}, litField{"Sum", uint64(v.Sum)}))
	}
	list("Variables", q("Variable"), rows)
	if k.Data != "" {
		add("Data", jen.Id(dataVar(k.Name)))
		add("DataOffset", k.DataOffset)
	}
	add("SPIRV", jen.Id(spirvVar(k.Name)))
	if k.IR != "" {
		add("IR", jen.Id(irVar(k.Name)))
	}
	add("Sum", uint64(abi.Sum(string(wordBytes(stub.Words)), k.Data, k.IR)))
	rows = nil
	for i, v := range k.Variants {
		module := litField{"SPIRV", jen.Id(variantVar(k, i))}
		if stub.madeLate(i) {
			module = litField{"Make", jen.Qual(implPath, "MakeModule")}
		}
		rows = append(rows, rowLit(litField{"Name", v.Name}, litField{"Without", aspectList(v.Without)}, litField{"Products", products(v.Products)}, litField{"Cancel", v.Cancel}, litField{"Loops", v.Loops},
			module, litField{"Sum", uint64(abi.Sum(string(wordBytes(stub.Variants[i]))))}))
	}
	list("Variants", q("Variant"), rows)
	add("Matrices", k.Matrices)
	if k.Matrices {
		add("MakeNative", jen.Qual(implPath, "MakeNative"))
	}
	return jen.Op("&").Add(q("Kernel")).Add(blockLit(fields...))
}

// varPointer returns code for the address of a package-level variable.
func varPointer(name string) *jen.Statement {
	dot := strings.LastIndexByte(name, '.')
	return jen.Op("&").Qual(name[:dot], name[dot+1:])
}

func products(list [][]int) *jen.Statement {
	if list == nil {
		return nil
	}
	var rows []jen.Code
	for _, p := range list {
		var factors []jen.Code
		for _, x := range p {
			factors = append(factors, jen.Lit(x))
		}
		rows = append(rows, jen.Values(factors...))
	}
	return jen.Index().Index().Int().Values(rows...)
}

func aspectList(list []properties.Aspect) *jen.Statement {
	var rows []jen.Code
	for _, a := range list {
		rows = append(rows, aspectConst(a))
	}
	return jen.Index().Qual(propertiesPath, "Aspect").Values(rows...)
}

func paramRow(p *abi.Param) *jen.Statement {
	var access *jen.Statement
	switch p.Access {
	case abi.Read, abi.Write, abi.ReadWrite:
		access = jen.Qual(abiPath, p.Access.String())
	}
	fields := []litField{{"Name", p.Name}, {"Kind", jen.Qual(abiPath, p.Kind.String())}, {"Type", p.Type},
		{"Offset", p.Offset}, {"Size", p.Size}, {"HostOffset", p.HostOffset}, {"ElemSize", p.ElemSize}, {"ElemAlign", p.ElemAlign}}
	if access != nil {
		fields = append(fields, litField{"Access", access})
	}
	if f := footprintLit(&p.Footprint); f != nil {
		fields = append(fields, litField{"Footprint", f})
	}
	if p.Internal > 0 {
		fields = append(fields, litField{"Internal", p.Internal})
	}
	return rowLit(fields...)
}

// footprintLit returns the literal of a Footprint, or nil if the work-items do not use the slice.
func footprintLit(f *abi.Footprint) *jen.Statement {
	if f.Reach == abi.ReachNone {
		return nil
	}
	fields := []litField{{"Reach", jen.Qual(abiPath, "Reach"+f.Reach.String())}, {"Atomic", f.Atomic},
		{"PerItem", f.PerItem}, {"Multiple", f.Multiple}, {"Most", f.Most}}
	if len(f.Strides) > 0 {
		var rows []jen.Code
		for _, s := range f.Strides {
			rows = append(rows, rowLit(litField{"Dim", s.Dim}, litField{"Offset", s.Offset}, litField{"Size", s.Size}, litField{"Const", s.Const}))
		}
		fields = append(fields, litField{"Strides", jen.Index().Qual(abiPath, "Stride").Values(rows...)})
	}
	return jen.Qual(abiPath, "Footprint").Add(rowLit(fields...))
}

// propertyCall returns code for the call that creates a property.
func propertyCall(p properties.Property) *jen.Statement {
	var args []jen.Code
	name := p.Key().String()
	switch p.Key() {
	case properties.KeyDeviceHas:
		for _, a := range p.Aspects() {
			args = append(args, aspectConst(a))
		}
	case properties.KeyFloatMode:
		name = "Float"
		args = append(args, jen.Qual(propertiesPath, p.FloatMode().String()))
	case properties.KeyWorkGroupSize, properties.KeyWorkGroupSizeHint, properties.KeySubGroupSize:
		for _, d := range p.Dims() {
			args = append(args, jen.Lit(d))
		}
	default:
		panic(fmt.Sprintf("gostub: property %v has no rendering", p))
	}
	return jen.Qual(propertiesPath, name).Call(args...)
}

// aspectConst returns code for the constant of an aspect.
func aspectConst(a properties.Aspect) *jen.Statement {
	return jen.Qual(propertiesPath, strings.TrimPrefix(a.GoString(), "properties."))
}

// faultNames maps a fault kind to the name of the constant for the kind.
var faultNames = map[abi.FaultKind]string{
	abi.FaultIndex: "FaultIndex", abi.FaultSliceLen: "FaultSliceLen", abi.FaultSliceCap: "FaultSliceCap",
	abi.FaultSliceOrder: "FaultSliceOrder", abi.FaultSlice3Len: "FaultSlice3Len", abi.FaultSlice3Cap: "FaultSlice3Cap",
	abi.FaultSlice3Max: "FaultSlice3Max", abi.FaultSlice3Order: "FaultSlice3Order",
	abi.FaultSliceToArray: "FaultSliceToArray", abi.FaultDivide: "FaultDivide", abi.FaultShift: "FaultShift",
	abi.FaultNil: "FaultNil", abi.FaultPanic: "FaultPanic",
}
