package journeys_test

import "testing"

// TestIdentityJourneys tells endings of the flows around who is who, and of what the bot
// posts with.
func TestIdentityJourneys(t *testing.T) {
	t.Parallel()
	tell(t, map[string]ending{
		"a letter while the mail server is down: sent later":   {"mail-sent", patient, sentLate},
		"a letter that is refused for good: dead":              {"mail-dead", patient, deadLetter},
		"a founder logs in with X: logged in":                  {"x-login-founder", patient, founderLogsIn},
		"a founder says no on X's page: denied":                {"x-login-denied", patient, personSaysNo},
		"the diagnostic of a setup that works: all is well":    {"diagnosis-ok", patient, soundSetup},
		"the diagnostic of a setup that does not: says so":     {"diagnosis-refused", patient, brokenSetup},
		"the bot's tokens: current":                            {"credentials-current", patient, connected},
		"tokens that X does not know: refused":                 {"credentials-refused", patient, refusedTokens},
		"keys of the app that X does not know: refused":        {"provider-keys-refused", patient, refusedKeys},
		"keys of the app that work: current, for a day so far": {"provider-keys-current", patient, newKeys},
	})
}
