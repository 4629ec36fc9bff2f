package bot_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/bot"
)

func TestBrakesAfterAChange(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	noon := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	later := noon.Add(time.Hour)
	paused := bot.Brakes{PausedAt: &noon, PausedBy: "grace", PauseReason: "a storm"}
	for name, tt := range map[string]struct {
		was    bot.Brakes
		change bot.BrakeChange
		is     bot.Brakes
	}{
		"paused":                       {bot.Brakes{}, bot.BrakeChange{Paused: &yes, Reason: " too\nloud.. "}, bot.Brakes{PausedAt: &later, PausedBy: "ada", PauseReason: "too loud"}},
		"paused without a reason":      {bot.Brakes{}, bot.BrakeChange{Paused: &yes}, bot.Brakes{PausedAt: &later, PausedBy: "ada"}},
		"paused again: as it was":      {paused, bot.BrakeChange{Paused: &yes}, paused},
		"paused for the same reason":   {paused, bot.BrakeChange{Paused: &yes, Reason: "a storm."}, paused},
		"paused for another reason":    {paused, bot.BrakeChange{Paused: &yes, Reason: "a flood"}, bot.Brakes{PausedAt: &later, PausedBy: "ada", PauseReason: "a flood"}},
		"let go on":                    {paused, bot.BrakeChange{Paused: &no, Reason: "over"}, bot.Brakes{}},
		"approval alone: still paused": {paused, bot.BrakeChange{Approval: &yes}, bot.Brakes{Approval: true, PausedAt: &noon, PausedBy: "grace", PauseReason: "a storm"}},
		"a reason alone says nothing":  {bot.Brakes{Approval: true}, bot.BrakeChange{Reason: "why"}, bot.Brakes{Approval: true}},
		"approval dropped":             {bot.Brakes{Approval: true}, bot.BrakeChange{Approval: &no}, bot.Brakes{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.is, tt.was.After(tt.change, "ada", later))
		})
	}
}
