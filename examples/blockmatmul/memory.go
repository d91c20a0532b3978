package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/kgen-go/kgen/examples/blockmatmul/blocks"
	"github.com/kgen-go/kgen/runtime"
)

// The type `memory` maps a device to its best depth of blocks.
type memory map[string]int

func memoryFile() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "kgen", "blockmatmul.json"), nil
}

// loadMemory reads the results of earlier runs. The program computes missing or unreadable results
// again.
func loadMemory() memory {
	m := memory{}
	name, err := memoryFile()
	if err != nil {
		return m
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return m
	}
	if json.Unmarshal(data, &m) != nil || m == nil {
		return memory{}
	}
	return m
}

// key() identifies the device and its driver, because another version of the driver may prefer other blocks.
func key(dev *runtime.Device) string {
	info := dev.Info()
	return info.Name + ", " + info.Driver
}

func (m memory) depth(dev *runtime.Device) (depth int, ok bool) {
	depth, ok = m[key(dev)]
	return depth, ok && depth > 0 && depth <= blocks.Deepest
}

func (m memory) keep(dev *runtime.Device, depth int) error {
	m[key(dev)] = depth
	name, err := memoryFile()
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, append(data, '\n'), 0o666)
}
