package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/config"
)

func TestDefaultsRunOnALaptop(t *testing.T) {
	c, err := config.Load()
	require.NoError(t, err)
	require.True(t, c.SQLite())
	require.True(t, c.XSandbox())
	require.True(t, strings.HasPrefix(c.Addr, "127.0.0.1:"), "nothing listens to strangers by default")
}

// Proves: S-settings
func TestBadSettingsAreNamedAndNotRepeated(t *testing.T) {
	for name, value := range map[string]string{
		"ADDR": "here", "PUBLIC_URL": "ftp://hunter2", "X_BASE_URL": "hunter2", "POST_SEND_TIMEOUT": "1h",
		"TRUSTED_PROXIES": "hunter2", "PRICE_FLOOR_CENTS": "49", "DISCOUNT_BUDGET_CENTS": "-1", "RECONCILE_EVERY": "1ms", "OFFER_LIFE": "1ms",
		"LLM_PRICES": "openai:hunter2", "STRIPE_SANDBOX_HOOK": "hunter2",
		"CHAOS_TARGET_ADDR": "hunter2", "CHAOS_TARGET_CONTROL_ADDR": "hunter2", "CHAOS_TARGET_URL": "hunter2", "CHAOS_TARGET_CONTROL_URL": "hunter2",
		"CHAOS_LEASE": "11m", "GAME_DAY": "hunter2",
		"LOG_FORMAT": "hunter2", "OPS_ADDR": "hunter2", "DRAIN_DELAY": "61s", "OTEL_EXPORTER_OTLP_ENDPOINT": "hunter2",
		"TRACE_SHARE": "1.1", "DATABASE_CONNECTIONS": "1", "WORKER_DEPLOYMENT": "hunter2:a",
		"VERIFY_EVERY": "59s", "VERIFY_SITES": "https://hunter2/", "VERIFY_DIAL": "hunter2", "VISION_MODEL": "openai:hunter2",
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			_, err := config.Load()
			require.ErrorContains(t, err, name)
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestShortOffersAreForTheSandbox(t *testing.T) {
	t.Setenv("OFFER_LIFE", "20s")
	_, err := config.Load()
	require.NoError(t, err)
	t.Setenv("STRIPE_SECRET_KEY", "sk_test_1")
	t.Setenv("STRIPE_WEBHOOK_SECRET", "whsec_1")
	_, err = config.Load()
	require.ErrorContains(t, err, "OFFER_LIFE", "Stripe takes no less than half an hour")
}

func TestModelPrices(t *testing.T) {
	t.Setenv("LLM_PRICES", "openai:gpt-4o-mini=15/60, ollama:a=b:1=0/0")
	c, err := config.Load()
	require.NoError(t, err)
	prices, err := c.ModelPrices()
	require.NoError(t, err)
	require.Equal(t, map[string][2]int{"openai:gpt-4o-mini": {15, 60}, "ollama:a=b:1": {0, 0}}, prices)
	for _, bad := range []string{"openai:a", "openai:a=1", "openai:a=1/x", "openai:a=-1/1", "=1/1/1"} {
		t.Setenv("LLM_PRICES", bad)
		_, err := config.Load()
		require.ErrorContains(t, err, "LLM_PRICES", bad)
	}
}

// Proves: S-settings
func TestSecretsAreNeverShown(t *testing.T) {
	t.Setenv("ADMIN_KEY", "hunter2")
	t.Setenv("DATABASE_URL", "postgres://u:hunter2@h/d")
	c, err := config.Load()
	require.NoError(t, err)
	for _, s := range c.Settings() {
		require.NotContains(t, s.Value, "hunter2", s.Name)
		require.NotEmpty(t, s.Name, "every field is a setting")
		require.NotEmpty(t, s.Doc, "%s needs a doc", s.Name)
	}
}

func TestExampleAndReadmeAreUpToDate(t *testing.T) {
	example, err := os.ReadFile("../../../.env.example")
	require.NoError(t, err)
	require.Equal(t, config.Example(), string(example), "run make gen")
	readme, err := os.ReadFile("../../../README.md")
	require.NoError(t, err)
	require.Contains(t, string(readme), config.Table(), "run make gen")
}
