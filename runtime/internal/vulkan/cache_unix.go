//go:build (linux && !android && (amd64 || arm64 || loong64 || ppc64le || riscv64)) || (darwin && (amd64 || arm64))

package vulkan

import (
	"io/fs"
	"os"
	"syscall"
)

// errLocked is the error that lockFile returns for a file that another process has locked.
const errLocked = syscall.EWOULDBLOCK

// lockFile locks a file for this process, until the file is closed. lockFile does
// not wait for other processes.
func lockFile(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil || err != syscall.EINTR {
			return err
		}
	}
}

// openLock opens the file that represents the lock of a folder.
func openLock(dir string) (*os.File, error) { return os.Open(dir) }

// openShared opens a file. Other processes may rename and remove the file while it is open.
func openShared(path string) (*os.File, error) { return os.Open(path) }

// renameOver renames an open file to path. If there is already a file at path, the open file replaces
// that file.
func renameOver(f *os.File, path string) error { return os.Rename(f.Name(), path) }

// isTrusted reports whether only this user and root can have written the file. The checksum
// shows that the file is undamaged, but not who wrote it.
func isTrusted(_ *os.File, info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && (int(st.Uid) == os.Geteuid() || st.Uid == 0) && info.Mode().Perm()&0o022 == 0
}
