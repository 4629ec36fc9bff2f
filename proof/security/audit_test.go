package security

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	npmClean  = "echo 'found 0 vulnerabilities'"
	npmClosed = "echo 'npm warn audit 405 Method Not Allowed - POST https://registry.npmjs.org/-/npm/v1/security/audits/quick'\n" +
		"echo 'npm error audit endpoint returned an error' >&2\nexit 1"
	npmAway  = "echo 'npm error code ENOTFOUND' >&2\nexit 1"
	npmFinds = "printf '# npm audit report\\n\\nlodash  <4.17.21\\nSeverity: high\\n'\nexit 1"
	npmFails = "echo 'npm error code EUSAGE' >&2\nexit 1"
)

// The script contacts no database here: its tools are replaced by scripts.
// Proves: V15.2.1
func TestAuditResults(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		database     int // status that Go's database answers; 0 if it cannot be reached
		vulncheck    string
		npm          string
		code         int
		want, absent string
	}{
		"no known vulnerabilities":                       {200, `[ "$1 $3" = "-db -C" ] || exit 9`, npmClean, 0, "audit: no known vulnerabilities\n", "NOT CHECKED"},
		"an entry for a module":                          {200, "echo 'Vulnerability #1: GO-2026-0001'; exit 3", npmClean, 1, "known vulnerabilities in: . internal/platform/temporal/temporald tools/caddy", "audit: no known vulnerabilities\n"},
		"an entry for a package":                         {200, "exit 0", npmFinds, 1, "Severity: high", "audit: no known vulnerabilities\n"},
		"an entry for a package, and no database for Go": {0, "exit 99", npmFinds, 1, "Go modules: NOT CHECKED", "audit: no known vulnerabilities\n"},
		"no database for Go":                             {0, "exit 99", npmClean, 0, "not checked: Go modules\n", "audit: no known vulnerabilities\n"},
		"a database that refuses":                        {403, "exit 99", npmClean, 0, "Go modules: NOT CHECKED", "audit: no known vulnerabilities\n"},
		"no database for npm":                            {200, "exit 0", npmClosed, 0, "not checked: packages of ui packages of tools/lighthouse", "audit: no known vulnerabilities\n"},
		"no network at all":                              {0, "exit 99", npmAway, 0, "not checked: Go modules packages of ui packages of tools/lighthouse", "no known vulnerabilities"},
		"govulncheck fails":                              {200, "exit 1", npmClean, 2, "govulncheck itself failed", "no known vulnerabilities"},
		"npm fails":                                      {200, "exit 0", npmFails, 2, "npm itself failed", "audit: no known vulnerabilities\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			audit := exec.CommandContext(t.Context(), "scripts/audit")
			audit.Dir = root
			audit.Env = append(os.Environ(), "GOVULNDB="+database(t, tt.database), "GOVULNCHECK="+tool(t, tt.vulncheck), "NPM="+tool(t, tt.npm))
			output, _ := audit.CombinedOutput()
			require.Equal(t, tt.code, audit.ProcessState.ExitCode(), "%s", output)
			require.Contains(t, string(output), tt.want)
			require.NotContains(t, string(output), tt.absent)
		})
	}
}

func database(t *testing.T, status int) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	if status == 0 {
		server.Close()
	}
	t.Cleanup(server.Close)
	return server.URL
}

func tool(t *testing.T, does string) string {
	path := filepath.Join(t.TempDir(), "tool")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+does+"\n"), 0o600))
	require.NoError(t, os.Chmod(path, 0o700))
	return path
}

// Installed packages are the reviewed ones: exact versions, each with its digest.
// Proves: V15.2.1
func TestPackagesArePinned(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"ui", "tools/lighthouse"} {
		var wanted struct{ Dependencies, DevDependencies map[string]string }
		readJSON(t, filepath.Join(root, folder, "package.json"), &wanted)
		for _, versions := range []map[string]string{wanted.Dependencies, wanted.DevDependencies} {
			for name, version := range versions {
				require.Regexp(t, `^(npm:[a-z0-9@/-]+@)?[0-9]+\.[0-9]+\.[0-9]+([-+].+)?$`, version, "%s of %s", name, folder)
			}
		}
		var lock struct {
			Packages map[string]struct{ Resolved, Integrity string }
		}
		readJSON(t, filepath.Join(root, folder, "package-lock.json"), &lock)
		require.NotEmpty(t, lock.Packages)
		for name, p := range lock.Packages {
			if name == "" { // our own package
				continue
			}
			require.True(t, strings.HasPrefix(p.Integrity, "sha512-"), "%s of %s has no digest", name, folder)
			if p.Resolved != "" { // otherwise it comes from the configured registry
				require.True(t, strings.HasPrefix(p.Resolved, "https://registry.npmjs.org/"), "%s of %s comes from %s", name, folder, p.Resolved)
			}
		}
	}
}

func readJSON(t *testing.T, path string, into any) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, into))
}
