// Package golangci provides kgenvet's analyzers as a linter. The linter is a module plugin of
// golangci-lint. The package is in a separate Go module, so that kgen itself does not require
// golangci-lint.
//
// The command golangci-lint custom builds a golangci-lint that contains the linter. The command golangci-lint custom
// needs the following file .custom-gcl.yml:
//
//	version: v2.15.0
//	plugins:
//	  - module: github.com/kgen-go/kgen/golangci
//	    version: v0.1.0
//
// Before the first tagged version of this module, a clone of kgen is needed. The file docs/ci.md contains a
// .custom-gcl.yml for a clone. To enable the linter, add it to .golangci.yml:
//
//	version: "2"
//	linters:
//	  enable: [kgenvet]
//	  settings:
//	    custom:
//	      kgenvet:
//	        type: module
//	        description: what kernels may not have
//	        settings:
//	          tags: [purego]        # build tags
//	          disable: [kgenshared] # analyzers
//
// The settings tags and disable are optional. docs/ci.md says more.
package golangci

import (
	"fmt"
	"slices"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/kgen-go/kgen/codegen/vet"
)

// Name is the name of the linter.
const Name = "kgenvet"

func init() { register.Plugin(Name, New) }

// Settings contains the settings of the linter in .golangci.yml.
type Settings struct {
	Tags    []string `json:"tags"`    // build tags
	Disable []string `json:"disable"` // names of analyzers that do not run
}

// New returns the linter, or an error if the settings are invalid.
func New(conf any) (register.LinterPlugin, error) {
	settings, err := register.DecodeSettings[Settings](conf)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Name, err)
	}
	p := &plugin{}
	var names []string
	for _, a := range vet.Analyzers() {
		names = append(names, a.Name)
		if slices.Contains(settings.Disable, a.Name) {
			continue
		}
		if tags := a.Flags.Lookup("tags"); tags != nil {
			if err := tags.Value.Set(strings.Join(settings.Tags, ",")); err != nil {
				return nil, fmt.Errorf("%s: tags: %w", Name, err)
			}
		}
		p.analyzers = append(p.analyzers, a)
	}
	for _, name := range settings.Disable {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("%s: no analyzer is called %q; there are %s", Name, name, strings.Join(names, ", "))
		}
	}
	return p, nil
}

type plugin struct{ analyzers []*analysis.Analyzer }

// BuildAnalyzers returns kgenvet's analyzers.
func (p *plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) { return p.analyzers, nil }

// GetLoadMode returns the load mode with type information, because the analyzers need types.
func (p *plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
