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
func TestTheCellGetsNoSecretButItsOwn(t *testing.T) {
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
