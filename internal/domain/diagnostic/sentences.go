package diagnostic

type pair struct{ problem, remedy string }

const (
	keysPage = "the app's Keys and tokens page in X's developer console"
	authPage = "the app's User authentication settings in X's developer console"
)

// sentences holds the problem and the remedy of every code.
var sentences = map[string]pair{
	CodeOK: {},

	CodeKeyMissing: {
		"X_CONSUMER_KEY is not set, so login with X does not work.",
		"Set X_CONSUMER_KEY to the API Key, and X_CONSUMER_SECRET to the API Key Secret, of " + keysPage + ".",
	},
	CodeKeyBlank: {
		"{setting} contains a space, a line break or another invisible character.",
		"Copy the value again from " + keysPage + " into {setting}, with nothing before, inside or after it.",
	},
	CodeKeyIsBearer: {
		"X_CONSUMER_KEY has {length}, like a Bearer Token.",
		"Set X_CONSUMER_KEY to the API Key (25 characters) of " + keysPage + ", not to the Bearer Token.",
	},
	CodeKeyIsOAuth2: {
		"X_CONSUMER_KEY has 34 characters, like an OAuth 2.0 Client ID.",
		"Set X_CONSUMER_KEY to the API Key (25 characters) of " + keysPage + ", not to the OAuth 2.0 Client ID, " +
			"and X_CONSUMER_SECRET to the API Key Secret, not to the Client Secret.",
	},
	CodeKeyLength: {
		"X_CONSUMER_KEY has {length}, but an API Key of X has 25.",
		"Copy the API Key again from " + keysPage + " into X_CONSUMER_KEY, complete and without quotation marks.",
	},
	CodeKeysSwapped: {
		"X_CONSUMER_KEY is as long as a secret, and X_CONSUMER_SECRET as long as a key.",
		"Exchange the values of X_CONSUMER_KEY and X_CONSUMER_SECRET.",
	},
	CodeSecretMissing: {
		"X_CONSUMER_SECRET is not set, so no call to X can be signed.",
		"Set X_CONSUMER_SECRET to the API Key Secret of " + keysPage + "; it is shown once, when the pair is created.",
	},
	CodeSecretLength: {
		"X_CONSUMER_SECRET has {length}, but an API Key Secret of X has 50.",
		"Copy the API Key Secret again, complete and without quotation marks, into X_CONSUMER_SECRET; if you no longer have it, " +
			"create a new pair on " + keysPage + ".",
	},
	CodeCallbackInvalid: {
		"X does not accept the callback URL.",
		"Set PUBLIC_URL to the public address of this product: https:// and a host name, without a path; " +
			"on your own machine, http://127.0.0.1 and the port, because X does not accept localhost.",
	},
	CodeFoundersMissing: {
		"FOUNDERS is empty, so every login would be refused.",
		"Set FOUNDERS to the founders' handles on X, separated by commas.",
	},
	CodeSignatureFailed: {
		"A call to X could not be signed.",
		"Set X_BASE_URL to https://api.x.com, or leave it out.",
	},

	CodeAccountSuspended: {
		"X has suspended or locked the bot's account.",
		"Log in to the bot's account on x.com: X shows the reason there, and how to appeal.",
	},
	CodeAppSuspended: {
		"X has suspended or deleted the app.",
		"Open the app in X's developer console: it shows the reason, and how to appeal. An app that was " +
			"deleted must be created again, with new keys.",
	},
	CodeCallbackRefused: {
		"X refuses the callback URL because the app does not list it.",
		"Add the callback URL that the environment check shows, exactly as shown, to Callback URI / Redirect URL in " +
			authPage + ".",
	},
	CodeCapped: {
		"The app has reached X's monthly limit, or its own spending limit.",
		"Raise the spending limit in X's developer console, or wait for the next month.",
	},
	CodeClockSkew: {
		"This machine's clock is {skew}, so X refuses its calls.",
		"Switch on time synchronization (timedatectl set-ntp true), and check the date.",
	},
	CodeKeysRefused: {
		"X does not accept X_CONSUMER_KEY with X_CONSUMER_SECRET.",
		"Create a new API Key and Secret on " + keysPage + ", and enter the pair in the admin panel, or set X_CONSUMER_KEY " +
			"and X_CONSUMER_SECRET to it. Both must come from the same pair of the same app.",
	},
	CodeNoCredits: {
		"The app is out of credits.",
		"Buy credits on the Billing page of X's developer console.",
	},
	CodeNotEnrolled: {
		"The app is not enrolled for X's API.",
		"Attach the app to a project in X's developer console, and choose a plan for it there.",
	},
	CodeRateLimited: {
		"X's rate limit is reached.",
		"Wait 15 minutes, then test again.",
	},
	CodeReadOnly: {
		"The bot's access token is read-only.",
		"Set the App permissions to Read and write in " + authPage + ". Then create a new access token for the bot's " +
			"account, because the old one stays read-only, and enter it on the page Bot credentials.",
	},
	CodeRefused: {
		"X refuses the call with status {status} for an unknown reason.",
		"Set X_BASE_URL to https://api.x.com, or leave it out; if it is right, check the app for a notice in X's " +
			"developer console.",
	},
	CodeTokenRefused: {
		"X does not accept the bot's access token.",
		"Create a new Access Token and Secret for the bot's account on " + keysPage + ", and enter them on the page " +
			"Bot credentials. The old ones were revoked, or replaced by a newer pair.",
	},

	CodeNonsense: {
		"The response did not come from X, or was not the expected one.",
		"Set X_BASE_URL to https://api.x.com, or leave it out; if it is right, check whether a proxy (HTTPS_PROXY) or the " +
			"login page of a network answers instead.",
	},
	CodePageDown: {
		"X's API is down: it returns an error.",
		"There is nothing to fix here. Test again in a few minutes.",
	},
	CodeUnconfirmed: {
		"X returned a token, but did not confirm the callback URL.",
		"Switch on OAuth 1.0a, and list the callback URL under Callback URI / Redirect URL, in " + authPage + ".",
	},

	CodeUnreachable: {
		"The connection to X's API failed.",
		"Check X_BASE_URL, this machine's network, and HTTPS_PROXY if it is set.",
	},
	CodeUnreachableDNS: {
		"The host name of X's API was not found.",
		"Check X_BASE_URL for a misspelling, and this machine's name servers (resolvectl status).",
	},
	CodeUnreachableRefused: {
		"X's API refused the connection.",
		"Set X_BASE_URL to https://api.x.com, or leave it out; with a sandbox, start it (customerzero up).",
	},
	CodeUnreachableTimeout: {
		"X's API does not answer in time.",
		"Let this machine connect to X's API on port 443 in its firewall, or set HTTPS_PROXY.",
	},
	CodeUnreachableTLS: {
		"The connection to X's API is not secure, so it is not used.",
		"Check X_BASE_URL, this machine's clock (timedatectl), and its certificates (apt-get install ca-certificates).",
	},
}
