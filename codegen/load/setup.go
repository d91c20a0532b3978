package load

// This file finds mistakes in the setup of the user's Go module.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// getKgen is the command that adds kgen to a module.
const getKgen = "go get -tool " + modulePath + "/cmd/kgen"

// NoModule is the error for a folder that does not belong to a Go module.
type NoModule struct{ Dir string }

func (e *NoModule) Error() string {
	return fmt.Sprintf("the folder %s is in no Go module; run\n\tgo mod init example.com/%s\n\t%s", e.Dir, moduleWord(e.Dir), getKgen)
}

// moduleWord converts the name of a folder to a valid last element of a module path.
func moduleWord(dir string) string {
	word := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return -1
	}, strings.ToLower(filepath.Base(dir)))
	if word == "" {
		return "hello"
	}
	return word
}

// ModuleRoot returns the folder that contains the go.mod file for folder dir, or "".
func ModuleRoot(dir string) string {
	for {
		if info, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && !info.IsDir() {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// noModule returns an error if the working directory is not in a module. noModule returns nil if an
// environment variable or a go.work file selects another module or turns modules off.
func (l *loader) noModule() error {
	if ModuleRoot(l.dir) != "" {
		return nil
	}
	for _, name := range []string{"GOWORK", "GO111MODULE", "GOFLAGS", "GOPACKAGESDRIVER"} {
		if slices.ContainsFunc(l.env, func(s string) bool {
			v, ok := strings.CutPrefix(s, name+"=")
			return ok && v != "" && (name != "GOFLAGS" || strings.Contains(v, "-modfile"))
		}) {
			return nil
		}
	}
	for dir := l.dir; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return nil
		} else if dir == filepath.Dir(dir) {
			return &NoModule{l.dir}
		}
	}
}

// unimportable returns the reason why the package with the given path cannot be imported, and a
// command that helps. Parameter msg is the message of the go command.
func unimportable(path, msg string) (why, hint string) {
	why = fmt.Sprintf("package %s cannot be imported", path)
	// withAdvice adds the advice because the go command's own advice covers only a single package,
	// and is not always right.
	first, _, _ := strings.Cut(msg, "; to add")
	if first, _, _ = strings.Cut(first, "\n"); first != "" {
		why += ": " + strings.TrimSuffix(first, ":")
	}
	switch ours := path == modulePath || strings.HasPrefix(path, modulePath+"/"); {
	case strings.Contains(msg, "missing go.sum entry"), strings.Contains(msg, "updates to go.mod needed"):
		hint = tidy
	case strings.Contains(msg, "no required module provides") && ours:
		hint = "run " + getKgen
	case strings.Contains(msg, "no required module provides"):
		hint = "run go get " + path
	case strings.Contains(msg, "GOPROXY=off"):
		hint = "set GOPROXY, or run go mod download where there is a network"
	}
	return why, hint
}

// withAdvice adds advice to an error of the go command.
func withAdvice(err error) error {
	if text := err.Error(); strings.Contains(text, "updates to go.mod needed") || strings.Contains(text, "missing go.sum entry") {
		return fmt.Errorf("%w\n%s", err, tidy)
	}
	return err
}

const tidy = "run go mod tidy; if that fails for generated packages that are missing, go mod tidy -e"
