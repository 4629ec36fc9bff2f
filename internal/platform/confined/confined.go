// Package confined reads and writes files under an os.Root, which no path and no symbolic link
// leaves. It is stricter than that: what is not a plain file with one name is not touched, so
// that no link of any kind carries a fault to a file outside.
package confined

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"
)

// ErrNotPlain is the kind of error of a name that is a link, a folder or a device.
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
		return fmt.Errorf("%s: %w: it has another name", name, ErrNotPlain)
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
	if err == nil && !os.SameFile(before, after) { // it became a link meanwhile
		err = fmt.Errorf("%s: %w", name, ErrNotPlain)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// Replace writes a file as a whole: after a failure the old one is still there, unharmed. Nothing
// is written through a link of that name, it is replaced itself.
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
	if err := absent(root.Remove(name)); err != nil { // what a crash left
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

// SyncDir makes changes of names in a folder survive a power cut.
func SyncDir(root *os.Root, name string) error {
	folder, err := root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Remove removes a name. That it is not there is fine.
func Remove(root *os.Root, name string) error { return absent(root.Remove(name)) }

func absent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
