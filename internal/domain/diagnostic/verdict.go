package diagnostic

import "cmp"

// requestTokenCode names the cause of what a request for a token showed.
func requestTokenCode(a Answer) string {
	return cmp.Or(unreached(a), refusedCode(a, CodeKeysRefused), tokenCode(a))
}

// accountCode names the cause of what a call with the bot's tokens showed.
func accountCode(a Answer) string {
	return cmp.Or(unreached(a), refusedCode(a, CodeTokenRefused), shownCode(a))
}

// unreached is for calls without a whole answer. A refusal that broke off still is one.
func unreached(a Answer) string {
	if a.Status != 0 && (a.Unreachable == "" || !a.succeeded()) {
		return ""
	}
	switch a.Unreachable {
	case UnreachableDNS:
		return CodeUnreachableDNS
	case UnreachableRefused:
		return CodeUnreachableRefused
	case UnreachableTimeout:
		return CodeUnreachableTimeout
	case UnreachableTLS:
		return CodeUnreachableTLS
	default:
		return CodeUnreachable
	}
}

// refusedCode names why X refused. Many answers admit two causes: the order goes from what
// can mean nothing else to what is merely likely. Unauthorized is what a 401 is likeliest about.
func refusedCode(a Answer, unauthorized string) string {
	if a.succeeded() {
		return ""
	}
	return cmp.Or(
		pageCode(a),
		certain[a.Code],
		clockCode(a),
		credentialsCode(a.Code, unauthorized),
		titles[a.Title],
		kindCode(a),
		detailCode(a.Detail),
		statusCode(a.Status, unauthorized),
	)
}

// tokenCode judges a success that should bring a token.
func tokenCode(a Answer) string {
	switch {
	case !a.HasToken:
		return CodeNonsense
	case !a.Confirmed:
		return CodeUnconfirmed
	default:
		return CodeOK
	}
}

// shownCode judges a success that should show the account. X shows an account that it has
// suspended as a success without one.
func shownCode(a Answer) string {
	switch {
	case a.UserID == "":
		return cmp.Or(detailCode(a.Detail), CodeNonsense)
	case a.AccessLevel == "read":
		return CodeReadOnly
	default:
		return CodeOK
	}
}

func (a Answer) succeeded() bool { return a.Status >= 200 && a.Status < 300 }
