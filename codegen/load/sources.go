package load

// This file lists the source files of kernels.

import (
	"path"
	"path/filepath"

	"github.com/kgen-go/kgen/abi"
	"github.com/kgen-go/kgen/internal/sources"
)

// Sources returns the source files that affect a package's kernels. The returned files belong to
// packages that declare objects mentioned by the kernels. All returned files belong to the same
// module as the kernels.
func (p *Program) Sources(pkg *Package) ([]abi.Source, error) {
	var rows []abi.Source
	for _, name := range pkg.mentions {
		q := p.listed[name]
		if q == nil || !q.inMain || q.moduleDir != pkg.ModuleDir || len(q.files) == 0 {
			continue
		}
		dir, err := filepath.Rel(pkg.ModuleDir, q.dir)
		if err != nil || !filepath.IsLocal(dir) {
			continue
		}
		files, err := sources.Folder(pkg.ModuleDir, path.Clean(filepath.ToSlash(dir)), q.name)
		if err != nil {
			return nil, err
		}
		rows = append(rows, files...)
	}
	return rows, nil
}
