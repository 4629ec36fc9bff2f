package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/bot"
	"customerzero/internal/platform/keyring"
	"customerzero/internal/store"
)

func newKey(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(done(t, "keys", "new"))
}

func keyOf(t *testing.T, id string) string {
	t.Helper()
	key, err := keyring.New(id)
	require.NoError(t, err)
	return key
}

// withSecrets returns a data directory whose database holds encrypted secrets.
func withSecrets(t *testing.T, keys string, secrets int) (dir string) {
	t.Helper()
	dir = isolated(t)
	done(t, "migrate")
	db, err := store.Open("sqlite:" + filepath.Join(dir, "customerzero.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	ring, err := keyring.Parse(keys)
	require.NoError(t, err)
	db.UseKeys(ring)
	for i := range secrets {
		_, err := db.Bot.ProposeConnection(t.Context(), bot.Tokens{AccessToken: fmt.Sprint(i), AccessSecret: "s"}, nil, time.Now())
		require.NoError(t, err)
	}
	return dir
}

// Proves: S-settings
func TestWrongAndMissingKeysAreNamedAtTheStart(t *testing.T) {
	key := newKey(t)
	id, _, _ := strings.Cut(key, ":")
	dir := withSecrets(t, key, 3)

	for name, tt := range map[string]struct{ keys, says string }{
		"none":                         {"", "SECRET_KEYS is missing; print one with customerzero keys new"},
		"not a key":                    {"hunter2", "entry 1 is not <id>:<base64 of 32 bytes>"},
		"another key":                  {keyOf(t, "another"), fmt.Sprintf("SECRET_KEYS is missing key %q, which encrypts 3 stored secrets", id)},
		"another key by the same name": {keyOf(t, id), fmt.Sprintf("key %q in SECRET_KEYS is not the one that encrypted 3 stored secrets", id)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("SECRET_KEYS", tt.keys)
			for _, command := range []string{"api", "worker"} {
				fails(t, tt.says, command)
				_, _, errs := run(t, command)
				require.NotContains(t, errs, "hunter2")
			}
		})
	}
	fails(t, "put your copy of it back, or set SECRET_KEYS", "up")
	require.NoFileExists(t, filepath.Join(dir, "secret-keys"), "a new key would hide the loss")
}

// Proves: V11.1.1
func TestKeysAreRotatedWhileTheDirectoryIsInUse(t *testing.T) {
	key := newKey(t)
	dir := withSecrets(t, key, 1000)
	file := filepath.Join(dir, "secret-keys")
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(key, key[:strings.Index(key, ":")], "old")+"\n"), 0o600))
	require.Contains(t, failed(t, "keys", "list"), "SECRET_KEYS is missing key", "the file has another id")

	require.NoError(t, os.WriteFile(file, []byte(key+"\n"), 0o600))
	id, _, _ := strings.Cut(key, ":")
	require.Contains(t, done(t, "keys", "list"), id+": 1000 secrets, encrypts new secrets")

	text := keyOf(t, "newer")
	require.NoError(t, os.WriteFile(file, []byte(text+","+key+"\n"), 0o600)) // like keys add
	require.Contains(t, done(t, "keys", "rotate"), "1000 secrets re-encrypted")
	require.Contains(t, done(t, "keys", "list"), "newer: 1000 secrets, encrypts new secrets")
	require.Contains(t, done(t, "keys", "list"), id+": 0 secrets")

	require.NoError(t, os.WriteFile(file, []byte(text+"\n"), 0o600)) // the old one is removed
	require.Contains(t, done(t, "keys", "list"), "newer: 1000 secrets")
}

// Proves: V11.1.1
func TestKeyIsAddedInFront(t *testing.T) {
	dir := isolated(t)
	fails(t, "customerzero up generates the first", "keys", "add")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	first := keyOf(t, "first")
	file := filepath.Join(dir, "secret-keys")
	require.NoError(t, os.WriteFile(file, []byte(first+"\n"), 0o600))
	require.Contains(t, done(t, "keys", "add"), "added key")
	ring, err := keyring.Parse(contents(t, file))
	require.NoError(t, err)
	require.Len(t, ring.IDs(), 2)
	require.Equal(t, "first", ring.IDs()[1])

	t.Setenv("SECRET_KEYS", first)
	fails(t, "SECRET_KEYS is set", "keys", "add")
}

// Proves: V16.5.3
func TestNobodyIsServedInPublicWithoutSecrets(t *testing.T) {
	isolated(t)
	t.Setenv("PUBLIC_URL", "https://zero.example")
	for _, command := range []string{"api", "worker", "up"} {
		fails(t, "set FOUNDERS, SECRET_KEYS, SMTP_URL, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, X_CONSUMER_KEY, X_CONSUMER_SECRET", command)
	}
}

// A live key must be sent to Stripe only, and no card may be charged by mistake.
func TestPaymentsAreNotMixedUp(t *testing.T) {
	const sandbox = "http://127.0.0.1:1"
	for name, tt := range map[string]struct {
		settings map[string]string
		says     string
	}{
		"a live key, and the sandbox":            {map[string]string{"STRIPE_SECRET_KEY": "sk_live_hunter2", "STRIPE_BASE_URL": sandbox, "STRIPE_WEBHOOK_SECRET": "whsec_hunter2"}, "STRIPE_SECRET_KEY is a live key"},
		"a restricted live key, and the sandbox": {map[string]string{"STRIPE_SECRET_KEY": "rk_live_hunter2", "STRIPE_BASE_URL": sandbox, "STRIPE_WEBHOOK_SECRET": "whsec_hunter2"}, "STRIPE_SECRET_KEY is a live key"},
		"a live key for the demo":                {map[string]string{"STRIPE_DEMO_KEY": "sk_live_hunter2"}, "STRIPE_DEMO_KEY must be a test key, not a live key"},
		"a key, and no webhook secret":           {map[string]string{"STRIPE_SECRET_KEY": "sk_test_hunter2"}, "STRIPE_WEBHOOK_SECRET must be set"},
		"another Stripe, and no key":             {map[string]string{"STRIPE_BASE_URL": sandbox}, "STRIPE_SECRET_KEY must be set"},
		"not a Stripe key":                       {map[string]string{"STRIPE_SECRET_KEY": "hunter2", "STRIPE_WEBHOOK_SECRET": "whsec_hunter2"}, "STRIPE_SECRET_KEY must be a Stripe secret key"},
	} {
		t.Run(name, func(t *testing.T) {
			isolated(t)
			for setting, value := range tt.settings {
				t.Setenv(setting, value)
			}
			for _, command := range []string{"up", "api", "worker"} {
				errs := failed(t, command)
				require.Contains(t, errs, tt.says, command)
				require.NotContains(t, errs, "hunter2")
			}
		})
	}
}

func done(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := run(t, args...)
	require.Zero(t, code, errs)
	return out
}

func failed(t *testing.T, args ...string) string {
	t.Helper()
	code, _, errs := run(t, args...)
	require.Equal(t, 1, code)
	return errs
}
