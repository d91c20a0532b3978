// Package golangci makes kgenvet's analyzers a linter of golangci-lint, by its module plugin
// system. The package is a Go module of its own, so that kgen itself does not require
// golangci-lint.
//
// The command golangci-lint custom builds a golangci-lint with the linter from this
// .custom-gcl.yml:
//
//	version: v2.15.0
//	plugins:
//	  - module: github.com/kgen-go/kgen/golangci
//	    version: v0.1.0
//
// Until a version is tagged, a clone of kgen is needed, for which docs/ci.md has another
// .custom-gcl.yml. The linter is then enabled in .golangci.yml:
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
//	          tags: [purego]        # build tags, as golangci-lint has them
//	          disable: [kgenshared] # analyzers
//
// Both settings may be left out. docs/ci.md says more.
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

// New returns the linter. New returns an error if the settings are invalid.
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

// GetLoadMode says that the analyzers need types.
func (p *plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
