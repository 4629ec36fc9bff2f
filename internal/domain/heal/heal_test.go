package heal

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/target"
)

func TestPulse(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 22, 4, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		beats     string // "." is healthy, "x" is not
		unhealthy bool
		since     int // which beat was the first that failed; -1: none
	}{
		"no probe yet":                             {"", false, -1},
		"healthy":                                  {"...", false, -1},
		"one miss, at first":                       {"x", false, 0},
		"one lost answer":                          {"..x", false, 2},
		"two misses, before there were three":      {"xx", true, 0},
		"two misses in a row":                      {".xx", true, 1},
		"two misses of three":                      {"x.x", true, 0},
		"two misses, then healthy":                 {"xx.", true, 0},
		"two misses of four":                       {"x..x", false, 3},
		"unhealthy for long: the last three count": {"xxxxx", true, 2},
		"healthy again":                            {"xxx..", false, 2},
		"healthy for long":                         {"xxx...", false, -1},
	} {
		t.Run(name, func(t *testing.T) {
			var p Pulse
			for i, beat := range tt.beats {
				s := target.Sample{At: start.Add(time.Duration(i) * target.ProbeEvery)}
				if beat == 'x' {
					s.Failing = target.Failed(target.CheckAPI)
				}
				p = p.Beat(s)
				require.Equal(t, s.Failing, p.Last[0], "the newest comes first")
			}
			require.Equal(t, tt.unhealthy, p.Unhealthy())
			var since time.Time
			if tt.since >= 0 {
				since = start.Add(time.Duration(tt.since) * target.ProbeEvery)
			}
			require.Equal(t, since, p.Since())
		})
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	image, rules := target.FileCheck(target.FileOGImage), target.FileCheck(target.FileRules)
	for name, tt := range map[string]struct {
		failing []target.Check
		round   int
		want    []Step
	}{
		"nothing fails":                               {nil, 1, nil},
		"nothing fails, late":                         {nil, 3, nil},
		"a file, and the page that needs it":          {[]target.Check{target.CheckOGImage, image}, 1, []Step{{RestoreFiles, []string{target.FileOGImage}}}},
		"a file, again":                               {[]target.Check{target.CheckOGImage, image}, 2, []Step{{RestoreFiles, []string{target.FileOGImage}}}},
		"the rules, and the worker":                   {[]target.Check{rules, target.CheckWorker}, 1, []Step{{RestoreFiles, []string{target.FileRules}}}},
		"the database, and what needs it":             {[]target.Check{target.CheckDatabase, target.CheckAPI, target.CheckPosts}, 1, []Step{{Kind: RestoreDatabase}}},
		"the process":                                 {[]target.Check{target.CheckProcess, target.CheckHome, target.CheckWorker}, 1, []Step{{Kind: Restart}}},
		"the process and the database: one new start": {[]target.Check{target.CheckProcess, target.CheckDatabase}, 1, []Step{{Kind: RestoreDatabase}}},
		"a file and the process":                      {[]target.Check{image, target.CheckProcess}, 1, []Step{{RestoreFiles, []string{target.FileOGImage}}, {Kind: Restart}}},
		"everything but the supervisor": {
			[]target.Check{image, rules, target.CheckProcess, target.CheckDatabase, target.CheckHome, target.CheckWorker},
			1,
			[]Step{{RestoreFiles, []string{target.FileOGImage, target.FileRules}}, {Kind: RestoreDatabase}},
		},
		"a page only, at first":                           {[]target.Check{target.CheckHome}, 1, nil},
		"a page only, again":                              {[]target.Check{target.CheckHome}, 2, []Step{{Kind: Restart}}},
		"the worker only, again":                          {[]target.Check{target.CheckWorker}, 2, []Step{{Kind: Restart}}},
		"the API only, a third time":                      {[]target.Check{target.CheckAPI}, 3, []Step{{Kind: Restart}}},
		"the supervisor is silent":                        {[]target.Check{target.CheckSupervisor}, 3, nil},
		"the supervisor is silent, and so all is unknown": {target.Checks(), 3, nil},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, Plan(target.Failed(tt.failing...), tt.round))
		})
	}
}

func TestAlarm(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		failing target.Failing
		steps   []Repair
		want    string
	}{
		"nothing could be done": {
			target.Failed(target.CheckSupervisor), nil,
			"The chaos target is still unhealthy. Failed checks: the supervisor. There was nothing for the healer to repair.",
		},
		"several things, some in vain": {
			target.Failed(target.CheckDatabase, target.FileCheck(target.FileHome)),
			[]Repair{
				{Kind: RestoreFiles},
				{Kind: RestoreDatabase, Error: "open /var/lib/target: no space left"},
				{Kind: RestoreFiles, Error: "no"},
				{Kind: RestoreFiles, Error: "no"},
				{Kind: Restart},
			},
			"The chaos target is still unhealthy. Failed checks: the file templates/home.html and the database. " +
				"The healer restored files 3 times (2 failed), restored the database once (failed) and restarted the process once.",
		},
		"all in vain": {
			target.Failed(target.CheckProcess),
			[]Repair{{Kind: Restart, Error: "no"}, {Kind: Restart, Error: "no"}},
			"The chaos target is still unhealthy. Failed checks: the process. The healer restarted the process 2 times (all failed).",
		},
		"healthy at the moment": {0, []Repair{{Kind: Restart}}, "The chaos target was unhealthy for too long. The healer restarted the process once."},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, Alarm(tt.failing, tt.steps))
		})
	}
}
