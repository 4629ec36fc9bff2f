package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/caarlos0/env/v11"
)

// FileSuffix is appended to a secret's name to read it from a file: more tools show environments than files.
const FileSuffix = "_FILE"

// secretFileSize exceeds any list of keys.
const secretFileSize = 64 << 10

// withSecretFiles parses an environment and replaces NAME_FILE with the file's content. An empty file is
// an unset secret, because deployments mount all files.
func withSecretFiles(environ []string) (map[string]string, error) {
	given := env.ToMap(environ)
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
			return nil, fmt.Errorf("the file of %s%s cannot be read: %w", s.Name, FileSuffix, err)
		}
		given[s.Name] = secret
	}
	return given, nil
}

// readSecret reads a file without a final line break. Its errors repeat neither the content nor the name:
// the setting may contain the secret itself by mistake.
func readSecret(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", unreadable(err)
	}
	if !info.Mode().IsRegular() { // reading a pipe could block forever
		return "", errors.New("it is a directory or a device")
	}
	file, err := os.Open(name)
	if err != nil {
		return "", unreadable(err)
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, secretFileSize+1))
	switch {
	case err != nil:
		return "", errors.New("reading it failed")
	case len(text) > secretFileSize:
		return "", errors.New("it is larger than 64 kB")
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r"), nil
}

func unreadable(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("it does not exist")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("permission denied")
	}
	return errors.New("it cannot be opened")
}

// WithoutSecrets removes every secret from an environment, and the names of their files.
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
