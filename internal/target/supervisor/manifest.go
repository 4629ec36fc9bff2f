package supervisor

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"customerzero/internal/domain/target"
	"customerzero/internal/platform/confined"
)

const (
	keyFile    = "manifest.key"
	signerName = "customerzero-cell"
)

// sign signs the manifest with the cell's own key, which is made once.
func sign(root *os.Root, list []target.File) (target.Signed, error) {
	secret, verifier, err := signingKey(root)
	if err != nil {
		return target.Signed{}, fmt.Errorf("the key of the manifest: %w", err)
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		return target.Signed{}, errors.New("the key of the manifest cannot be read: remove " + keyFile + " for a new one")
	}
	signed, err := note.Sign(&note.Note{Text: manifestText(list)}, signer)
	return target.Signed{Note: string(signed), Verifier: verifier, Files: list}, err
}

func manifestText(list []target.File) string {
	var text strings.Builder
	fmt.Fprintf(&text, "The %d critical files of the cell\n", len(list))
	for _, file := range list {
		fmt.Fprintf(&text, "%s %d %s\n", file.SHA256, file.Size, file.Name)
	}
	return text.String()
}

// signingKey reads the two lines of the key's file: the secret, and what verifies it.
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
