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

// looks are how secrets look that somebody might commit.
var looks = map[string]*regexp.Regexp{
	"a key of Stripe's":          regexp.MustCompile(`\b[sr]k_(live|test)_[0-9A-Za-z]{20,}`),
	"a secret of a webhook":      regexp.MustCompile(`\bwhsec_[0-9A-Za-z+/]{32,}`),
	"a private key":              regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY`),
	"a key of a ring":            regexp.MustCompile(`\bk[0-9]+:[0-9A-Za-z+/_-]{43}=?`),
	"a key of OpenAI's":          regexp.MustCompile(`\bsk-(proj-)?[0-9A-Za-z_-]{32,}`),
	"a token of GitHub's":        regexp.MustCompile(`\b(gh[pousr]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z_]{60,})`),
	"a key of Amazon's":          regexp.MustCompile(`\b(AKIA|ASIA)[0-9A-Z]{16}\b`),
	"an access token of X's":     regexp.MustCompile(`\b[0-9]{8,20}-[0-9A-Za-z]{40}\b`),
	"a password in an address":   regexp.MustCompile(`\b(postgres|postgresql|smtp|smtps|https?)://[^\s:/@$<{"'` + "`" + `]+:[^\s/@$<{"'` + "`" + `]{12,}@`),
	"a token of npm's":           regexp.MustCompile(`\bnpm_[0-9A-Za-z]{36}\b|_authToken=[0-9A-Za-z]`),
	"a token of one of sessions": regexp.MustCompile(`\b(session|Bearer)[= ][0-9A-Za-z_-]{43}\b`),
}

// madeUp are how what looks like a secret, and is none, begins.
var madeUp = []string{
	"k1:AAECAwQF",     // the bytes 0, 1, 2 …
	"http://canary",   // planted, to be searched for
	"sk_test_canary",  // the same
	"sk_test_sandbox", // of the stand-in
	"whsec_sandbox",   // the same
	"sk_test_torture", // of a torture
	"370773112-Gm",    // the example of X's documentation
}

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
			if err == nil && !isBinary(text) { // or it was just removed, or is a picture
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
	for what, look := range looks {
		for _, line := range look.FindAllString(text, -1) {
			if !knownAsMadeUp(line) {
				t.Errorf("%s holds what looks like %s: %s…", name, what, line[:12])
			}
		}
	}
}

func isBinary(text []byte) bool { return strings.ContainsRune(string(text[:min(len(text), 8000)]), 0) }

func knownAsMadeUp(line string) bool {
	return slices.ContainsFunc(madeUp, func(beginning string) bool { return strings.HasPrefix(line, beginning) })
}
