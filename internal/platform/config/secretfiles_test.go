package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/config"
)

// aFile returns the name of a new file with a text.
func aFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// Proves: V13.3.1
func TestEverySecretMayLieInAFile(t *testing.T) {
	texts := map[string]string{"STRIPE_SECRET_KEY": "sk_test_1\n", "STRIPE_WEBHOOK_SECRET": "whsec_1,whsec_2\r\n", "STRIPE_DEMO_KEY": "sk_test_2"}
	for _, s := range (config.Config{}).Settings() {
		if s.Secret {
			text, special := texts[s.Name]
			if !special {
				text = "hunter2-and-16-chars \n"
			}
			t.Setenv(s.Name+config.FileSuffix, aFile(t, text))
		}
	}
	c, err := config.Load()
	require.NoError(t, err)
	for _, s := range c.Settings() {
		if s.Secret {
			require.Equal(t, "set", s.Value, s.Name)
		}
	}
	require.Equal(t, "hunter2-and-16-chars ", c.AdminKey, "only the final line break is removed")
	require.Equal(t, "sk_test_1", c.StripeSecretKey)
	require.Equal(t, []string{"whsec_1", "whsec_2"}, c.StripeWebhookSecret)
	require.Equal(t, "https://api.stripe.com", c.StripeBaseURL, "as with the variable itself")
}

func TestAnEmptyFileIsASecretThatIsNotSet(t *testing.T) {
	for _, text := range []string{"", "\n"} {
		t.Setenv("DATABASE_URL_FILE", aFile(t, text))
		t.Setenv("STRIPE_SECRET_KEY_FILE", aFile(t, text))
		t.Setenv("STRIPE_WEBHOOK_SECRET_FILE", aFile(t, text))
		c, err := config.Load()
		require.NoError(t, err)
		require.True(t, c.SQLite())
		require.True(t, c.StripeSandbox())
		require.Empty(t, c.StripeWebhookSecret)
	}
	t.Setenv("ADMIN_KEY_FILE", "")
	t.Setenv("ADMIN_KEY", "hunter2-and-16-chars")
	c, err := config.Load()
	require.NoError(t, err)
	require.Equal(t, "hunter2-and-16-chars", c.AdminKey)
}

// Proves: V13.3.1
func TestOnlySecretsLieInFiles(t *testing.T) {
	t.Setenv("PUBLIC_URL_FILE", "/nowhere")
	c, err := config.Load()
	require.NoError(t, err)
	require.Empty(t, c.PublicURL)
}

// Proves: S-settings
func TestAFileOfASecretThatCannotBeUsedIsNamedAndNotRepeated(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "hunter2")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for says, file := range map[string]string{
		"the file of DATABASE_URL_FILE cannot be read: it does not exist":             "/nowhere/hunter2",
		"the file of DATABASE_URL_FILE cannot be read: it is a directory or a device": filepath.Dir(pipe),
		"the file of DATABASE_URL_FILE cannot be read: it cannot be opened":           aFile(t, "hunter2") + "/x",
		"the file of DATABASE_URL_FILE cannot be read: it is larger than 64 kB":       aFile(t, strings.Repeat("hunter2", 10_000)),
	} {
		t.Setenv("DATABASE_URL_FILE", file)
		_, err := config.Load()
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "hunter2")
	}
	t.Setenv("DATABASE_URL_FILE", pipe)
	_, err := config.Load()
	require.ErrorContains(t, err, "a directory or a device", "it does not block")
}

func TestASecretThatIsGivenTwiceIsRefused(t *testing.T) {
	t.Setenv("SMTP_URL", "smtp://hunter2")
	t.Setenv("SMTP_URL_FILE", aFile(t, "smtp://hunter2"))
	_, err := config.Load()
	require.EqualError(t, err, "SMTP_URL and SMTP_URL_FILE are both set; keep one of them")
}

func TestWhatIsMissingMayBeGivenByFiles(t *testing.T) {
	t.Setenv("PUBLIC_URL", "https://bot.example.com")
	t.Setenv("FOUNDERS", "ada")
	names := []string{"SECRET_KEYS", "SMTP_URL", "STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "X_CONSUMER_KEY", "X_CONSUMER_SECRET"}
	for _, name := range names {
		t.Setenv(name+config.FileSuffix, aFile(t, ""))
	}
	c, err := config.Load()
	require.NoError(t, err)
	require.Equal(t, names, c.Missing())
	for _, name := range names {
		t.Setenv(name+config.FileSuffix, aFile(t, "sk_test_1"))
	}
	c, err = config.Load()
	require.NoError(t, err)
	require.Empty(t, c.Missing())
}

func TestAnEnvironmentWithoutSecretsSaysNotEvenWhereTheyLie(t *testing.T) {
	t.Parallel()
	given := []string{"PATH=/bin", "PUBLIC_URL=https://bot.example.com", "ADMIN_KEY=hunter2", "CHAOS_TARGET_KEY_FILE=/run/secrets/chaos_target_key", "DATABASE_URL_FILE=/x", "MAIL_FROM_FILE=/y"}
	require.Equal(t, []string{"PATH=/bin", "PUBLIC_URL=https://bot.example.com", "MAIL_FROM_FILE=/y"}, config.WithoutSecrets(given))
}
