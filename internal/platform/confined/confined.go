// Package confined reads and writes plain files with a single name under an os.Root, so that no symbolic or
// hard link lets a fault reach a file outside.
package confined

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"
)

// ErrNotPlain means that a name is a link, a directory or a device.
var ErrNotPlain = errors.New("it is not a plain file")

// Lstat describes a plain file.
func Lstat(root *os.Root, name string) (fs.FileInfo, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	return info, plain(name, info)
}

func plain(name string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: %w", name, ErrNotPlain)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Nlink > 1 {
		return fmt.Errorf("%s: %w: it has a second name", name, ErrNotPlain)
	}
	return nil
}

// Open opens a plain file that exists.
func Open(root *os.Root, name string, flag int) (*os.File, error) {
	before, err := Lstat(root, name)
	if err != nil {
		return nil, err
	}
	file, err := root.OpenFile(name, flag, 0)
	if err != nil {
		return nil, err
	}
	after, err := file.Stat()
	if err == nil && !os.SameFile(before, after) { // it was replaced by a link
		err = fmt.Errorf("%s: %w", name, ErrNotPlain)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// Replace writes a file atomically: a failure leaves the old one. A link of that name is replaced, not
// followed.
func Replace(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	fresh := name + ".new"
	if err := write(root, fresh, data, mode); err != nil {
		return errors.Join(err, absent(root.Remove(fresh)))
	}
	if err := root.Rename(fresh, name); err != nil {
		return errors.Join(err, absent(root.Remove(fresh)))
	}
	return SyncDir(root, path.Dir(name))
}

func write(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	if err := absent(root.Remove(name)); err != nil { // of a crash
		return err
	}
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// SyncDir makes renames in a directory durable.
func SyncDir(root *os.Root, name string) error {
	folder, err := root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Remove removes a name, if it exists.
func Remove(root *os.Root, name string) error { return absent(root.Remove(name)) }

func absent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
