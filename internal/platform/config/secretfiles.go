package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// FileSuffix makes of a secret's name that of a setting which says in which file it lies:
// environments are shown by more tools than files are.
const FileSuffix = "_FILE"

// secretFileSize is more than any ring of keys needs.
const secretFileSize = 64 << 10

// withSecretFiles is an environment in which secrets stand for the files that hold them. An
// empty file is a secret that is not set: what mounts files mounts them all.
func withSecretFiles(environ []string) (map[string]string, error) {
	given := map[string]string{}
	for _, setting := range environ {
		if name, value, found := strings.Cut(setting, "="); found {
			given[name] = value
		}
	}
	for _, s := range (Config{}).Settings() {
		file := given[s.Name+FileSuffix]
		if !s.Secret || file == "" {
			continue
		}
		if given[s.Name] != "" {
			return nil, fmt.Errorf("%s and %s%s are both set; keep one of them", s.Name, s.Name, FileSuffix)
		}
		secret, err := readSecret(file)
		if err != nil {
			return nil, fmt.Errorf("%s%s names a file that cannot be used: %w", s.Name, FileSuffix, err)
		}
		given[s.Name] = secret
	}
	return given, nil
}

// readSecret reads a file without its last line's end. Its errors repeat neither the content nor
// the name: somebody may have written the secret itself where its file should stand.
func readSecret(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", unreadable(err)
	}
	if !info.Mode().IsRegular() { // a pipe would let us wait for ever
		return "", errors.New("it is no file, but a directory or a device")
	}
	file, err := os.Open(name)
	if err != nil {
		return "", unreadable(err)
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, secretFileSize+1))
	switch {
	case err != nil:
		return "", errors.New("it cannot be read to its end")
	case len(text) > secretFileSize:
		return "", errors.New("it holds more than 64 kB, and is no secret of ours")
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r"), nil
}

func unreadable(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("it does not exist")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("this process may not read it")
	}
	return errors.New("it cannot be opened")
}

// WithoutSecrets leaves out of an environment every secret, and where one lies.
func WithoutSecrets(environ []string) []string {
	secret := map[string]bool{}
	for _, s := range (Config{}).Settings() {
		secret[s.Name], secret[s.Name+FileSuffix] = s.Secret, s.Secret
	}
	var open []string
	for _, setting := range environ {
		if name, _, _ := strings.Cut(setting, "="); !secret[name] {
			open = append(open, setting)
		}
	}
	return open
}
