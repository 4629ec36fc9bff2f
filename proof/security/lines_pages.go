package security

var pages = Topic{"Pages, and pages of others", []Line{
	{
		Number: "3.5.1", Asks: "pages of other sites cannot make a browser do what needs a person's consent",
		Does: "every write is held against Sec-Fetch-Site and Origin, for every route alike, before anything is read of it",
		Proofs: of(
			in("api", "TestPagesOfOtherSitesChangeNothing", "TestOurOwnPagesMayWrite"),
			in("internal/sandbox/x", "TestAnotherSiteCannotConsent", "TestOtherSitesCannotReachTheSwitchboard"),
			in("internal/sandbox/stripe", "TestOtherSitesCannotPay"),
		),
	},
	{
		Number: "3.5.2", Asks: "what forms can send without asking first is not taken",
		Does:    "bodies are JSON, and say so; the others are named, each with its reason",
		Differs: "a body that names no kind at all is read as JSON: programs send such; the check of the origin stands before it.",
		Proofs:  in("api", "TestV3_5_2_EveryBodyNamesItsKind", "TestWrongRequestsAreRefused"),
	},
	{
		Number: "3.5.3", Asks: "reading changes nothing",
		Does:    "a GET writes nothing but the limits it uses up",
		Differs: "three reads begin something: leaving for X and coming back, which OAuth has so, and the diagnostic, which the contract has so. Those, and the download of one's data, are refused to pages of other sites; a link to the login may be followed.",
		Proofs:  in("api", "TestV3_5_3_ReadingChangesNothing", "TestV3_5_3_OtherSitesBeginNothingByReading", "TestTheHeadersAloneCanBeAskedFor"),
	},
	{
		Number: "3.4.1", Asks: "browsers are told to stay with HTTPS, for a year at least",
		Does:    "for two years, on every answer, where people come by HTTPS and from elsewhere",
		Differs: "includeSubDomains is not said: the product has one name, and its neighbours under the same domain are not ours to bind.",
		Proofs: of(
			in("api", "TestV3_4_1_EveryAnswerKeepsBrowsersWithHTTPSForTwoYears", "TestBrowsersStayWithHTTPSWhereThereIs"),
			in("deploy", "TestTheEdge"),
		),
	},
	{
		Number: "3.4.2", Asks: "other sites do not read our answers",
		Does:   "no answer has a header of CORS, whoever asks",
		Proofs: of(in("api", "TestV3_4_2_NoOtherSiteMayReadAnAnswer"), in("internal/sandbox/x", "TestOtherSitesCannotReachTheSwitchboard")),
	},
	{
		Number: "3.4.3", Asks: "a policy says what pages may load and run, and where they may send forms",
		Does: "nothing but our own files; styles that the library of parts writes name a number that each answer makes anew; no objects, no other base, no forms sent without a script",
		Proofs: of(
			in("api", "TestV3_4_3_NoAnswerMovesItsBaseSendsFormsOrHoldsObjects", "TestEveryAnswerIsHardened", "TestEachPageHasANumberOfItsOwn",
				"TestTheBuiltPagesHoldNothingThatTheirPolicyRefuses", "TestASandboxPageHasThePolicyThatItBringsAndEachHeaderOnce"),
			in("deploy", "TestV3_4_3_WhatTheEdgeSaysItselfIsHardened"),
			in("ui/e2e/policy.e2e.ts", "no page does what its policy forbids, the first time and again", "a style or a script that somebody smuggles in does nothing", "the library is given its styles"),
		),
	},
	{
		Number: "3.4.4", Asks: "browsers take files for what they are said to be",
		Does: "nosniff on every answer, the proxy's own included", Proofs: of(in("api", "TestEveryAnswerIsHardened"), in("deploy", "TestV3_4_3_WhatTheEdgeSaysItselfIsHardened")),
	},
	{
		Number: "3.4.5", Asks: "other sites are not told which page somebody came from",
		Does: "strict-origin-when-cross-origin on every answer", Proofs: in("api", "TestEveryAnswerIsHardened"),
	},
	{
		Number: "3.4.6", Asks: "no other site shows ours in a frame",
		Does:   "frame-ancestors 'none' on every answer, X-Frame-Options for browsers that know no policy; pictures and feeds that are meant for others say so",
		Proofs: in("api", "TestEveryAnswerIsHardened", "TestOthersMayShowWhatIsMeantForThem"),
	},
	{
		Number: "3.7.2", Asks: "nobody is sent to another site by a link of ours",
		Does: "whoever logs in returns to a path of this site, whatever tricks the link plays; buyers are sent to Stripe's pages, or those that the settings name",
		Proofs: of(
			in("api", "TestALoginReturnsToAPageOfOurs", "TestALoginBeginsUnderTheConfiguredName"),
			in("internal/clients/stripe", "TestWhereBuyersAreSent"),
			in("deploy", "TestTheEdge"),
		),
	},
}}
