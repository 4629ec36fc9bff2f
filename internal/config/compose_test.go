package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"customerzero/internal/config"
)

type composeFile struct {
	App struct {
		Environment map[string]string `yaml:"environment"`
	} `yaml:"x-app"`
	Services map[string]struct {
		Image       string            `yaml:"image"`
		Restart     string            `yaml:"restart"`
		Ports       []string          `yaml:"ports"`
		Environment map[string]string `yaml:"environment"`
	} `yaml:"services"`
}

func TestComposeSpeaksOfSettingsThatExist(t *testing.T) {
	t.Parallel()

	text, err := os.ReadFile("../../docker-compose.yml")
	require.NoError(t, err)
	var compose composeFile
	require.NoError(t, yaml.Unmarshal(text, &compose))

	var known []string
	for _, s := range (config.Config{}).Settings() {
		known = append(known, s.Name)
	}
	require.NotEmpty(t, compose.App.Environment)
	for name := range compose.App.Environment {
		require.Contains(t, known, name)
	}
	for _, name := range []string{"postgres", "temporal", "temporal-ui", "api", "worker", "cell"} {
		require.Contains(t, compose.Services, name)
	}
	for name, service := range compose.Services {
		require.NotEmpty(t, service.Restart, name)
		require.False(t, strings.HasSuffix(service.Image, ":latest"), name)
		require.Contains(t, service.Image, ":", "%s has no tag", name)
		for _, port := range service.Ports {
			require.True(t, strings.HasPrefix(port, "127.0.0.1:"), "%s is published to strangers", name)
		}
	}
}

func TestTheCellGetsNoSecretButItsOwn(t *testing.T) {
	t.Parallel()

	text, err := os.ReadFile("../../docker-compose.yml")
	require.NoError(t, err)
	var compose composeFile
	require.NoError(t, yaml.Unmarshal(text, &compose))
	given := compose.Services["cell"].Environment
	require.Contains(t, given, "CELL_KEY")
	for _, s := range (config.Config{}).Settings() {
		if s.Secret && s.Name != "CELL_KEY" {
			require.NotContains(t, given, s.Name)
		}
	}
	require.Equal(t, compose.App.Environment["CELL_KEY"], given["CELL_KEY"], "the worker has another key")
}
