//go:build amd64 || arm64

package vulkan

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
	"unsafe"
)

// This file contains the operations of the pipeline cache that depend on Windows, such as locking.
// The file is for builds for Windows on amd64 and arm64.

var (
	kernel32        = syscall.NewLazyDLL("kernel32.dll")
	lockFileEx      = kernel32.NewProc("LockFileEx")
	advapi32        = syscall.NewLazyDLL("advapi32.dll")
	getSecurityInfo = advapi32.NewProc("GetSecurityInfo")
)

// errLocked is the error that lockFile returns for a file that another process has locked.
const errLocked = syscall.Errno(33) // ERROR_LOCK_VIOLATION

// lockFile locks a file for this process, until the file is closed. lockFile does
// not wait for other processes. Windows denies other processes access to locked bytes, so the
// function lock locks one byte far beyond the end of the file.
func lockFile(f *os.File) error {
	const failImmediately, exclusive = 1, 2
	at := &syscall.Overlapped{OffsetHigh: 1 << 30}
	ok, _, err := lockFileEx.Call(f.Fd(), exclusive|failImmediately, 0, 1, 0, uintptr(unsafe.Pointer(at)))
	if ok != 0 {
		return nil
	}
	if err == syscall.ERROR_IO_PENDING {
		return errLocked
	}
	return err
}

// openLock opens the file that represents the lock of a folder. The lock is a file in the folder,
// because Windows cannot lock folders themselves.
func openLock(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
}

// openShared opens a file. Other processes may rename and remove the file while it is open.
func openShared(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ,
		syscall.FILE_SHARE_READ|syscall.FILE_SHARE_WRITE|syscall.FILE_SHARE_DELETE, nil, syscall.OPEN_EXISTING, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// renameOver closes an open file and renames it to path. renameOver closes the file because
// Windows cannot rename an open file. Windows also cannot replace a file that another process has
// open for reading.
func renameOver(f *os.File, path string) error {
	if err := f.Close(); err != nil {
		return err
	}
	err := os.Rename(f.Name(), path)
	for end := time.Now().Add(cachePatience); err != nil && time.Now().Before(end); err = os.Rename(f.Name(), path) {
		if _, gone := os.Stat(f.Name()); gone != nil {
			return err // another process has considered this process dead, and removed the file
		}
		time.Sleep(5 * time.Millisecond)
	}
	return err
}

// isTrusted reports whether the owner of the file is this user, the administrators or the
// system. The checksum shows that the file is undamaged, but not who wrote it.
func isTrusted(f *os.File, _ fs.FileInfo) bool {
	const fileObject, ownerInformation = 1, 1
	var owner *syscall.SID
	var descriptor uintptr
	r, _, _ := getSecurityInfo.Call(f.Fd(), fileObject, ownerInformation, uintptr(unsafe.Pointer(&owner)), 0, 0, 0, uintptr(unsafe.Pointer(&descriptor)))
	if r != 0 {
		return false
	}
	defer syscall.LocalFree(syscall.Handle(descriptor))
	name, err := owner.String()
	if err != nil {
		return false
	}
	const system, administrators = "S-1-5-18", "S-1-5-32-544"
	return name == system || name == administrators || name == currentUser()
}

// currentUser returns the security identifier of the user as a string, or "?".
func currentUser() string {
	token, err := syscall.OpenCurrentProcessToken()
	if err != nil {
		return "?"
	}
	defer token.Close()
	user, err := token.GetTokenUser()
	if err != nil {
		return "?"
	}
	name, err := user.User.Sid.String()
	if err != nil {
		return "?"
	}
	return name
}
