// Package keyring encrypts secrets in the database: tokens, provider keys, emails with codes. It does no I/O
// and never prints a key.
//
// An encrypted value is "v1.<key id>.<base64url of nonce and ciphertext>", AES-256-GCM with its place, such as
// the row, as associated data: it cannot be decrypted in another place.
package keyring

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

const (
	version  = "v1"
	keyBytes = 32
	forSeals = "customerzero/seal/v1"
	forMarks = "customerzero/mark/v1"
)

var (
	// ErrUnknownKey means that the value was encrypted with a key that is not in the ring.
	ErrUnknownKey = errors.New("it was encrypted with a key that is not in SECRET_KEYS")
	// ErrUnsealed means that the value, its place or the key has changed since the encryption.
	ErrUnsealed = errors.New("it cannot be decrypted with the key of SECRET_KEYS that it names")

	validID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)
)

// Ring is a list of keys: the first one encrypts, all of them decrypt.
type Ring struct {
	load func() (string, error)

	mu   sync.RWMutex
	ids  []string // the first one encrypts
	keys map[string]key
}

type key struct {
	seal cipher.AEAD
	mark []byte
}

// Parse parses a ring such as "k2:<base64 of 32 bytes>,k1:<…>". Its errors never repeat a key.
func Parse(text string) (*Ring, error) {
	return Open(func() (string, error) { return text, nil })
}

// Open parses the ring that load returns, and loads it again when a value names an unknown key: a key that
// another process has added is found without a restart.
func Open(load func() (string, error)) (*Ring, error) {
	r := &Ring{load: load}
	return r, r.reload()
}

func (r *Ring) reload() error {
	text, err := r.load()
	if err != nil {
		return err
	}
	ids, keys, err := parse(text)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids, r.keys = ids, keys
	return nil
}

func parse(text string) (ids []string, keys map[string]key, err error) {
	keys = map[string]key{}
	for i, entry := range strings.Split(strings.TrimSpace(text), ",") {
		id, encoded, found := strings.Cut(strings.TrimSpace(entry), ":")
		master, err := base64.StdEncoding.DecodeString(encoded)
		if !found || err != nil || len(master) != keyBytes || !validID.MatchString(id) {
			return nil, nil, fmt.Errorf("SECRET_KEYS: entry %d is not <id>:<base64 of 32 bytes>; print a valid one with customerzero keys new", i+1)
		}
		if _, twice := keys[id]; twice {
			return nil, nil, fmt.Errorf("SECRET_KEYS: the ID of entry %d occurs twice", i+1)
		}
		if keys[id], err = derive(master); err != nil {
			return nil, nil, err
		}
		ids = append(ids, id)
	}
	return ids, keys, nil
}

// derive derives a separate key for each purpose from the master key.
func derive(master []byte) (key, error) {
	sealing, err := hkdf.Key(sha256.New, master, nil, forSeals, keyBytes)
	if err != nil {
		return key{}, err
	}
	marking, err := hkdf.Key(sha256.New, master, nil, forMarks, keyBytes)
	if err != nil {
		return key{}, err
	}
	block, err := aes.NewCipher(sealing)
	if err != nil {
		return key{}, err
	}
	seal, err := cipher.NewGCMWithRandomNonce(block)
	return key{seal, marking}, err
}

// New generates a key in the form that Parse reads.
func New(id string) (string, error) {
	if !validID.MatchString(id) {
		return "", errors.New("a key's ID must consist of lowercase letters, digits and dashes")
	}
	master := make([]byte, keyBytes)
	_, _ = rand.Read(master) // does not fail
	return id + ":" + base64.StdEncoding.EncodeToString(master), nil
}

// Primary returns the ID of the key that encrypts.
func (r *Ring) Primary() string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.ids[0]
}

// IDs lists the keys, the primary one first.
func (r *Ring) IDs() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Clone(r.ids)
}

// Has reports whether the ring has a key.
func (r *Ring) Has(id string) bool {
	_, err := r.key(id)
	return err == nil
}

// Encrypt encrypts a value that belongs to a place.
func (r *Ring) Encrypt(value, place string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	id := r.ids[0]
	sealed := r.keys[id].seal.Seal(nil, nil, []byte(value), bound(id, place))
	return version + "." + id + "." + base64.RawURLEncoding.EncodeToString(sealed)
}

// Decrypt decrypts a value. Errors: ErrUnknownKey, ErrUnsealed.
func (r *Ring) Decrypt(sealed, place string) (string, error) {
	parts := strings.SplitN(sealed, ".", 3)
	if len(parts) != 3 || parts[0] != version {
		return "", ErrUnsealed
	}
	k, err := r.key(parts[1])
	if err != nil {
		return "", err
	}
	hidden, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return "", ErrUnsealed
	}
	value, err := k.seal.Open(nil, nil, hidden, bound(parts[1], place))
	if err != nil {
		return "", ErrUnsealed
	}
	return string(value), nil
}

func (r *Ring) key(id string) (key, error) {
	if k, known := r.find(id); known {
		return k, nil
	}
	if err := r.reload(); err != nil {
		return key{}, err
	}
	if k, known := r.find(id); known {
		return k, nil
	}
	return key{}, ErrUnknownKey
}

func (r *Ring) find(id string) (key, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	k, known := r.keys[id]
	return k, known
}

func bound(id, place string) []byte { return []byte(version + "." + id + "|" + place) }

// Mark returns a keyed digest (HMAC) of a value, such as a short code: only the key's owner can guess the
// value.
func (r *Ring) Mark(value, place string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	id := r.ids[0]
	return id + "." + r.keys[id].digest(value, place)
}

// Marked reports, in constant time, whether the mark belongs to the value.
func (r *Ring) Marked(mark, value, place string) bool {
	id, digest, _ := strings.Cut(mark, ".")
	k, err := r.key(id)
	if err != nil {
		return false
	}
	return subtle.ConstantTimeCompare([]byte(digest), []byte(k.digest(value, place))) == 1
}

func (k key) digest(value, place string) string {
	mac := hmac.New(sha256.New, k.mark)
	mac.Write([]byte(place + "\x00" + value))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// IDOf returns the ID of the key that encrypted a value.
func IDOf(sealed string) string {
	parts := strings.SplitN(sealed, ".", 3)
	if len(parts) != 3 {
		return ""
	}
	return parts[1]
}
