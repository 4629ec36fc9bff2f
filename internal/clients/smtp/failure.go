package smtp

import "customerzero/internal/domain/email"

// Our codes for what became of a letter. They are stored with letters: add, never rename.
const (
	codeRefused     = "mail_refused"
	codeBusy        = "mail_busy"
	codeUnreachable = "mail_unreachable"
	codeLogin       = "mail_login"
	codeMalformed   = "mail_malformed"
)

func malformed(why string) *email.Failure {
	return &email.Failure{Permanent: true, Code: codeMalformed, Message: "The letter cannot be sent as it is: " + why}
}

func unreachable(why string) *email.Failure {
	return &email.Failure{Code: codeUnreachable, Message: why}
}
