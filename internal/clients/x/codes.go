package x

import "customerzero/internal/domain/post"

// Our codes for what X says. They are stored with posts: add, never rename.
const (
	codeBadToken    = "x_bad_token"
	codeCapReached  = "x_cap_reached"
	codeDuplicate   = "x_duplicate"
	codeGone        = "x_gone"
	codeInvalid     = "x_invalid"
	codeNoCredits   = "x_no_credits"
	codeNotEnrolled = "x_not_enrolled"
	codeRateLimited = "x_rate_limited"
	codeReadOnly    = "x_read_only"
	codeRefused     = "x_refused"
	codeSuspended   = "x_suspended"
	codeTimeout     = "x_timeout"
	codeUnavailable = "x_unavailable"
	codeUnclear     = "x_unclear"
	codeUnreachable = "x_unreachable"
)

// sentences tell people what a code means and what helps.
var sentences = map[string]string{
	codeBadToken: "X does not accept the bot's keys. A founder has to check them, and this machine's clock.",
	codeCapReached: "The bot has used up what X, or its own spending limit there, allows it this month. " +
		"A founder can raise the limit in X's developer console.",
	codeDuplicate: "X has a post with this text already. Change the text.",
	codeGone:      "X has no such post.",
	codeNoCredits: "The bot's X account is out of credits. A founder has to buy some in X's developer console.",
	codeNotEnrolled: "The bot's app is not enrolled with X. A founder has to attach it to a project in X's " +
		"developer console.",
	codeReadOnly: "The bot's keys may only read. A founder has to let the app write in X's developer console and " +
		"then make a new access token, because the old one stays as it is.",
	codeSuspended:   "X has suspended or locked the bot's account. A founder has to log in there and appeal.",
	codeTimeout:     "X did not answer in time.",
	codeUnavailable: "X has trouble of its own. Nothing but time helps.",
	codeUnclear:     "The connection to X was lost, or its answer made no sense.",
}

// saying makes an error of a code that has its sentence.
func saying(class post.Class, status int, code string) *post.XError {
	return &post.XError{Class: class, Status: status, Code: code, Message: sentences[code]}
}

// unclear is the error for an answer that does not say whether it happened.
func unclear(status int) *post.XError { return saying(post.Unclear, status, codeUnclear) }
