package experiment

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSlug(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		number      int
		title, want string
	}{
		{1, "Public experiments page", "001-public-experiments-page"},
		{14, "日本語のタイトル", "014-experiment"},
		{15, "🎉🎉🎉🎉🎉", "015-experiment"},
		{2, "Crème brûlée à la Zoë", "002-creme-brulee-a-la-zoe"},
		{3, "Don't say “don’t”!", "003-dont-say-dont"},
		{4, "../../etc/passwd?<script>&x=1", "004-etc-passwd-script-x-1"},
		{1234, "  Many   numbers  ", "1234-many-numbers"},
		{5, "日本 and ﬁne", "005-and-fine"},
		{6, strings.Repeat("a", 100), "006-" + strings.Repeat("a", 76)},
		{7, strings.Repeat("word ", 20), "007" + strings.Repeat("-word", 15)},
		{8, "a " + strings.Repeat("b", 98), "008-a"},
	} {
		got := Slug(tt.number, tt.title)
		require.Equal(t, tt.want, got)
		require.LessOrEqual(t, len(got), 80)
		require.Zero(t, ParseKey(got).Number, "a slug is never taken for a number")
	}
}

func TestParseKey(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]Key{
		"1": {Number: 1}, "001": {Number: 1}, "1234": {Number: 1234},
		"001-public-experiments-page": {Slug: "001-public-experiments-page"},
		"d4f8h2c23tq0a1b2c3d4":        {Slug: "d4f8h2c23tq0a1b2c3d4"},
		"0":                           {Slug: "0"}, "-1": {Slug: "-1"}, "+1": {Slug: "+1"}, "": {},
		"99999999999999999999": {Slug: "99999999999999999999"},
		"1' OR '1'='1":         {Slug: "1' OR '1'='1"},
	} {
		require.Equal(t, want, ParseKey(key), key)
	}
}

func TestShownID(t *testing.T) {
	t.Parallel()
	require.Equal(t, "014", ShownID(in(Planning)))
	require.Equal(t, "x", ShownID(in(Waiting)))
}

func TestDay(t *testing.T) {
	t.Parallel()
	at := func(s string) *time.Time {
		moment, err := time.Parse(time.RFC3339, s)
		require.NoError(t, err)
		return &moment
	}
	late, early := at("2026-11-20T23:37:45Z"), at("2026-11-21T00:37:45+01:00")
	for name, tt := range map[string]struct {
		started, ended *time.Time
		now            string
		want           int
	}{
		"before it begins":                   {nil, nil, "2026-11-22T12:00:00Z", 1},
		"at once":                            {late, nil, "2026-11-20T23:37:45Z", 1},
		"a minute before midnight":           {late, nil, "2026-11-20T23:59:59Z", 1},
		"midnight":                           {late, nil, "2026-11-21T00:00:00Z", 2},
		"the third":                          {late, nil, "2026-11-22T12:00:00Z", 3},
		"in another zone":                    {early, nil, "2026-11-22T00:30:00+01:00", 2},
		"it ended":                           {late, at("2026-11-21T10:00:00Z"), "2027-11-22T12:00:00Z", 2},
		"it ends later than it is looked at": {late, at("2026-12-21T10:00:00Z"), "2026-11-22T12:00:00Z", 3},
		"a clock that was set back":          {late, nil, "2026-11-18T12:00:00Z", 1},
	} {
		require.Equal(t, tt.want, Day(tt.started, tt.ended, *at(tt.now)), name)
	}
	for date, want := range map[string]int{
		"2026-11-20": 1, "2026-11-21": 2, "2026-11-22": 3, "2026-11-19": 0, "2026-11-10": -9, "2027-11-20": 366, "nonsense": 0,
	} {
		require.Equal(t, want, NoteDay(date, late), date)
		require.Equal(t, want, NoteDay(date, early), date)
	}
	require.Zero(t, NoteDay("2026-11-20", nil), "it has not begun")
}

func TestSimilar(t *testing.T) {
	t.Parallel()
	var lab []Experiment
	for _, title := range []string{
		"Public experiments page", "Emoji reactions on posts", "A page for every run", "Public experiment pages in German",
		"Experiments that are public", "Public experiments pages, again", "Dark mode",
	} {
		lab = append(lab, Experiment{Title: title})
	}
	for typed, want := range map[string][]string{
		"public experiment": {"Public experiments page", "Public experiments pages, again", "Public experiment pages in German"},
		"PUBLIC  exper":     {"Public experiments page", "Public experiments pages, again", "Public experiment pages in German"},
		"emoji":             {"Emoji reactions on posts"},
		"Reactions (emoji)": {"Emoji reactions on posts"},
		"dark":              {"Dark mode"},
		"dar":               nil,
		"":                  nil,
		"weather forecasts": nil,
	} {
		var found []string
		for _, e := range Similar(typed, lab) {
			found = append(found, e.Title)
		}
		require.Equal(t, want, found, typed)
	}
	require.Empty(t, Similar("public experiment", nil))
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	require.Equal(t, Canonical("Cafés  of Zürich"), Canonical(" CAFE\u0301S OF\nzürich "))
	require.NotEqual(t, Canonical("Cafes"), Canonical("Cafés"))
}
