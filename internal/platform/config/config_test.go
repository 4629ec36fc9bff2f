package config_test

import (
	"os"
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

func TestGeneratedDocumentsAreUpToDate(t *testing.T) {
	example, err := os.ReadFile("../../../.env.example")
	require.NoError(t, err)
	require.Equal(t, config.Example(), string(example), "run make gen")
	table, err := os.ReadFile("../../../docs/configuration.md")
	require.NoError(t, err)
	require.Contains(t, string(table), config.Table(), "run make gen")
}

// service is what matters here of a service of docker-compose.yml; the rest is tested in tools/deploy.
type service struct {
	Image       string            `yaml:"image"`
	Environment map[string]string `yaml:"environment"`
	Secrets     []string          `yaml:"secrets"`
}

// product are the services that run our program.
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

// inCompose are the names of all settings, as compose gives them: a secret as the file it lies in.
func inCompose() []string {
	var names []string
	for _, s := range (config.Config{}).Settings() {
		if s.Secret {
			s.Name += config.FileSuffix
		}
		names = append(names, s.Name)
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
		require.ElementsMatch(t, s.Secrets, given, "%s is given secrets that it does not read, or the reverse", name)
	}
}

// Proves: V13.3.2
func TestTheChaosTargetGetsNoSecretButItsOwn(t *testing.T) {
	t.Parallel()
	services := product(t)
	require.Equal(t, []string{"chaos_target_key"}, services["target"].Secrets)
	require.Empty(t, services["sandbox"].Secrets, "it plays strangers")
	require.Empty(t, services["promote"].Secrets)
	require.Equal(t, []string{"database_url"}, services["migrate"].Secrets)
}

// What the operator leaves out has the program's default, and not one that compose repeats: two
// would drift apart.
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
	const server, spare, replicas = 100, 20, 4 // what Postgres takes, what a backup and people need
	require.LessOrEqual(t, replicas*c.DatabaseConnections, server-spare)
}
