package supervisor

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/platform/confined"
)

const liveFolder = "live"

// files are the critical files and their golden copy.
type files struct {
	root   *os.Root // of the chaos target
	golden map[string][]byte
	list   []target.File
}

// newFiles reads the golden copy, and restores all files at the very first start.
func newFiles(root *os.Root, golden fs.FS) (*files, error) {
	f := &files{root: root, golden: map[string][]byte{}}
	for _, name := range target.Files() {
		data, err := fs.ReadFile(golden, name)
		if err != nil {
			return nil, fmt.Errorf("read the golden copy: %w", err)
		}
		sum := sha256.Sum256(data)
		f.golden[name] = data
		f.list = append(f.list, target.File{Name: name, Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])})
	}
	for _, name := range []string{liveFolder, keyFile} {
		if _, err := root.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return f, nil // not the first start: the healer repairs files
		}
	}
	return f, f.Restore(context.Background(), f.names()...)
}

func (f *files) names() []string {
	var names []string
	for _, file := range f.list {
		names = append(names, file.Name)
	}
	return names
}

// live opens the folder of the critical files for one command, because it may be replaced in between. It
// refuses a symbolic link.
func (f *files) live() (*os.Root, error) {
	info, err := f.root.Lstat(liveFolder)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s: %w", liveFolder, confined.ErrNotPlain)
	}
	return f.root.OpenRoot(liveFolder)
}

// Differing returns the names of files that differ from the golden copy or are links.
func (f *files) Differing(names ...string) []string {
	live, err := f.live()
	if err != nil {
		return slices.Clone(names)
	}
	defer func() { _ = live.Close() }()
	different := []string{}
	for _, name := range names {
		if !f.same(live, name) {
			different = append(different, name)
		}
	}
	return different
}

func (f *files) same(live *os.Root, name string) bool {
	want, known := f.golden[name]
	if !known {
		return false
	}
	file, err := confined.Open(live, name, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	have, err := io.ReadAll(io.LimitReader(file, int64(len(want))+1))
	return err == nil && sha256.Sum256(have) == sha256.Sum256(want) && bytes.Equal(have, want)
}

// Restore restores the named files that differ. It continues after an error.
func (f *files) Restore(_ context.Context, names ...string) error {
	different := f.Differing(names...)
	if len(different) == 0 {
		return nil
	}
	if err := ensureDir(f.root, liveFolder); err != nil {
		return err
	}
	live, err := f.live()
	if err != nil {
		return err
	}
	defer func() { _ = live.Close() }()
	var errs []error
	for _, name := range different {
		errs = append(errs, f.restore(live, name))
	}
	return errors.Join(errs...)
}

func (f *files) restore(live *os.Root, name string) error {
	data, known := f.golden[name]
	if !known {
		return problem.New(problem.Invalid, "There is no critical file of that name.")
	}
	if err := ensureDir(live, path.Dir(name)); err != nil {
		return err
	}
	if info, err := live.Lstat(name); err == nil && info.IsDir() {
		if err := live.RemoveAll(name); err != nil {
			return err
		}
	}
	return confined.Replace(live, name, data, 0o600)
}

// ensureDir creates a folder and replaces anything else with its name. It does not follow symbolic links.
func ensureDir(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if err == nil && info.IsDir() {
		return nil
	}
	if err == nil {
		err = root.Remove(name)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return root.Mkdir(name, 0o700)
}

const (
	keyFile    = "manifest.key"
	signerName = "customerzero-chaos-target"
)

// sign signs the manifest with the chaos target's key.
func sign(root *os.Root, list []target.File) (target.Signed, error) {
	secret, verifier, err := signingKey(root)
	if err != nil {
		return target.Signed{}, fmt.Errorf("the key of the manifest: %w", err)
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		return target.Signed{}, errors.New("the key of the manifest is invalid: remove " + keyFile + " to create a new one")
	}
	signed, err := note.Sign(&note.Note{Text: manifestText(list)}, signer)
	return target.Signed{Note: string(signed), Verifier: verifier, Files: list}, err
}

func manifestText(list []target.File) string {
	var text strings.Builder
	fmt.Fprintf(&text, "The %d critical files of the chaos target\n", len(list))
	for _, file := range list {
		fmt.Fprintf(&text, "%s %d %s\n", file.SHA256, file.Size, file.Name)
	}
	return text.String()
}

// signingKey reads the two lines of the key file, secret and verifier, or creates it.
func signingKey(root *os.Root) (secret, verifier string, err error) {
	if _, err = confined.Lstat(root, keyFile); errors.Is(err, fs.ErrNotExist) {
		return makeKey(root)
	}
	if err != nil {
		return "", "", err
	}
	data, err := root.ReadFile(keyFile)
	if err != nil {
		return "", "", err
	}
	secret, verifier, _ = strings.Cut(strings.TrimSpace(string(data)), "\n")
	return secret, verifier, nil
}

func makeKey(root *os.Root) (secret, verifier string, err error) {
	if secret, verifier, err = note.GenerateKey(rand.Reader, signerName); err != nil {
		return "", "", err
	}
	return secret, verifier, confined.Replace(root, keyFile, []byte(secret+"\n"+verifier+"\n"), 0o600)
}
