package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// This file computes the state of the files that kgen generated. go vet repeats the findings of a package from its cache
// if neither the sources nor the flags have changed. But the analyzer kgenstale compares the sources with generated files.
// So kgenvet gives go vet a flag that changes with these files.

// generatedState returns a hash of the files that kgen generated in the workspace or module of the working directory.
func generatedState() string {
	h, root := sha256.New(), workRoot()
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // the analyzer cannot read these files, either
		case d.IsDir() && path != root && (d.Name()[0] == '.' || d.Name()[0] == '_'):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, "_kgen.go"):
			if text, err := os.ReadFile(path); err == nil {
				h.Write([]byte(path))
				h.Write([]byte{0})
				h.Write(text)
			}
		}
		return nil
	})
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// workRoot returns the folder of the file go.work or go.mod that the go command uses here, or the working directory.
func workRoot() string {
	out, err := exec.Command("go", "env", "GOWORK", "GOMOD").Output()
	if err == nil {
		for file := range strings.Lines(string(out)) {
			if file = strings.TrimRight(file, "\r\n"); file != "" && file != "off" && file != os.DevNull {
				return filepath.Dir(file)
			}
		}
	}
	return "."
}
