// Package modules has the modules of kgen's own test kernels, which are not committed.
//
// A package of kernels with the directive
//
//	//kgen:bare
//
// above its package clause has stubs without modules and without descriptions of the
// kernels: they ask this package for both, when a test starts. The modules come from the
// folder that the environment variable KGEN_TEST_MODULES names, which "make modules" fills;
// or, without it, from the user's cache folder, where kgen is run to compile those of
// packages that have changed. With a folder, a test needs neither Go nor sources.
//
// Tests of such a package mostly call Run functions alone, and its stubs have nothing else:
// what launches kernels on queues and makes nodes of graphs is there for those kernels that
// the directive names, as in
//
//	//kgen:bare views=Sum,Blur
//
// or, with the word views alone, for all of them. The word nospare leaves out the host forms
// that only launches need which may be cancelled, and noform, or noform=Sum,Blur, those of all
// kernels or some.
//
// A package's folder holds, as [Write] writes it,
//
//	kernels.json     the descriptions, as [abi.Kernel] has them, without the modules
//	sources.sum      a checksum of what the modules were compiled from, by, and with
//	K.spv, K.v.spv   the module of kernel K and that of its variant v
//	K.data           constant data
package modules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/env"
	"github.com/kgen-go/kgen/properties"
)

// Module is the path of the Go module whose packages may have the directive.
const Module = "github.com/kgen-go/kgen"

// The files of a package beside modules.
const (
	descriptions = "kernels.json"
	sumFile      = "sources.sum"
)

// description is a kernel in kernels.json.
type description struct {
	abi.Kernel // Properties, SPIRV, Data, IR and the pointers to variables are empty
	Properties []property
	Data, IR   bool
}

// property is a properties.Property.
type property struct {
	Key     properties.Key
	Dims    []int                `json:",omitempty"`
	Aspects []properties.Aspect  `json:",omitempty"`
	Mode    properties.FloatMode `json:",omitempty"`
}

func describe(p properties.Property) property {
	out := property{Key: p.Key()}
	switch p.Key() {
	case properties.KeyDeviceHas:
		out.Aspects = p.Aspects()
	case properties.KeyFloatMode:
		out.Mode = p.FloatMode()
	default:
		out.Dims = p.Dims()
	}
	return out
}

func (p property) property() (properties.Property, error) {
	switch p.Key {
	case properties.KeyDeviceHas:
		return properties.DeviceHas(p.Aspects...), nil
	case properties.KeyFloatMode:
		return properties.Float(p.Mode), nil
	case properties.KeyWorkGroupSize:
		return properties.WorkGroupSize(p.Dims...), nil
	case properties.KeyWorkGroupSizeHint:
		return properties.WorkGroupSizeHint(p.Dims...), nil
	case properties.KeySubGroupSize:
		return properties.SubGroupSize(p.Dims[0]), nil
	}
	return properties.Property{}, fmt.Errorf("no property has the key %v", p.Key)
}

// Files returns what a package's folder holds of its kernels, by the files' names. The
// kernels have their modules.
func Files(kernels []*abi.Kernel) (map[string][]byte, error) {
	files := map[string][]byte{}
	list := []description{}
	for _, k := range kernels {
		d := description{Kernel: *k, Data: k.Data != "", IR: k.IR != ""}
		if d.Data {
			files[k.Name+".data"] = []byte(k.Data)
		}
		if d.IR {
			files[k.Name+".kir"] = []byte(k.IR)
		}
		files[k.Name+".spv"] = []byte(k.SPIRV)
		for _, p := range k.Properties {
			d.Properties = append(d.Properties, describe(p))
		}
		d.Kernel.Properties, d.SPIRV, d.Kernel.Data, d.Kernel.IR, d.Sum = nil, "", "", "", 0
		d.Sites = slices.Clone(k.Sites)
		for i := range d.Sites {
			d.Sites[i].Message = strconv.QuoteToASCII(d.Sites[i].Message) // JSON holds no other bytes than UTF-8's
		}
		d.Variables = slices.Clone(k.Variables)
		for i := range d.Variables {
			d.Variables[i].Var = nil
		}
		d.Variants = slices.Clone(k.Variants)
		for i := range d.Variants {
			v := &d.Variants[i]
			files[k.Name+"."+v.Name+".spv"] = []byte(v.SPIRV)
			v.SPIRV, v.Sum = "", 0
		}
		list = append(list, d)
	}
	text, err := json.MarshalIndent(list, "", "\t")
	files[descriptions] = append(text, '\n')
	return files, err
}

// Write writes the folder of a package below dir, replacing one that is there. root is
// the folder of the Go module.
func Write(dir, root, pkg string, kernels []*abi.Kernel) error {
	files, err := Files(kernels)
	if err != nil {
		return err
	}
	sum, err := Sum(root, pkg)
	if err != nil {
		return err
	}
	files[sumFile] = []byte(sum + "\n")
	return WriteFiles(dir, pkg, files)
}

// WriteFiles writes the folder of a package below dir, replacing one that is there. Of a package
// whose modules programs make when they load them, the folder has these modules alone.
func WriteFiles(dir, pkg string, files map[string][]byte) error {
	to := filepath.Join(dir, below(pkg))
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	// A reader sees the old folder, none, or the new one.
	tmp, err := os.MkdirTemp(filepath.Dir(to), ".modules-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(tmp, name), data, 0o644); err != nil {
			return err
		}
	}
	if err := errors.Join(os.Chmod(tmp, 0o755), os.RemoveAll(to)); err != nil {
		return err
	}
	err = os.Rename(tmp, to)
	for name := range files {
		if _, missing := os.Stat(filepath.Join(to, name)); missing != nil {
			return err
		}
	}
	return nil // another process may have been first
}

