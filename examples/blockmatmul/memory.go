package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/kgen-go/kgen/runtime"
)

// memory holds the best size of block by device.
type memory map[string]int

func memoryFile() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "kgen", "blockmatmul.json"), nil
}

// loadMemory reads what earlier runs found. What is not there, or does not read, is
// found again.
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

// key names the device and its driver: another version may like other blocks.
func key(dev *runtime.Device) string {
	info := dev.Info()
	return info.Name + ", " + info.Driver
}

func (m memory) tile(dev *runtime.Device) (tile int, ok bool) {
	tile, ok = m[key(dev)]
	return tile, ok && tile > 0 && tile*tile <= dev.Info().Limits.MaxWorkItems
}

func (m memory) keep(dev *runtime.Device, tile int) error {
	m[key(dev)] = tile
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
