package security

var sessions = Topic{"Sessions", []Line{
	{
		Number: "7.2.2", Asks: "who is logged in is shown by a session that was made for it, not by a secret that stays",
		Does: "each login makes a session of its own; the founders' key, which does stay, is for programs and opens a part of the routes alone",
		Proofs: of(
			in("api", "TestALoginNeverKeepsTheSessionBeforeIt", "TestARequestHasOneSender", "TestEveryRouteAnswersEverybodyAsItShould"),
			in("internal/store", "TestSessionActsForItsAccount"),
		),
	},
	{
		Number: "7.2.3", Asks: "a session's token cannot be guessed, and is stored so that whoever reads it has nothing",
		Does: "256 bits of the system's own chance; a digest is stored; what does not have the form of a token is not looked up",
		Proofs: of(
			in("internal/domain/account", "TestV7_2_3_TokensHave256BitsOfChance", "TestV7_2_3_WhatIsNotOfThatFormIsNoToken", "TestV7_2_3_CodesAreSixDigitsThatNobodyForesees", "TestV7_2_3_OnlyADigestIsStored"),
			in("internal/store", "TestTokensThemselvesAreNotStored"),
			in("api", "TestATokenIsShownOnceAndKeptAsADigest", "TestCookiesThatAreNoSessionMakeAVisitor"),
		),
	},
	{
		Number: "7.2.4", Asks: "a login begins a new session and ends the one before",
		Does: "in one transaction, whatever the browser came with; a login that fails changes nothing",
		Proofs: of(
			in("api", "TestALoginNeverKeepsTheSessionBeforeIt", "TestALoginReplacesTheCookieWhateverElseComesAlong", "TestALoginThatFailsLeavesTheSessionAsItWas"),
			in("internal/store", "TestNewSessionReplacesWhatTheBrowserHeld"),
		),
	},
	{
		Number: "7.4.1", Asks: "a session that was ended, or is over, is good for nothing any more",
		Does: "logging out deletes its row, here or everywhere; it ends thirty days after its last use, a minted token after a quarter of an hour",
		Proofs: of(
			in("api", "TestLoggingOutEndsTheSessionOnTheServer", "TestLoggingOutTwentyTimesAtOnce", "TestLoggingOutEndsWhateverTheRequestCameWith", "TestLoggingOutEverywhere",
				"TestEndingOneOfMySessions", "TestATokenMayEndItself", "TestASessionLastsThirtyDaysFromItsLastUse", "TestATokenEndsAfterAQuarterOfAnHourHoweverMuchItIsUsed"),
			in("internal/store", "TestSessionsInUseLastOn", "TestTidyKeepsWhatIsStillGood"),
			in("ui/e2e/sign-in.e2e.ts", "end a session elsewhere, and then all of them"),
		),
	},
	{
		Number: "7.4.2", Asks: "when an account goes, its sessions go; when it may do less, that counts at once",
		Does:    "asking for deletion ends all of them, and nobody logs in again; the role is worked out anew for every request",
		Differs: "a member who is frozen, or a founder who is struck off, stays logged in and is a visitor who sees the own account: the role is what ends.",
		Proofs: of(
			in("api", "TestDeletionLogsOutEverywhereAndStartsItsRun", "TestAFrozenMemberIsNoneAtOnce", "TestAFounderTakenOffTheListIsNoneAtOnce"),
			in("internal/store", "TestWhoLeavesIsLoggedOutAndStaysSo", "TestNoLoginSlipsThrough", "TestCheckoutRefundFreezesTheSeat"),
		),
	},
	{
		Number: "3.3.1, 3.3.3", Asks: "cookies are Secure, and of this host alone",
		Does: "where there is HTTPS, every cookie is named __Host- and Secure, and one without that name counts for nothing; on a laptop without HTTPS browsers would drop those",
		Proofs: in("api", "TestEveryLoginSetsACookieThatOnlyThisSiteGets", "TestTheCookieOfALoginUnderWayIsAsWellGuarded",
			"TestV3_3_1_TheCookieThatCountsVisitsIsAsWellGuarded", "TestOverHTTPSAnUnguardedCookieCountsForNothing"),
	},
	{
		Number: "3.3.2", Asks: "other sites do not make browsers send them",
		Does:   "SameSite=Lax, and the check of the origin below does not count on it",
		Proofs: in("api", "TestEveryLoginSetsACookieThatOnlyThisSiteGets", "TestTheCookieOfALoginUnderWayIsAsWellGuarded", "TestV3_3_1_TheCookieThatCountsVisitsIsAsWellGuarded"),
	},
	{
		Number: "3.3.4", Asks: "no script reads a session",
		Does: "HttpOnly; it is told by Set-Cookie alone, and in no other answer; nothing is left in the browser's storage",
		Proofs: of(
			in("api", "TestEveryLoginSetsACookieThatOnlyThisSiteGets", "TestATokenServesItsScopeAndNothingElse", "TestElsewhereATokensHolderIsAVisitor"),
			in("ui/e2e/sign-in.e2e.ts", "a login leaves nothing that a script could read"),
		),
	},
}}
