package oracle

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// RunGo compiles a package of kernels and a main package with gc, runs the program, and returns its
// output. The main package imports the kernels as
// github.com/kgen-go/kgen/internal/tests/oracle/run/kernels. The two packages exist only in an overlay.
func RunGo(ctx context.Context, files map[string]string, main string) ([]byte, error) {
	return runWith(ctx, files, main, nil)
}

// RunPure does the same as RunGo, but with the pure Go version of package math, as on ports without
// assembly. The program and all its imports use this package math.
func RunPure(ctx context.Context, files map[string]string, main string) ([]byte, error) {
	math, err := pureMath(ctx)
	if err != nil {
		return nil, err
	}
	return runWith(ctx, files, main, math)
}

// pureMath returns the files of package math for a port without assembly. The map's keys are full
// file names, and its values are texts. In the map, an empty text means that the port lacks the file.
func pureMath(ctx context.Context) (map[string]string, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	dir := filepath.Join(strings.TrimSpace(string(root)), "src", "math")
	port := build.Default
	here, err := port.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	port.GOARCH, port.CgoEnabled = "mips64le", false
	there, err := port.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, f := range slices.Concat(here.GoFiles, here.SFiles) {
		if !slices.Contains(there.GoFiles, f) {
			files[filepath.Join(dir, f)] = ""
		}
	}
	for _, f := range there.GoFiles {
		if slices.Contains(here.GoFiles, f) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f))
		if err != nil {
			return nil, err
		}
		// The file gets a new name and a text without build constraints, so the file is compiled on every port.
		files[filepath.Join(dir, "pure"+strings.ReplaceAll(f, "_", ""))] = strings.Replace(string(text), "//go:build ", "// ", 1)
	}
	return files, nil
}

// runWith is like RunGo, but replaces some files of the Go distribution by the texts in
// replacedTexts.
func runWith(ctx context.Context, files map[string]string, main string, replacedTexts map[string]string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "oracle")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	overlay := map[string]string{}
	write := func(name, text string) error {
		flat := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		overlay[filepath.Join(root, "internal/tests/oracle/run", name)] = flat
		return os.WriteFile(flat, []byte(text), 0o666)
	}
	if err := write("main.go", main); err != nil {
		return nil, err
	}
	for name, text := range files {
		if err := write("kernels/"+name, text); err != nil {
			return nil, err
		}
	}
	for name, text := range replacedTexts {
		flat := ""
		if text != "" {
			flat = filepath.Join(dir, "instead_"+filepath.Base(name))
			if err := os.WriteFile(flat, []byte(text), 0o666); err != nil {
				return nil, err
			}
		}
		overlay[name] = flat
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return nil, err
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, text, 0o666); err != nil {
		return nil, err
	}
	bin := filepath.Join(dir, "run.exe")
	build := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-overlay", list, "-o", bin, "./internal/tests/oracle/run")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, bin)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("run: %w\n%s", err, errs.Bytes())
	}
	return out.Bytes(), nil
}

// moduleRoot returns the root folder of this module, in which tests run.
func moduleRoot() (string, error) {
	dir, err := filepath.Abs(".")
	for err == nil {
		if _, e := os.Stat(filepath.Join(dir, "go.mod")); e == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no go.mod above the working directory")
		}
		dir = up
	}
	return "", err
}
