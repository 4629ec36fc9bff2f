package bot_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/bot"
)

func TestPostingControlsAfterAChange(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	noon := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	later := noon.Add(time.Hour)
	paused := bot.PostingControls{PausedAt: &noon, PausedBy: "grace", PauseReason: "a storm"}
	for name, tt := range map[string]struct {
		was    bot.PostingControls
		change bot.ControlsChange
		is     bot.PostingControls
	}{
		"paused":                       {bot.PostingControls{}, bot.ControlsChange{Paused: &yes, Reason: " too\nloud.. "}, bot.PostingControls{PausedAt: &later, PausedBy: "ada", PauseReason: "too loud"}},
		"paused without a reason":      {bot.PostingControls{}, bot.ControlsChange{Paused: &yes}, bot.PostingControls{PausedAt: &later, PausedBy: "ada"}},
		"paused again: as it was":      {paused, bot.ControlsChange{Paused: &yes}, paused},
		"paused for the same reason":   {paused, bot.ControlsChange{Paused: &yes, Reason: "a storm."}, paused},
		"paused for another reason":    {paused, bot.ControlsChange{Paused: &yes, Reason: "a flood"}, bot.PostingControls{PausedAt: &later, PausedBy: "ada", PauseReason: "a flood"}},
		"resumed":                      {paused, bot.ControlsChange{Paused: &no, Reason: "over"}, bot.PostingControls{}},
		"approval alone: still paused": {paused, bot.ControlsChange{Approval: &yes}, bot.PostingControls{Approval: true, PausedAt: &noon, PausedBy: "grace", PauseReason: "a storm"}},
		"a reason alone says nothing":  {bot.PostingControls{Approval: true}, bot.ControlsChange{Reason: "why"}, bot.PostingControls{Approval: true}},
		"approval dropped":             {bot.PostingControls{Approval: true}, bot.ControlsChange{Approval: &no}, bot.PostingControls{}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.is, tt.was.After(tt.change, "ada", later))
		})
	}
}

// TestWrongKeysAreNamed checks that a refusal names the fields, never a value.
func TestWrongKeysAreNamed(t *testing.T) {
	t.Parallel()
	for named, keys := range map[string]bot.Keys{
		"clientId":               {ConsumerKey: "a b", ConsumerSecret: "fine"},
		"clientSecret":           {ConsumerKey: "fine", ConsumerSecret: ""},
		"clientId, clientSecret": {ConsumerKey: strings.Repeat("a", 501), ConsumerSecret: "é"},
	} {
		require.EqualError(t, bot.CheckKeys(keys), "Nothing was changed, because these are not valid X keys: "+named+". See details.")
	}
	require.NoError(t, bot.CheckKeys(bot.Keys{ConsumerKey: "fine", ConsumerSecret: "fine"}))
}
