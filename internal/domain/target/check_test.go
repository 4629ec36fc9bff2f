package target

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPlacesOfChecksStay pins the positions of checks, which stored probes refer to.
func TestPlacesOfChecksStay(t *testing.T) {
	t.Parallel()
	require.Len(t, Files(), 13)
	require.Equal(t, []Check{
		"file:config/target.json", "file:public/favicon.svg", "file:public/og-image.png", "file:public/robots.txt", "file:public/security.txt",
		"file:public/site.webmanifest", "file:public/style.css", "file:templates/error.html", "file:templates/home.html",
		"file:templates/layout.html", "file:templates/posts.html", "file:templates/status.html", "file:worker/rules.json",
		"supervisor", "process", "database", "worker", "page:/", "page:/posts", "page:/og-image.png", "api:/api/bot-status",
	}, Checks())
	for i, check := range Checks() {
		require.Equal(t, Failing(1)<<i, Failed(check), check)
	}
}

func TestChecksReturnsACopy(t *testing.T) {
	t.Parallel()
	Checks()[0] = "another"
	require.Equal(t, FileCheck(FileSettings), Checks()[0])
}

func TestFailing(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		failing Failing
		checks  []Check
		files   []string
		words   string
	}{
		"nothing":              {0, []Check{}, []string{}, ""},
		"an unknown check":     {Failed("another"), []Check{}, []string{}, ""},
		"one file":             {Failed(FileCheck(FileOGImage)), []Check{"file:public/og-image.png"}, []string{FileOGImage}, "the file public/og-image.png"},
		"the same check twice": {Failed(CheckWorker, CheckWorker), []Check{CheckWorker}, []string{}, "the worker"},
		"in the order of the checks": {
			Failed(CheckAPI, CheckDatabase, FileCheck(FileRules), FileCheck(FileHome)),
			[]Check{FileCheck(FileHome), FileCheck(FileRules), CheckDatabase, CheckAPI},
			[]string{FileHome, FileRules},
			"2 of the 13 files, the database and the API",
		},
		"all but the files": {
			Failed(Checks()[13:]...), Checks()[13:],
			[]string{},
			"the supervisor, the process, the database, the worker, the page /, the page /posts, the page /og-image.png and the API",
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.checks, tt.failing.Checks())
			require.Equal(t, tt.files, tt.failing.Files())
			require.Equal(t, tt.words, tt.failing.InWords())
			require.Equal(t, len(tt.checks), tt.failing.Count())
			require.Equal(t, len(tt.checks) > 0, tt.failing.Any())
			require.Equal(t, len(tt.checks) == 0, Sample{Failing: tt.failing}.Healthy())
			for _, check := range Checks() {
				require.Equal(t, slices.Contains(tt.checks, check), tt.failing.Has(check), check)
			}
		})
	}
}
