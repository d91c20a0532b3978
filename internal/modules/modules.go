// Package modules provides the SPIR-V modules of kgen's own test kernels. The modules of test
// kernels are not committed.
//
// A package of kernels may have the directive "//kgen:bare" above its package clause. The generated
// stubs of a package with the directive contain neither modules nor descriptions of the kernels.
// When a test starts, the stubs get modules and descriptions from package modules. The modules are
// in the folder that environment variable KGEN_TEST_MODULES names, and "make modules" fills that
// folder. If the variable is not set, the modules are in the user's cache folder. Without the
// variable, package modules runs kgen for packages of kernels that have changed. If the variable is
// set, a test needs neither Go nor sources.
//
// Tests of a package with the directive mostly call only Run functions, so by default the stubs
// have no other functions. The directive may name kernels, as in "//kgen:bare views=Sum,Blur". For
// these kernels, the stubs also have the functions that launch a kernel on a queue or create a
// graph node. In the directive, the word "views" without names selects all kernels. Some host forms
// are needed only for launches that may be cancelled, and the word "nospare" in the directive omits
// these host forms. The word "noform" in the directive omits the host forms (the kernels' code for
// the CPU) of all kernels. The text "noform=Sum,Blur" omits only the host forms of kernels Sum and
// Blur.
//
// The folder of a package, which [Write] writes, contains these files:
//
//	kernels.json      contains the descriptions in [abi.Kernel], without the modules;
//	sources.sum       contains a checksum of all inputs of the compilation;
//	K.spv, K.v.spv    contain the module of kernel K, and of its variant v;
//	K.data            contains constant data of kernel K.
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

// These constants are the names of the files in a package's folder that are not modules.
const (
	descriptions = "kernels.json"
	sumFile      = "sources.sum"
)

// kernelDescription describes a kernel in kernels.json.
type kernelDescription struct {
	abi.Kernel // Properties, SPIRV, Data, IR and the pointers to variables are empty
	Properties []jsonProperty
	Data, IR   bool
}

// jsonProperty represents a properties.Property in kernels.json.
type jsonProperty struct {
	Key     properties.Key
	Dims    []int                `json:",omitempty"`
	Aspects []properties.Aspect  `json:",omitempty"`
	Mode    properties.FloatMode `json:",omitempty"`
}

func describe(p properties.Property) jsonProperty {
	out := jsonProperty{Key: p.Key()}
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

func (p jsonProperty) property() (properties.Property, error) {
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

// Files returns the files of a package's folder for the given kernels, as a map from a file's name to its
// content. The kernels must contain their modules.
func Files(kernels []*abi.Kernel) (map[string][]byte, error) {
	files := map[string][]byte{}
	list := []kernelDescription{}
	for _, k := range kernels {
		d := kernelDescription{Kernel: *k, Data: k.Data != "", IR: k.IR != ""}
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
			d.Sites[i].Message = strconv.QuoteToASCII(d.Sites[i].Message) // JSON strings must be valid UTF-8
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

// Write writes the folder of a package below dir, and replaces an existing folder. The argument
// `root` is the folder of the Go module.
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

// WriteFiles writes the folder of a package below dir, and replaces an existing folder. If the stubs of the package
// already contain some of the modules, the argument `files` must contain only the other modules.
func WriteFiles(dir, pkg string, files map[string][]byte) error {
	to := filepath.Join(dir, relFolder(pkg))
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	// A concurrent reader finds the old folder, no folder, or the new folder, but never a mixture.
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
	return nil // another process may have written the folder first
}

// relFolder returns the path of a package's folder, relative to the folder of all packages.
func relFolder(pkg string) string {
	return filepath.FromSlash(strings.TrimPrefix(strings.TrimPrefix(pkg, Module), "/"))
}

func complete(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, descriptions))
	return err == nil
}

// Read reads a folder that Write has written. Read returns a map from a kernel's name to the kernel with its
// modules.
func Read(dir string) (map[string]*abi.Kernel, error) {
	text, err := os.ReadFile(filepath.Join(dir, descriptions))
	if err != nil {
		return nil, err
	}
	var list []kernelDescription
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

// loadResult is the result of loading a package, either a map from names to kernels, or an error.
type loadResult struct {
	kernels map[string]*abi.Kernel
	err     error
}

// loadedPackages are the packages for which Kernel was called.
var loadedPackages struct {
	sync.Mutex
	of map[Package]*loadResult
}

// Package is the import path of a package with the directive kgen:bare.
type Package string

// Kernel returns the description of a kernel with its modules. The arguments `vars` are pointers to
// the variables of abi.Kernel.Variables. Kernel must not panic if modules are missing, because
// stubs call Kernel before the program has read its flags. If modules are missing, Kernel returns a
// description without modules, and Missing returns the reason.
func (pkg Package) Kernel(name string, vars ...any) *abi.Kernel {
	loadedPackages.Lock()
	defer loadedPackages.Unlock()
	p := loadedPackages.of[pkg]
	if p == nil {
		p = &loadResult{}
		if p.kernels, p.err = readKernels(string(pkg)); p.err != nil {
			p.err = fmt.Errorf("the modules of package %s: %w", pkg, p.err)
		}
		if loadedPackages.of == nil {
			loadedPackages.of = map[Package]*loadResult{}
		}
		loadedPackages.of[pkg] = p
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

// Missing returns an error if Kernel was called for a package whose modules are missing. The error lists the
// packages without modules, with the reason and the remedy for each. If no modules are missing, Missing returns nil.
func Missing() error {
	loadedPackages.Lock()
	defer loadedPackages.Unlock()
	var errs []error
	for _, pkg := range slices.Sorted(maps.Keys(loadedPackages.of)) {
		errs = append(errs, loadedPackages.of[pkg].err)
	}
	return errors.Join(errs...)
}

// readKernels returns the kernels of a package, from its folder.
func readKernels(pkg string) (map[string]*abi.Kernel, error) {
	dir, err := Folder(pkg)
	if err != nil {
		return nil, err
	}
	return Read(dir)
}

// Folder returns the folder of a package's modules. If the sources have changed, Folder first compiles the
// modules.
func Folder(pkg string) (string, error) {
	root := sourceRoot()
	dir := env.Get(env.TestModules)
	if root == "" {
		if dir == "" {
			return "", errors.New("there are no sources here to compile: set KGEN_TEST_MODULES to the folder that make modules has written")
		}
		return filepath.Join(dir, relFolder(pkg)), nil
	}
	sum, err := Sum(root, pkg)
	if err != nil {
		return "", err
	}
	if dir != "" {
		dir = filepath.Join(dir, relFolder(pkg))
		have, err := os.ReadFile(filepath.Join(dir, sumFile))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if string(bytes.TrimSpace(have)) != sum {
			return "", fmt.Errorf("those of %s are of other sources: run make modules, or unset KGEN_TEST_MODULES", dir)
		}
		return dir, nil
	}
	return cachedModules(root, pkg, sum)
}

// Packages returns the sorted import paths of the packages with the directive kgen:bare.
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
