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
		"X_CONSUMER_KEY is not set, so nobody can log in with X.",
		"Set X_CONSUMER_KEY to the API Key, and X_CONSUMER_SECRET to the API Key Secret, of " + keysPage + ".",
	},
	CodeKeyBlank: {
		"{setting} contains a space, a line break or another character that cannot be seen.",
		"Copy the value again from " + keysPage + " into {setting}, with nothing before, inside or after it.",
	},
	CodeKeyIsBearer: {
		"X_CONSUMER_KEY has {length}, as many as a Bearer Token.",
		"Set X_CONSUMER_KEY to the API Key (25 characters) of " + keysPage + ", not to the Bearer Token.",
	},
	CodeKeyIsOAuth2: {
		"X_CONSUMER_KEY has 34 characters, as many as an OAuth 2.0 Client ID.",
		"Set X_CONSUMER_KEY to the API Key (25 characters) of " + keysPage + ", not to the OAuth 2.0 Client ID, " +
			"and X_CONSUMER_SECRET to the API Key Secret, not to the Client Secret.",
	},
	CodeKeyLength: {
		"X_CONSUMER_KEY has {length}, but an API Key of X has 25.",
		"Copy the API Key again from " + keysPage + " into X_CONSUMER_KEY, whole and without quotation marks.",
	},
	CodeKeysSwapped: {
		"X_CONSUMER_KEY is as long as a secret, and X_CONSUMER_SECRET as long as a key.",
		"Exchange the values of X_CONSUMER_KEY and X_CONSUMER_SECRET.",
	},
	CodeSecretMissing: {
		"X_CONSUMER_SECRET is not set, so no call to X can be signed.",
		"Set X_CONSUMER_SECRET to the API Key Secret of " + keysPage + "; it is shown once, when the pair is made.",
	},
	CodeSecretLength: {
		"X_CONSUMER_SECRET has {length}, but an API Key Secret of X has 50.",
		"Copy the API Key Secret again, whole and without quotation marks, into X_CONSUMER_SECRET; if it was not kept, " +
			"make a new pair on " + keysPage + ".",
	},
	CodeCallbackInvalid: {
		"The callback URL, to which X sends people back, is not one that X takes.",
		"Set PUBLIC_URL to the address at which people reach this product: https://, a name, and nothing after it; " +
			"on one's own machine http://127.0.0.1 and the port, because X does not take the name localhost.",
	},
	CodeFoundersMissing: {
		"No founder is named, so X would let people in whom this product turns away.",
		"Set FOUNDERS to the founders' handles on X, separated by commas.",
	},
	CodeSignatureFailed: {
		"This program could not sign a call to X.",
		"Set X_BASE_URL to https://api.x.com, or leave it out.",
	},

	CodeAccountSuspended: {
		"X has suspended or locked the bot's account.",
		"Log in to the bot's account on x.com: X says there what it wants, and how to appeal.",
	},
	CodeAppSuspended: {
		"X has suspended the app, or no longer knows it.",
		"Open the app in X's developer console: it says there what X objects to, and how to appeal. An app that was " +
			"deleted has to be made anew, with new keys.",
	},
	CodeCallbackRefused: {
		"X does not send people back to the callback URL, because the app does not list it.",
		"Add the callback URL that the environment check shows, letter by letter, to Callback URI / Redirect URL in " +
			authPage + ".",
	},
	CodeCapped: {
		"The app has used up what X, or its own spending limit there, allows it this month.",
		"Raise the spending limit in X's developer console, or wait for the next month.",
	},
	CodeClockSkew: {
		"This machine's clock is {skew}, and X takes no call from another time.",
		"Switch on time synchronisation (timedatectl set-ntp true), and check the date.",
	},
	CodeKeysRefused: {
		"X does not accept X_CONSUMER_KEY with X_CONSUMER_SECRET.",
		"Make a new API Key and Secret on " + keysPage + ", and enter the pair in the admin panel, or set X_CONSUMER_KEY " +
			"and X_CONSUMER_SECRET to it: one half of an old pair does not fit a new one, nor does another app's.",
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
		"X takes no more calls of this kind for now.",
		"Wait a quarter of an hour, and test again.",
	},
	CodeReadOnly: {
		"The bot's access token may only read.",
		"Set the App permissions to Read and write in " + authPage + ". Then make a new access token for the bot's " +
			"account, because the old one stays as it is, and enter it on the page Bot credentials.",
	},
	CodeRefused: {
		"X refuses the call with status {status}, and gives no reason that this program knows.",
		"Set X_BASE_URL to https://api.x.com, or leave it out; if it is right, look for a notice at the app in X's " +
			"developer console.",
	},
	CodeTokenRefused: {
		"X does not accept the bot's access token.",
		"Make a new Access Token and Secret for the bot's account on " + keysPage + ", and enter them on the page " +
			"Bot credentials: they end when the bot's account revokes the app, or when a new pair is made.",
	},

	CodeNonsense: {
		"Something answers in X's place, or X answers something else than what was asked for.",
		"Set X_BASE_URL to https://api.x.com, or leave it out; if it is right, see whether a proxy (HTTPS_PROXY) or the " +
			"login page of a network answers instead.",
	},
	CodePageDown: {
		"X's API is down: it shows an error page, or an error of its own.",
		"Nothing here has to be mended. Test again in some minutes.",
	},
	CodeUnconfirmed: {
		"X gave a token, but did not confirm the callback URL.",
		"Switch on OAuth 1.0a, and list the callback URL under Callback URI / Redirect URL, in " + authPage + ".",
	},

	CodeUnreachable: {
		"There was no connection to X's API, or it broke off.",
		"Check X_BASE_URL, this machine's network, and HTTPS_PROXY if it is set.",
	},
	CodeUnreachableDNS: {
		"The name of X's API is not found.",
		"Check X_BASE_URL for a misspelling, and this machine's name servers (resolvectl status).",
	},
	CodeUnreachableRefused: {
		"Nobody listens where X's API should be.",
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
