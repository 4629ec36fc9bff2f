package diagnostic

// The codes of findings. Pages and runs keep them: add, never rename.
const (
	CodeOK = "ok"

	CodeKeyMissing      = "key_missing"
	CodeKeyBlank        = "key_blank"
	CodeKeyIsBearer     = "key_is_bearer"
	CodeKeyIsOAuth2     = "key_is_oauth2"
	CodeKeyLength       = "key_length"
	CodeKeysSwapped     = "keys_swapped"
	CodeSecretMissing   = "secret_missing"
	CodeSecretLength    = "secret_length"
	CodeCallbackInvalid = "callback_invalid"
	CodeFoundersMissing = "founders_missing"
	CodeSignatureFailed = "signature_failed"

	CodeAccountSuspended = "account_suspended"
	CodeAppSuspended     = "app_suspended"
	CodeCallbackRefused  = "callback_refused"
	CodeCapped           = "capped"
	CodeClockSkew        = "clock_skew"
	CodeKeysRefused      = "keys_refused"
	CodeNoCredits        = "no_credits"
	CodeNotEnrolled      = "not_enrolled"
	CodeRateLimited      = "rate_limited"
	CodeReadOnly         = "read_only"
	CodeRefused          = "refused"
	CodeTokenRefused     = "token_refused"

	CodeNonsense    = "nonsense"
	CodePageDown    = "page_down"
	CodeUnconfirmed = "unconfirmed"

	CodeUnreachable        = "unreachable"
	CodeUnreachableDNS     = "unreachable_dns"
	CodeUnreachableRefused = "unreachable_refused"
	CodeUnreachableTimeout = "unreachable_timeout"
	CodeUnreachableTLS     = "unreachable_tls"
)
