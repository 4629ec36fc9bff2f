package run

import "customerzero/internal/domain/problem"

// Why returns the fixed sentence for an error code. The error message may contain personal data and is
// never shown. Unknown codes give Failure.
func Why(code string) string {
	if sentence, known := sentences[problem.Code(code)]; known {
		return sentence
	}
	return Failure
}

// Sentences for failures without a code.
const (
	Failure   = "It failed."
	TookLong  = "It was not done in time."
	Lost      = "Its worker was lost."
	Withdrawn = "It was cancelled."
	Forced    = "It was ended by force."
)

var sentences = map[problem.Code]string{
	problem.Invalid:          "What was asked did not fit.",
	problem.Unauthorized:     "A login was missing.",
	problem.Forbidden:        "It was not allowed.",
	problem.NotFound:         "There was no such thing.",
	problem.Conflict:         "Something else stood in the way.",
	problem.TooLarge:         "It was too large.",
	problem.UnsupportedMedia: "It was of a kind that is not taken.",
	problem.TooMany:          "It was asked too often.",
	problem.Unavailable:      "Something that was needed could not be reached.",
	problem.Internal:         Failure,

	problem.TextEmpty:     "The text was empty.",
	problem.TextTooLong:   "The text was too long.",
	problem.TextInvalid:   "The text could not be posted.",
	problem.TextDuplicate: "The same text was open already.",

	problem.DateInvalid:     "The date could not be read.",
	problem.DateAmbiguous:   "The date happens twice.",
	problem.DatePast:        "The date was past.",
	problem.DateTooFar:      "The date was too far away.",
	problem.TimezoneUnknown: "The time zone was unknown.",
	problem.CSVInvalid:      "The file could not be read.",

	problem.ShareExhausted:   "The share of the month was used up.",
	problem.QuotaExhausted:   "The posts of the month were used up.",
	problem.CreditsExhausted: "The credits were used up.",

	problem.MemberUnknown: "There was no such member.",
	problem.MemberExists:  "There was such a member already.",
	problem.PostArmed:     "The post was being sent.",
	problem.PostClosed:    "The post had come to its end.",
	problem.PostFailed:    "The post could not be sent.",

	problem.CodeWrong:           "The code was wrong.",
	problem.LoginStale:          "The login was too old.",
	problem.CredentialsConflict: "Two logins did not agree.",
	problem.CredentialsInvalid:  "The keys were not accepted.",
	problem.ProviderKeysInvalid: "The app's keys were not accepted.",

	problem.ServiceUnknown:     "There was no such service.",
	problem.AmountWrong:        "The amount was not the price.",
	problem.PaymentUnavailable: "The payment service could not be reached.",
	problem.SignatureInvalid:   "The signature was wrong.",

	problem.RecurringTooOften: "The recurring post was too dense.",
	problem.QueueEmpty:        "Nothing was waiting.",
	problem.ReviewClosed:      "The review was closed.",
	problem.ModelUnknown:      "There was no such model.",
	problem.AnswerUnfit:       "The model's answer did not fit.",
	problem.ModelTrouble:      "The model had trouble.",
	problem.GenerationEnded:   "It had been written already.",

	problem.FaultUnknown:  "There was no such fault.",
	problem.ChaosRunning:  "Another chaos run was under way.",
	problem.IncidentOpen:  "An incident was open.",
	problem.ChaosOff:      "The founders have switched chaos testing off.",
	problem.TargetRefused: "The chaos target's supervisor refused the command.",

	problem.URLRefused:          "It was no page of ours.",
	problem.VerificationRunning: "Another verification was under way.",
	problem.BrowserMissing:      "There was no browser.",
	problem.PageUnreachable:     "The page could not be reached.",
	problem.PageSlow:            "The page was too slow.",
	problem.PageHeavy:           "The page was too heavy.",

	problem.VotesClosed:    "The votes were closed.",
	problem.MoveRefused:    "The experiment could not go there.",
	problem.EditStale:      "Somebody else had changed it.",
	problem.MetricLocked:   "What was promised could not be changed any more.",
	problem.ExperimentDupe: "There was such an experiment already.",
	problem.ConfirmWrong:   "It was not confirmed.",

	// Codes from calls of models and of the payment service.
	"payment_broken": "The payment service had trouble of its own.",
	"timed_out":      "The model was too slow.",
	"malformed":      "The model's answer could not be read.",
	"overlong":       "The model's answer was too long.",
	"quota":          "The model had no calls left.",
}
