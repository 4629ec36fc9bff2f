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
	TookLong  = "It timed out."
	Lost      = "Its worker stopped responding."
	Withdrawn = "It was cancelled."
	Forced    = "It was terminated."
)

var sentences = map[problem.Code]string{
	problem.Invalid:          "The request was invalid.",
	problem.Unauthorized:     "A login was missing.",
	problem.Forbidden:        "It was not allowed.",
	problem.NotFound:         "It was not found.",
	problem.Conflict:         "It conflicted with another change.",
	problem.TooLarge:         "It was too large.",
	problem.UnsupportedMedia: "The media type was not supported.",
	problem.TooMany:          "There were too many requests.",
	problem.Unavailable:      "A required service was unavailable.",
	problem.Internal:         Failure,

	problem.TextEmpty:     "The text was empty.",
	problem.TextTooLong:   "The text was too long.",
	problem.TextInvalid:   "The text could not be posted.",
	problem.TextDuplicate: "Another open post had the same text.",

	problem.DateInvalid:     "The date was invalid.",
	problem.DateAmbiguous:   "The date was ambiguous.",
	problem.DatePast:        "The date was in the past.",
	problem.DateTooFar:      "The date was too far away.",
	problem.TimezoneUnknown: "The time zone was unknown.",
	problem.CSVInvalid:      "The file was invalid.",

	problem.ShareExhausted:   "The share of the month was used up.",
	problem.QuotaExhausted:   "The posts of the month were used up.",
	problem.CreditsExhausted: "The credits were used up.",

	problem.MemberUnknown: "The member was not found.",
	problem.MemberExists:  "The member already existed.",
	problem.PostArmed:     "The post was being sent.",
	problem.PostClosed:    "The post was already closed.",
	problem.PostFailed:    "The post could not be sent.",

	problem.CodeWrong:           "The code was wrong.",
	problem.LoginStale:          "The login was too old.",
	problem.CredentialsConflict: "The request had two different credentials.",
	problem.CredentialsInvalid:  "The keys were not accepted.",
	problem.ProviderKeysInvalid: "The app's keys were not accepted.",

	problem.ServiceUnknown:     "The service was not found.",
	problem.AmountWrong:        "The amount was not the price.",
	problem.PaymentUnavailable: "The payment service could not be reached.",
	problem.SignatureInvalid:   "The signature was wrong.",

	problem.RecurringTooOften: "The times were too close together.",
	problem.QueueEmpty:        "Nothing was waiting.",
	problem.ReviewClosed:      "The review was closed.",
	problem.ModelUnknown:      "The model was not found.",
	problem.AnswerUnfit:       "The model's answer was not usable.",
	problem.ModelTrouble:      "The model failed.",
	problem.GenerationEnded:   "The generation had already ended.",

	problem.FaultUnknown:  "The fault was not found.",
	problem.ChaosRunning:  "Another chaos run was running.",
	problem.IncidentOpen:  "An incident was open.",
	problem.ChaosOff:      "The founders have switched chaos testing off.",
	problem.TargetRefused: "The chaos target's supervisor refused the command.",

	problem.URLRefused:          "The URL was not allowed.",
	problem.VerificationRunning: "Another verification was running.",
	problem.BrowserMissing:      "The browser was missing.",
	problem.PageUnreachable:     "The page could not be reached.",
	problem.PageSlow:            "The page was too slow.",
	problem.PageHeavy:           "The page was too large.",

	problem.VotesClosed:    "The votes were closed.",
	problem.MoveRefused:    "The status change was not allowed.",
	problem.EditStale:      "Someone else had changed it.",
	problem.MetricLocked:   "The metric could no longer be changed.",
	problem.ExperimentDupe: "The experiment already existed.",
	problem.ConfirmWrong:   "It was not confirmed.",

	// Codes from calls of models and of the payment service.
	"payment_broken": "The payment service failed.",
	"timed_out":      "The model was too slow.",
	"malformed":      "The model's answer could not be read.",
	"overlong":       "The model's answer was too long.",
	"quota":          "The model's quota was used up.",
}
