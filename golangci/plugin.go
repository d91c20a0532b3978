// Package golangci makes kgenvet's analyzers a linter of golangci-lint, by its module plugin
// system. It is a module of its own, so that kgen itself requires nothing of golangci-lint.
//
// In .custom-gcl.yml, from which golangci-lint custom builds a golangci-lint with the linter:
//
//	version: v2.15.0
//	plugins:
//	  - module: github.com/kgen-go/kgen/golangci
//	    version: v0.1.0
//
// docs/ci.md has the form for a clone of kgen, which is needed until a version is tagged. In .golangci.yml:
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

// Name is what the linter is called.
const Name = "kgenvet"

func init() { register.Plugin(Name, New) }

// Settings are what .golangci.yml says of the linter.
type Settings struct {
	Tags    []string `json:"tags"`    // build tags
	Disable []string `json:"disable"` // names of analyzers that are not to run
}

// New returns the linter. It returns an error for settings that make no sense.
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
