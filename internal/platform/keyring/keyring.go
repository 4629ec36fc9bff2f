// Package keyring seals what may not lie readable in the database: tokens, provider keys,
// emails with codes in them. It does no I/O of its own and never prints a key.
//
// A sealed value is "v1.<key id>.<base64url of nonce and ciphertext>", AES-256-GCM with
// the place it belongs to as associated data: moved to another place, it does not open.
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
	// ErrUnknownKey means that the value was sealed with a key that the ring does not hold.
	ErrUnknownKey = errors.New("it was sealed with a key that SECRET_KEYS does not hold")
	// ErrUnsealed means that the value, its place or the key is not the one it was sealed with.
	ErrUnsealed = errors.New("it does not open with the key of SECRET_KEYS that it names")

	validID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)
)

// Ring is a list of keys: the first seals, all of them open.
type Ring struct {
	load func() (string, error)

	mu   sync.RWMutex
	ids  []string // the first seals
	keys map[string]key
}

type key struct {
	seal cipher.AEAD
	mark []byte
}

// Parse reads a ring: "k2:<base64 of 32 bytes>,k1:<…>". Its errors never repeat a key.
func Parse(text string) (*Ring, error) {
	return Open(func() (string, error) { return text, nil })
}

// Open reads a ring from where load finds it, and reads it again when a value names a key
// that is not in it: a key added by another process is found without a restart.
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
			return nil, nil, fmt.Errorf("SECRET_KEYS: entry %d is not <id>:<base64 of 32 bytes>; customerzero keys new prints one", i+1)
		}
		if _, twice := keys[id]; twice {
			return nil, nil, fmt.Errorf("SECRET_KEYS: the id of entry %d stands there twice", i+1)
		}
		if keys[id], err = derive(master); err != nil {
			return nil, nil, err
		}
		ids = append(ids, id)
	}
	return ids, keys, nil
}

// derive makes a key for each purpose of the master key, so that none serves two.
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

// New makes the text of one key.
func New(id string) (string, error) {
	if !validID.MatchString(id) {
		return "", errors.New("a key's id has small letters, digits and dashes")
	}
	master := make([]byte, keyBytes)
	_, _ = rand.Read(master) // does not fail
	return id + ":" + base64.StdEncoding.EncodeToString(master), nil
}

// Primary is the id of the key that seals.
func (r *Ring) Primary() string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.ids[0]
}

// IDs names the keys, the one that seals first.
func (r *Ring) IDs() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Clone(r.ids)
}

// Seal hides a value that belongs to a place.
func (r *Ring) Seal(value, place string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	id := r.ids[0]
	sealed := r.keys[id].seal.Seal(nil, nil, []byte(value), bound(id, place))
	return version + "." + id + "." + base64.RawURLEncoding.EncodeToString(sealed)
}

// Open gives the value back: ErrUnknownKey, ErrUnsealed.
func (r *Ring) Open(sealed, place string) (string, error) {
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

// key finds a key, if need be by reading the ring again.
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

// Mark is a keyed digest of a value: it can be compared, and guessed only by who has the
// key. Short codes are kept so.
func (r *Ring) Mark(value, place string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	id := r.ids[0]
	return id + "." + r.keys[id].digest(value, place)
}

// Marked says whether the mark is the value's. It takes as long for a wrong value as for
// a right one.
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

// IDOf names the key that a value was sealed with.
func IDOf(sealed string) string {
	parts := strings.SplitN(sealed, ".", 3)
	if len(parts) != 3 {
		return ""
	}
	return parts[1]
}
