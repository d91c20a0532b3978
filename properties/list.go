package properties

import (
	"fmt"
	"slices"
	"strings"
)

// Key identifies a kind of property. A List contains each key at most once.
type Key uint8

// The property keys.
const (
	KeyInvalid Key = iota
	KeyWorkGroupSize
	KeyWorkGroupSizeHint
	KeySubGroupSize
	KeyDeviceHas
	KeyFloatMode
	KeyUpdatable
	KeyEnableFusion
	KeyRequireFusion
	KeyInsertBarriers
	KeyAccessScope
	KeyFusionInternalMemory
	KeyNoInit
)

var keyNames = [...]string{
	KeyInvalid:              "invalid",
	KeyWorkGroupSize:        "WorkGroupSize",
	KeyWorkGroupSizeHint:    "WorkGroupSizeHint",
	KeySubGroupSize:         "SubGroupSize",
	KeyDeviceHas:            "DeviceHas",
	KeyFloatMode:            "Float",
	KeyUpdatable:            "Updatable",
	KeyEnableFusion:         "EnableFusion",
	KeyRequireFusion:        "RequireFusion",
	KeyInsertBarriers:       "InsertBarriers",
	KeyAccessScope:          "AccessScope",
	KeyFusionInternalMemory: "FusionInternalMemory",
	KeyNoInit:               "NoInit",
}

// String returns the name of the Go function that makes properties with the key.
func (k Key) String() string {
	if int(k) < len(keyNames) {
		return keyNames[k]
	}
	return fmt.Sprintf("Key(%d)", uint8(k))
}

// Property is one property, which consists of a key and a value. The zero Property is invalid.
// Functions of this package such as WorkGroupSize make properties.
type Property struct {
	key     Key
	dims    [3]int
	ndims   int // number of sizes that the caller gave; dims holds the first three of these sizes
	aspects []Aspect
}

// Key returns the property's key.
func (p Property) Key() Key { return p.key }

// Dims returns the sizes of a WorkGroupSize or WorkGroupSizeHint in the kernel's index order (the
// last dimension varies fastest). For a SubGroupSize, Dims returns a slice of one size.
func (p Property) Dims() []int { return slices.Clone(p.dims[:min(p.ndims, 3)]) }

// Aspects returns the aspects of a DeviceHas property.
func (p Property) Aspects() []Aspect { return slices.Clone(p.aspects) }

// FloatMode returns the value of a Float property.
func (p Property) FloatMode() FloatMode { return FloatMode(p.dims[0]) }

// Equal reports whether p and q have the same key and value.
func (p Property) Equal(q Property) bool {
	return p.key == q.key && p.dims == q.dims && p.ndims == q.ndims && slices.Equal(p.aspects, q.aspects)
}

// String returns the property as Go code, such as WorkGroupSize(256).
func (p Property) String() string {
	var args []string
	switch p.key {
	case KeyDeviceHas:
		for _, a := range p.aspects {
			args = append(args, a.String())
		}
	case KeyFloatMode:
		args = append(args, p.FloatMode().String())
	case KeyAccessScope:
		args = append(args, p.Scope().String())
	default:
		for _, d := range p.Dims() {
			args = append(args, fmt.Sprint(d))
		}
	}
	return p.key.String() + "(" + strings.Join(args, ", ") + ")"
}

// Validate returns an error if the property has no value, a size of zero or less, or more than three dimensions.
func (p Property) Validate() error {
	switch p.key {
	case KeyWorkGroupSize, KeyWorkGroupSizeHint:
		if p.ndims < 1 || p.ndims > 3 {
			return fmt.Errorf("%v takes 1 to 3 sizes, not %d", p.key, p.ndims)
		}
		fallthrough
	case KeySubGroupSize:
		for _, d := range p.dims[:min(p.ndims, 3)] {
			if d < 1 {
				return fmt.Errorf("%v: size %d is not positive", p.key, d)
			}
		}
	case KeyDeviceHas:
		for _, a := range p.aspects {
			if !a.Valid() {
				return fmt.Errorf("%v: unknown aspect %d", p.key, uint8(a))
			}
		}
	case KeyFloatMode:
		if p.FloatMode() > FloatFast {
			return fmt.Errorf("%v: unknown mode %d", p.key, p.dims[0])
		}
	case KeyAccessScope:
		if p.Scope() > ScopeWorkGroup {
			return fmt.Errorf("%v: unknown scope %d", p.key, p.dims[0])
		}
	case KeyUpdatable, KeyEnableFusion, KeyRequireFusion, KeyInsertBarriers, KeyFusionInternalMemory, KeyNoInit:
	default:
		return fmt.Errorf("not a property; use the constructors of package properties")
	}
	return nil
}

// List is an unordered list of properties, in which no key may occur twice.
type List []Property

// Get returns the property with key k, and reports whether the list has a property with this key.
func (l List) Get(k Key) (Property, bool) {
	for _, p := range l {
		if p.key == k {
			return p, true
		}
	}
	return Property{}, false
}

// Has reports whether the list has a property with key k.
func (l List) Has(k Key) bool {
	_, ok := l.Get(k)
	return ok
}

// Equal reports whether both lists contain the same properties, in any order.
func (l List) Equal(m List) bool {
	if len(l) != len(m) {
		return false
	}
	for _, p := range l {
		if q, ok := m.Get(p.key); !ok || !p.Equal(q) {
			return false
		}
	}
	return true
}

// Validate returns an error if a property is invalid or if a key is repeated.
func (l List) Validate() error {
	for i, p := range l {
		if err := p.Validate(); err != nil {
			return err
		}
		if l[:i].Has(p.key) {
			return fmt.Errorf("%v is given twice", p.key)
		}
	}
	return nil
}

// Merge combines a kernel's own list and the list of a launch into one list. If a key is in both
// lists, the values must be equal.
func (l List) Merge(launch List) (List, error) {
	out := slices.Clone(l)
	for _, p := range launch {
		q, ok := l.Get(p.key)
		if !ok {
			out = append(out, p)
			continue
		}
		if !p.Equal(q) {
			return nil, fmt.Errorf("%v conflicts with the kernel's %v", p, q)
		}
	}
	return out, nil
}
