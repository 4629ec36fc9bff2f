package security

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

// patterns are the forms of secrets that could be committed by mistake.
var patterns = map[string]*regexp.Regexp{
	"a Stripe key":        regexp.MustCompile(`\b[sr]k_(live|test)_[0-9A-Za-z]{20,}`),
	"a webhook secret":    regexp.MustCompile(`\bwhsec_[0-9A-Za-z+/]{32,}`),
	"a private key":       regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY`),
	"a keyring key":       regexp.MustCompile(`\bk[0-9]+:[0-9A-Za-z+/_-]{43}=?`),
	"an OpenAI key":       regexp.MustCompile(`\bsk-(proj-)?[0-9A-Za-z_-]{32,}`),
	"a GitHub token":      regexp.MustCompile(`\b(gh[pousr]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z_]{60,})`),
	"an AWS key":          regexp.MustCompile(`\b(AKIA|ASIA)[0-9A-Z]{16}\b`),
	"an X access token":   regexp.MustCompile(`\b[0-9]{8,20}-[0-9A-Za-z]{40}\b`),
	"a password in a URL": regexp.MustCompile(`\b(postgres|postgresql|smtp|smtps|https?)://[^\s:/@$<{"'` + "`" + `]+:[^\s/@$<{"'` + "`" + `]{12,}@`),
	"an npm token":        regexp.MustCompile(`\bnpm_[0-9A-Za-z]{36}\b|_authToken=[0-9A-Za-z]`),
	"a session token":     regexp.MustCompile(`\b(session|Bearer)[= ][0-9A-Za-z_-]{43}\b`),
}

// madeUp are the prefixes of texts that look like a secret and are none.
var madeUp = []string{
	"k1:AAECAwQF",     // the bytes 0, 1, 2 …
	"http://canary",   // a canary
	"sk_test_canary",  // a canary
	"sk_test_sandbox", // of the sandbox
	"whsec_sandbox",   // of the sandbox
	"sk_test_crash",   // of a crash test
	"370773112-Gm",    // the example in X's documentation
}

// Proves: V13.3.1
func TestV13_3_1_NoTrackedFileHoldsASecret(t *testing.T) {
	t.Parallel()
	list := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	names, err := list.Output()
	require.NoError(t, err)
	var read atomic.Int32
	var reading errgroup.Group
	reading.SetLimit(runtime.GOMAXPROCS(0))
	for name := range strings.SplitSeq(strings.TrimRight(string(names), "\x00"), "\x00") {
		reading.Go(func() error {
			text, err := os.ReadFile(filepath.Join(root, name))
			if err == nil && !isBinary(text) { // it may have been removed just now, or be an image
				read.Add(1)
				search(t, name, string(text))
			}
			return nil
		})
	}
	require.NoError(t, reading.Wait())
	require.Greater(t, int(read.Load()), 500)
}

func search(t *testing.T, name, text string) {
	t.Helper()
	for what, pattern := range patterns {
		for _, line := range pattern.FindAllString(text, -1) {
			if !knownAsMadeUp(line) {
				t.Errorf("%s contains what looks like %s: %s…", name, what, line[:12])
			}
		}
	}
}

func isBinary(text []byte) bool { return strings.ContainsRune(string(text[:min(len(text), 8000)]), 0) }

func knownAsMadeUp(line string) bool {
	return slices.ContainsFunc(madeUp, func(beginning string) bool { return strings.HasPrefix(line, beginning) })
}
