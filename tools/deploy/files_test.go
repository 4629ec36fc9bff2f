package deploy_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

func TestWhateverIsMountedIsThere(t *testing.T) {
	t.Parallel()
	for name, s := range load(t).Services {
		for _, volume := range s.Volumes {
			if volume.Type != types.VolumeTypeBind {
				continue
			}
			require.True(t, volume.ReadOnly, "%s can write %s", name, volume.Source)
			require.FileExists(t, firstFile(t, volume.Source), "%s needs %s", name, volume.Source)
		}
		for _, script := range s.Entrypoint {
			if strings.HasSuffix(script, ".sh") {
				require.NoError(t, exec.Command("sh", "-n", filepath.Join(root, "deploy/temporal", filepath.Base(script))).Run(), script)
			}
		}
	}
}

// firstFile returns the file, or the first one of the directory.
func firstFile(t *testing.T, path string) string {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	if !info.IsDir() {
		return path
	}
	entries, err := os.ReadDir(path)
	require.NoError(t, err)
	require.NotEmpty(t, entries, path)
	return firstFile(t, filepath.Join(path, entries[0].Name()))
}

func TestInitMakesEverySecretAndNoOther(t *testing.T) {
	t.Parallel()
	dir := initialized(t)
	project := loadFrom(t, dir)
	made, err := os.ReadDir(filepath.Join(dir, "deploy/secrets"))
	require.NoError(t, err)
	require.Len(t, made, len(project.Secrets))
	for name, secret := range project.Secrets {
		require.FileExists(t, secret.File)
		require.Equal(t, name, filepath.Base(secret.File))
	}
}

// Proves: V13.3.2
func TestSecretsAreReadByContainersAndByNobodyElse(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(initialized(t), "deploy/secrets")
	place, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), place.Mode().Perm())
	made, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, file := range made {
		info, err := file.Info()
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o644), info.Mode().Perm(), "containers read it as another user: %s", file.Name())
	}
}

func TestInitNeverTouchesWhatIsThere(t *testing.T) {
	t.Parallel()
	dir := initialized(t)
	first := secretsOf(t, dir)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "deploy/secrets/smtp_url"), []byte("smtp://hunter2"), 0o600))
	require.NoError(t, os.Remove(filepath.Join(dir, "deploy/secrets/database_url")))
	output := runInit(t, dir)
	require.NotContains(t, output, "hunter2")
	require.NotContains(t, output, first["postgres_password"])
	second := secretsOf(t, dir)
	require.Equal(t, "smtp://hunter2", second["smtp_url"])
	second["smtp_url"] = ""
	require.Equal(t, first, second, "the database URL is created again with the existing password")
	require.Contains(t, first["database_url"], ":"+first["postgres_password"]+"@postgres:5432/")

	other := secretsOf(t, initialized(t))
	for name, secret := range first {
		if secret != "" {
			require.NotEqual(t, secret, other[name], "%s is the same in two deployments", name)
			require.GreaterOrEqual(t, len(secret), 32, name)
		}
	}
}

func secretsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "deploy/secrets/*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	secrets := map[string]string{}
	for _, file := range files {
		text := read(t, file)
		secrets[filepath.Base(file)] = text
	}
	return secrets
}

func TestWithoutInitTheFilesThatAreMissingAreNamed(t *testing.T) {
	t.Parallel()
	dir := initialized(t)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "deploy/secrets")))
	for name, secret := range loadFrom(t, dir).Secrets { // Docker names files that it cannot mount
		require.NoFileExists(t, secret.File)
		require.Equal(t, filepath.Join(dir, "deploy/secrets", name), secret.File)
	}
}

// Proves: V13.3.1
func TestSecretsAreNeverCommitted(t *testing.T) {
	t.Parallel()
	require.Contains(t, strings.Split(read(t, root, ".gitignore"), "\n"), "/deploy/secrets/")
}

func TestPrometheusAsksEveryReplicaAndNobodyElse(t *testing.T) {
	t.Parallel()
	var settings struct {
		Jobs []struct {
			Name    string `yaml:"job_name"`
			Targets []struct {
				Targets []string `yaml:"targets"`
			} `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, root, "deploy/prometheus/prometheus.yml")), &settings))
	services, jobs, scraped := load(t).Services, map[string][]string{}, map[string]bool{}
	for _, job := range settings.Jobs {
		jobs[job.Name] = job.Targets[0].Targets
		for _, target := range job.Targets[0].Targets {
			host, port, _ := strings.Cut(target, ":")
			if host == "localhost" {
				continue // Prometheus
			}
			require.Contains(t, services, host)
			scraped[host] = true
			shared := slices.ContainsFunc(slices.Collect(maps.Keys(services[host].Networks)), func(network string) bool {
				_, shared := services["prometheus"].Networks[network]
				return shared
			})
			require.True(t, shared, "prometheus cannot reach %s", host)
			if address := value(services[host], "OPS_ADDR"); address != "" {
				require.Equal(t, address, ":"+port, host)
			}
		}
	}
	require.Equal(t, map[string][]string{
		"api": {"api-1:9090", "api-2:9090"}, "worker": {"worker-1:9090", "worker-2:9090"}, "target": {"target:9090"},
		"temporal": {"temporal:8000"}, "prometheus": {"localhost:9090"},
	}, jobs)
	for name, s := range services {
		require.Equal(t, value(s, "OPS_ADDR") != "" || name == "temporal", scraped[name], "prometheus and %s", name)
	}
}

func TestGrafanaFindsItsDashboardsWhereTheyAreMounted(t *testing.T) {
	t.Parallel()
	place := found(t, `path: (\S+)`, read(t, root, "deploy/grafana/provisioning/dashboards/customerzero.yml"))
	require.True(t, slices.ContainsFunc(load(t).Services["grafana"].Volumes, func(v types.ServiceVolumeConfig) bool {
		return v.Target == strings.TrimSuffix(place, " }") && strings.HasSuffix(v.Source, "deploy/grafana/dashboards")
	}))
}
