package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"customerzero/internal/platform/config"
)

func TestDefaultsRunOnALaptop(t *testing.T) {
	c, err := config.Load()
	require.NoError(t, err)
	require.True(t, c.SQLite())
	require.True(t, c.XSandbox())
	require.True(t, strings.HasPrefix(c.Addr, "127.0.0.1:"), "by default only this machine is served")
}

// Proves: S-settings
func TestBadSettingsAreNamedAndNotRepeated(t *testing.T) {
	for name, value := range map[string]string{
		"ADDR": "hunter2", "PUBLIC_URL": "ftp://hunter2", "X_BASE_URL": "hunter2", "TRUSTED_PROXIES": "hunter2",
		"LLM_PRICES": "openai:hunter2", "STRIPE_SANDBOX_HOOK": "hunter2", "STRIPE_SECRET_KEY": "hunter2", "STRIPE_DEMO_KEY": "hunter2",
		"CHAOS_TARGET_ADDR": "hunter2", "CHAOS_TARGET_CONTROL_ADDR": "hunter2", "CHAOS_TARGET_URL": "hunter2", "CHAOS_TARGET_CONTROL_URL": "hunter2",
		"OPS_ADDR": "hunter2", "OTEL_EXPORTER_OTLP_ENDPOINT": "hunter2", "WORKER_DEPLOYMENT": "hunter2:a",
		"VERIFY_SITES": "https://hunter2/", "VERIFY_DIAL": "hunter2",
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			_, err := config.Load()
			require.ErrorContains(t, err, name+" must be ")
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestBadOptionsNumbersAndDurationsAreExplained(t *testing.T) {
	for _, tt := range []struct{ name, value, says string }{
		{"LOG_LEVEL", "wran", `LOG_LEVEL is "wran", but must be debug, info, warn or error. Did you mean "warn"?`},
		{"LOG_LEVEL", "loud", `LOG_LEVEL is "loud", but must be debug, info, warn or error.`},
		{"LOG_FORMAT", "jsno", `LOG_FORMAT is "jsno", but must be text or json. Did you mean "json"?`},
		{"EXPERIMENT_REVIEW", "visitor", `EXPERIMENT_REVIEW is "visitor", but must be all, visitors or none. Did you mean "visitors"?`},
		{"GAME_DAY", "daily", `GAME_DAY is "daily", but must be off or a cron schedule, such as 0 10 * * 1-5.`},
		{"VERIFY_EVERY", "59s", `VERIFY_EVERY is "59s", but must be off, or between 1m and 24h.`},
		{"VISION_MODEL", "builtn", `VISION_MODEL is "builtn", but must be one of LLM_MODELS: builtin. Did you mean "builtin"?`},
		{"PRICE_FLOOR_CENTS", "49", "PRICE_FLOOR_CENTS is 49, but must be between 50, the lowest amount that Stripe charges, and 900, the list price"},
		{"PRICE_FLOOR_CENTS", "$6", `PRICE_FLOOR_CENTS is "$6", but must be a whole number`},
		{"DISCOUNT_BUDGET_CENTS", "-1", "DISCOUNT_BUDGET_CENTS is -1, but must be 0 or more"},
		{"DATABASE_CONNECTIONS", "1", "DATABASE_CONNECTIONS is 1, but must be between 2 and 200"},
		{"TRACE_SHARE", "1.1", "TRACE_SHARE is 1.1, but must be between 0 and 1"},
		{"TRACE_SHARE", "NaN", "TRACE_SHARE is NaN, but must be between 0 and 1"},
		{"GAME_DAY", "@every 1s", `GAME_DAY is "@every 1s", but must be off or a cron schedule, such as 0 10 * * 1-5.`},
		{"ADDR", "127.0.0.1:99999", "ADDR must be host:port, such as 127.0.0.1:8080"},
		{"OPS_ADDR", ":http", "OPS_ADDR must be host:port, such as 127.0.0.1:8080"},
		{"X_SANDBOX_ADDR", "127.0.0.1", "X_SANDBOX_ADDR must be host:port, such as 127.0.0.1:8080"},
		{"SMTP_SANDBOX_ADDR", "127.0.0.1:-1", "SMTP_SANDBOX_ADDR must be host:port, such as 127.0.0.1:8080"},
		{"FOUNDERS", "ada, grace hopper", "FOUNDERS must be a list of X handles, such as ada,grace"},
		{"FOUNDERS", "@ada,https://x.com/grace", "FOUNDERS must be a list of X handles, such as ada,grace"},
		{"OFFER_LIFE", "soon", `OFFER_LIFE is "soon", but must be a duration such as 90s, 15m or 2h`},
		{"TRACE_SHARE", "all", `TRACE_SHARE is "all", but must be a number such as 0.5`},
		{"DEV_LOGIN", "yes", `DEV_LOGIN is "yes", but must be 0 or 1`},
		{"DRAIN_DELAY", "61s", "DRAIN_DELAY is 1m1s, but must be between 0s and 1m"},
		{"DRAIN_DELAY", "5", `DRAIN_DELAY is "5", but must be a duration such as 90s, 15m or 2h`},
		{"POST_SEND_TIMEOUT", "1h", "POST_SEND_TIMEOUT is 1h0m0s, but must be between 100ms and 1m"},
		{"CHAOS_LEASE", "11m", "CHAOS_LEASE is 11m0s, but must be between 1s and 10m"},
		{"VERIFY_TIMEOUT", "4s", "VERIFY_TIMEOUT is 4s, but must be between 5s and 2m"},
		{"RECONCILE_EVERY", "1ms", "RECONCILE_EVERY is 1ms, but must be between 1s and 24h"},
		{"OFFER_LIFE", "1ms", "OFFER_LIFE is 1ms, but must be between 1s and 23h"},
	} {
		t.Run(tt.name+"="+tt.value, func(t *testing.T) {
			t.Setenv(tt.name, tt.value)
			_, err := config.Load()
			require.EqualError(t, err, tt.says)
		})
	}
}

func TestMisspelledSettingsOfAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), ".env")
	require.Empty(t, config.MisspelledIn(file), "there is none")
	require.NoError(t, os.WriteFile(file, []byte("# POST_SEND_TIMOUT=1s\nSITE=bot.example.com\nEDGE_BIND=0.0.0.0\n\nexport POST_SEND_TIMOUT = 10s\nLOG_LEVEL=info\nADRR=:1\n"), 0o600))
	require.Equal(t, []string{
		`POST_SEND_TIMOUT in ` + file + ` is not a setting. Did you mean "POST_SEND_TIMEOUT"?`, `ADRR in ` + file + ` is not a setting. Did you mean "ADDR"?`,
	}, config.MisspelledIn(file))
}