// below returns the folder of a package below that of all.
func below(pkg string) string {
	return filepath.FromSlash(strings.TrimPrefix(strings.TrimPrefix(pkg, Module), "/"))
}

func complete(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, descriptions))
	return err == nil
}

// Read reads a folder that Write has written: the kernels, with their modules, by name.
func Read(dir string) (map[string]*abi.Kernel, error) {
	text, err := os.ReadFile(filepath.Join(dir, descriptions))
	if err != nil {
		return nil, err
	}
	var list []description
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, descriptions), err)
	}
	out := map[string]*abi.Kernel{}
	file := func(name string) (s string) {
		var data []byte
		if err == nil {
			data, err = os.ReadFile(filepath.Join(dir, name))
		}
		return string(data)
	}
	for i := range list {
		d := &list[i]
		k := d.Kernel
		for _, p := range d.Properties {
			made, e := p.property()
			err = errors.Join(err, e)
			k.Properties = append(k.Properties, made)
		}
		for i := range k.Sites {
			message, e := strconv.Unquote(k.Sites[i].Message)
			err = errors.Join(err, e)
			k.Sites[i].Message = message
		}
		if d.Data {
			k.Data = file(k.Name + ".data")
		}
		if d.IR {
			k.IR = file(k.Name + ".kir")
		}
		k.SPIRV = file(k.Name + ".spv")
		for i := range k.Variants {
			k.Variants[i].SPIRV = file(k.Name + "." + k.Variants[i].Name + ".spv")
		}
		out[k.Name] = &k
	}
	return out, err
}

// loaded is a package that Kernel was called for: its kernels by name, or an error.
type loaded struct {
	kernels map[string]*abi.Kernel
	err     error
}

// packages are those that have been asked for.
var packages struct {
	sync.Mutex
	of map[Package]*loaded
}

// Package is the import path of a package with the directive.
type Package string

// Kernel is called by stubs. It returns the description of a kernel with its modules; vars
// point to the variables of abi.Kernel.Variables. Stubs call it while a program's packages are
// initialized, before the program has read its flags. So a package without modules is no panic:
// the description then has no module, and Missing says why.
func (pkg Package) Kernel(name string, vars ...any) *abi.Kernel {
	packages.Lock()
	defer packages.Unlock()
	p := packages.of[pkg]
	if p == nil {
		p = &loaded{}
		if p.kernels, p.err = read(string(pkg)); p.err != nil {
			p.err = fmt.Errorf("the modules of package %s: %w", pkg, p.err)
		}
		if packages.of == nil {
			packages.of = map[Package]*loaded{}
		}
		packages.of[pkg] = p
	}
	k := p.kernels[name]
	if p.err == nil && (k == nil || len(vars) != len(k.Variables)) {
		p.err = fmt.Errorf("the modules of package %s are not those of its stubs: run go generate there", pkg)
	}
	if p.err != nil {
		return &abi.Kernel{Name: name, Package: string(pkg)}
	}
	for i, v := range vars {
		k.Variables[i].Var = v
	}
	return k
}

// Missing returns an error with the packages that Kernel was called for and that have no modules,
// with the reason and the remedy for each; nil if all have modules.
func Missing() error {
	packages.Lock()
	defer packages.Unlock()
	var errs []error
	for _, pkg := range slices.Sorted(maps.Keys(packages.of)) {
		errs = append(errs, packages.of[pkg].err)
	}
	return errors.Join(errs...)
}

// read returns the kernels of a package.
func read(pkg string) (map[string]*abi.Kernel, error) {
	dir, err := Folder(pkg)
	if err != nil {
		return nil, err
	}
	return Read(dir)
}

// Folder returns the folder of a package's modules, which are compiled first if they have
// changed.
func Folder(pkg string) (string, error) {
	root := sourceRoot()
	dir := env.Get(env.TestModules)
	if root == "" {
		if dir == "" {
			return "", errors.New("there are no sources here to compile: set KGEN_TEST_MODULES to the folder that make modules has written")
		}
		return filepath.Join(dir, below(pkg)), nil
	}
	sum, err := Sum(root, pkg)
	if err != nil {
		return "", err
	}
	if dir != "" {
		dir = filepath.Join(dir, below(pkg))
		have, err := os.ReadFile(filepath.Join(dir, sumFile))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if string(bytes.TrimSpace(have)) != sum {
			return "", fmt.Errorf("those of %s are of other sources: run make modules, or unset KGEN_TEST_MODULES", dir)
		}
		return dir, nil
	}
	return compiled(root, pkg, sum)
}

// Packages returns the import paths of the packages with the directive, sorted.
func Packages() ([]string, error) {
	root := sourceRoot()
	dir, is := filepath.Join(root, "internal"), func(path string) bool {
		text, err := os.ReadFile(path)
		return err == nil && strings.HasSuffix(path, ".go") && bytes.Contains(text, []byte("\n//kgen:bare"))
	}
	if root == "" {
		root = env.Get(env.TestModules)
		dir, is = root, func(path string) bool { return filepath.Base(path) == descriptions }
	}
	var out []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !is(path) {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		out = append(out, Module+"/"+filepath.ToSlash(rel))
		return err
	})
	slices.Sort(out)
	return slices.Compact(out), err
}
