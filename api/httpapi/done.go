package httpapi

import "net/http"

// Done says that something was done.
type Done struct {
	Success bool   `json:"success" enum:"true"`
	Message string `json:"message,omitempty" doc:"For a person"`
}

// DoneReply is the reply of operations that have nothing else to say.
type DoneReply struct{ Body Done }

// SessionReply opens or closes a session.
type SessionReply struct {
	SetCookie http.Cookie `header:"Set-Cookie"`
	Body      Done
}