func TestMisspelledSettings(t *testing.T) {
	t.Parallel()
	got := config.Misspelled([]string{"PATH=/bin", "LOG_LEVEL=info", "ADMIN_KEY_FILE=/x", "LANG=C", "PUBLIC_ULR=https://hunter2", "DATABASE_URL_FIL=/x", "GOFLAGS=-v", "HOME=/root"})
	require.Equal(t, []string{`PUBLIC_ULR is not a setting. Did you mean "PUBLIC_URL"?`, `DATABASE_URL_FIL is not a setting. Did you mean "DATABASE_URL_FILE"?`}, got)
}

// Proves: S-dev-login
func TestDevLoginIsForOneMachine(t *testing.T) {
	t.Setenv("DEV_LOGIN", "1")
	_, err := config.Load()
	require.NoError(t, err)
	for name, value := range map[string]string{"TRUSTED_PROXIES": "127.0.0.1", "PUBLIC_URL": "https://bot.example.com", "ADDR": "0.0.0.0:8080"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PUBLIC_URL", "http://localhost:8080")
			t.Setenv(name, value)
			_, err := config.Load()
			require.EqualError(t, err, "DEV_LOGIN is true, but must be unset with TRUSTED_PROXIES, or an ADDR or PUBLIC_URL that other machines reach: it lets anyone log in as a founder")
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
	require.ErrorContains(t, err, "OFFER_LIFE", "Stripe's minimum is 30 minutes")
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
	t.Setenv("ADMIN_KEY", "a")
	_, err := config.Load()
	require.EqualError(t, err, "ADMIN_KEY must be at least 16 characters; unset it to let up generate one")
	t.Setenv("ADMIN_KEY", "hunter2-and-16-chars")
	t.Setenv("DATABASE_URL", "postgres://u:hunter2@h/d")
	c, err := config.Load()
	require.NoError(t, err)
	for _, s := range c.Settings() {
		require.NotContains(t, s.Value, "hunter2", s.Name)
		require.NotEmpty(t, s.Name, "every field is a setting")
		require.NotEmpty(t, s.Doc, "%s needs a doc", s.Name)
	}
}

func TestGeneratedDocumentsAreUpToDate(t *testing.T) {
	example, err := os.ReadFile("../../../.env.example")
	require.NoError(t, err)
	require.Equal(t, config.Example(), string(example), "run make gen")
	table, err := os.ReadFile("../../../docs/configuration.md")
	require.NoError(t, err)
	require.Contains(t, string(table), config.Table(), "run make gen")
}

// service is the tested part of a service in docker-compose.yml; tools/deploy tests the rest.
type service struct {
	Image       string            `yaml:"image"`
	Environment map[string]string `yaml:"environment"`
	Secrets     []string          `yaml:"secrets"`
}

// product returns the services that run customerzero.
func product(t *testing.T) map[string]service {
	t.Helper()
	text, err := os.ReadFile("../../../docker-compose.yml")
	require.NoError(t, err)
	var compose struct {
		Services map[string]service `yaml:"services"`
	}
	require.NoError(t, yaml.Unmarshal(text, &compose))
	ours := map[string]service{}
	for name, s := range compose.Services {
		if strings.HasPrefix(s.Image, "customerzero-") {
			ours[name] = s
		}
	}
	for _, name := range []string{"api-1", "api-2", "worker-1", "worker-2", "target", "sandbox", "migrate", "promote"} {
		require.Contains(t, ours, name)
	}
	return ours
}

// inCompose lists all settings as compose names them: a secret by its file.
func inCompose() []string {
	var names []string
	for _, s := range (config.Config{}).Settings() {
		if s.Secret {
			s.Name += config.FileSuffix
		}
		if s.Name != "DEV_LOGIN" { // refused behind a proxy
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	return names
}

func TestComposeKnowsEverySettingAndNoOther(t *testing.T) {
	t.Parallel()
	services, all := product(t), inCompose()
	for _, name := range []string{"api-1", "api-2", "worker-1", "worker-2"} {
		require.Equal(t, all, names(services[name].Environment), name)
	}
	for name, s := range services {
		require.Subset(t, all, names(s.Environment), name)
	}
}

func names(environment map[string]string) []string {
	var all []string
	for name := range environment {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// Proves: V13.3.2
func TestComposeGivesASecretOnlyAsTheFileOfItsName(t *testing.T) {
	t.Parallel()
	for name, s := range product(t) {
		given := []string{}
		for setting, value := range s.Environment {
			if secret, is := strings.CutSuffix(setting, config.FileSuffix); is {
				file := strings.ToLower(secret)
				require.Equal(t, "/run/secrets/"+file, value, "%s of %s", setting, name)
				given = append(given, file)
			}
		}
		require.ElementsMatch(t, s.Secrets, given, "%s mounts a secret that it does not read, or the reverse", name)
	}
}

// Proves: V13.3.2
func TestTheChaosTargetGetsNoSecretButItsOwn(t *testing.T) {
	t.Parallel()
	services := product(t)
	require.Equal(t, []string{"chaos_target_key"}, services["target"].Secrets)
	require.Empty(t, services["sandbox"].Secrets)
	require.Empty(t, services["promote"].Secrets)
	require.Equal(t, []string{"database_url"}, services["migrate"].Secrets)
}

// TestComposeRepeatsNoDefault: an unset setting gets the program's default; a copy in compose could drift.
func TestComposeRepeatsNoDefault(t *testing.T) {
	t.Parallel()
	services := product(t)
	for _, s := range (config.Config{}).Settings() {
		value := services["api-1"].Environment[s.Name]
		if s.Default != "" && strings.HasPrefix(value, "${"+s.Name) {
			require.Contains(t, []string{"${" + s.Name + ":-}", "${" + s.Name + ":-default}"}, value)
		}
	}
}

func TestTheProcessesOfComposeLeaveConnectionsToTheDatabase(t *testing.T) {
	t.Setenv("DATABASE_CONNECTIONS", "")
	c, err := config.Load()
	require.NoError(t, err)
	const server, spare, replicas = 100, 20, 4 // Postgres accepts 100; backups and operators need some
	require.LessOrEqual(t, replicas*c.DatabaseConnections, server-spare)
}
