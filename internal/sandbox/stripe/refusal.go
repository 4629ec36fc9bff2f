package stripe

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// refusal is an error as Stripe words it.
type refusal struct {
	Status  int    `json:"-"`
	Type    string `json:"type"`
	Code    string `json:"code,omitempty"`
	Param   string `json:"param,omitempty"`
	Message string `json:"message"`

	unsaved bool // the call never began, so its idempotency key is still free
}

func (r *refusal) Error() string { return r.Message }

const (
	invalidRequest   = "invalid_request_error"
	idempotencyError = "idempotency_error"
	apiError         = "api_error"
)

// invalid is about a parameter, before anything was tried.
func invalid(code, param, format string, args ...any) *refusal {
	r := refuse(code, param, format, args...)
	r.unsaved = true
	return r
}

// refuse says that Stripe would not do it.
func refuse(code, param, format string, args ...any) *refusal {
	return &refusal{
		Status: http.StatusBadRequest, Type: invalidRequest, Code: code, Param: param, Message: fmt.Sprintf(format, args...),
	}
}

// missing says that there is no such thing. Where the path names it, the answer is 404.
func missing(status int, param, kind, id string) *refusal {
	r := refuse("resource_missing", param, "No such %s: '%s'", kind, id)
	r.Status = status
	return r
}

var (
	errNoKey = &refusal{
		Status: http.StatusUnauthorized, Type: invalidRequest, unsaved: true,
		Message: "You did not provide an API key. Send it as a bearer token: Authorization: Bearer YOUR_SECRET_KEY.",
	}
	errWrongKey = &refusal{
		Status: http.StatusUnauthorized, Type: invalidRequest, unsaved: true, Message: "Invalid API Key provided.",
	}
	errTooLarge = &refusal{
		Status: http.StatusRequestEntityTooLarge, Type: invalidRequest, unsaved: true, Message: "The request's body is too large.",
	}
	errKeyTooLong = &refusal{
		Status: http.StatusBadRequest, Type: invalidRequest, unsaved: true,
		Message: "Idempotency keys are at most 255 characters long.",
	}
	errKeyReused = &refusal{
		Status: http.StatusBadRequest, Type: idempotencyError, unsaved: true,
		Message: "Keys for idempotent requests can only be used with the same parameters they were first used with. " +
			"Try using a key other than the one that was sent if you meant to execute a different request.",
	}
	errKeyInUse = &refusal{
		Status: http.StatusConflict, Type: idempotencyError, Code: "idempotency_key_in_use", unsaved: true,
		Message: "There is currently another in-progress request using this idempotent key. Please try again later.",
	}
	errTooMany = &refusal{
		Status: http.StatusTooManyRequests, Type: invalidRequest, Code: "rate_limit", unsaved: true,
		Message: "Request rate limit exceeded.",
	}
	errBroken = &refusal{
		Status: http.StatusInternalServerError, Type: apiError,
		Message: "An unknown error occurred.",
	}
)

// wire is the refusal as Stripe shows it.
func (r *refusal) wire() wire { return wire{"error": r} }

// reply is the refusal as an answer.
func (r *refusal) reply() reply {
	body, _ := json.Marshal(r.wire()) // nothing but strings
	return reply{Status: r.Status, Body: body}
}
