package security

var access = Topic{"Who may do what", []Line{
	{
		Number: "8.2.1", Asks: "every function says who may call it",
		Does:   "one table; the router holds every request against it, and a route that is not in it answers nobody",
		Proofs: in("api", "TestEveryRouteIsInTheTable", "TestEveryRouteAnswersEverybodyAsItShould", "TestV8_2_1_ARefusedCallChangesNothing"),
	},
	{
		Number: "8.2.2", Asks: "nobody reaches what is another's by its number",
		Does: "posts, series, drafts, texts by models and sessions are asked for by their owner, too",
		Proofs: in("api", "TestEveryRouteAnswersEverybodyAsItShould", "TestEndingOneOfMySessions", "TestAGenerationIsItsAskersOwn", "TestDraftsAreSeenByTheirMemberAndFounders",
			"TestPostMadeOfAGeneratedText", "TestExportIsAFileOfMyOwn", "TestLaterStepsBelongToARun"),
	},
	{
		Number: "8.2.3", Asks: "nobody is shown fields that are not for them",
		Does: "addresses are for their owners and for founders, X's own words for founders; every answer of every test is searched for addresses",
		Proofs: in("api", "TestAddressesOfMembersAreShownToFoundersAndThemselves", "TestXsAnswerIsForFoundersEyes", "TestDeadLettersAreListedWithoutTheirReaders",
			"TestOnlyFoundersAreShownTheWayToTheConsole", "TestModelsAreHiddenUntilTheVote"),
	},
	{
		Number: "8.3.1", Asks: "it is decided on the server, by what is so now",
		Does:   "for every request; the pages only hide what would be refused",
		Proofs: in("api", "TestEveryRouteAnswersEverybodyAsItShould", "TestElsewhereATokensHolderIsAVisitor", "TestTheAdminAsksForAFreshLogin"),
	},
	{
		Number: "15.3.1", Asks: "answers hold the fields that are meant, and no others",
		Does: "types of their own, whose printout is reviewed; runs are told by a list of what may be shown",
		Proofs: of(
			in("api", "TestContract"),
			in("internal/domain/run", "TestNoFieldIsShownOfWhatPeopleWroteOrAre"),
			in("workflows", "TestEveryRecordedHistoryHasATimelineThatTellsNothingElse"),
		),
	},
	{
		Number: "15.3.3", Asks: "a body sets the fields that are meant, and no others",
		Does:   "every body is closed: a field that it does not name is refused",
		Proofs: in("api", "TestV15_3_3_EveryBodyIsClosed", "TestBadPostsAreRefusedAndNothingIsWritten", "TestWhatIsNotForSaleIsRefusedAndNothingIsWritten", "TestBadVotesAreRefusedAndNothingIsWritten"),
	},
}}

var logins = Topic{"Logging in with X", []Line{
	{
		Number: "10.1.2", Asks: "a login is bound to the browser that began it, and each answer to its question",
		Does: "a cookie ties them, the token that comes back must be the one that was sent, the verifier must be there; good once, for ten minutes",
		Proofs: of(
			in("api", "TestReturnsFromXThatLeadNowhere", "TestALoginWithXIsGoodOnce", "TestTenReturnsAtOnceAreOneLogin"),
			in("internal/store", "TestOnlyTheBrowserThatLeftReturnsAndOnlyInTime", "TestReturnsAtOnceAreTakenInOnce"),
			in("workflows", "TestXLoginOfSomebodyWhoStaysAwayExpires"),
		),
	},
	{
		Number: "10.2.1", Asks: "nobody is logged in as somebody else by a link",
		Does: "X has to confirm the callback, which is exact; calls are signed with a time and a number of their own",
		Proofs: of(
			in("internal/clients/x", "TestARequestTokenHasToBeConfirmed", "TestProbeSignature", "TestLoggingInOnTheSandbox", "TestSandboxKnowsUs", "TestClientIsSafeForConcurrentUse", "TestSettingsThatTheSandboxRefuses", "TestLoginsThatTheSandboxRefuses"),
			in("internal/sandbox/x", "TestSignIsWhatXDocuments", "TestEncodeIsRFC3986", "TestSignedParams", "TestSignedBase", "TestJavaScriptClients", "TestACallComesOnce", "TestANonceIsNotUsedUpByACallThatWasRefused", "TestVerify", "TestCallbacks"),
			in("internal/domain/diagnostic", "TestCheckEnvironment"),
		),
	},
	{
		Number: "a body is not signed", Asks: "what OAuth 1.0a leaves out of the signature is left out", Does: "parameters of the address and of forms are signed, a body of JSON is not",
		Proofs: in("internal/clients/x", "TestPublish", "TestSandboxGivesTextsBack"),
	},
	{
		Number: "a wrong clock", Asks: "a clock that is wrong is told from a key that is wrong", Does: "the diagnostic holds ours against the Date that X says",
		Proofs: in("internal/clients/x", "TestDiagnosisOfAWrongClock"),
	},
	{
		Number: "the secret of a login", Asks: "what a login needs stays on the server, and goes with its end", Does: "sealed, deleted in the transaction of the end",
		Proofs: of(in("api", "TestTheSecretOfALoginIsGoneWhenItEnds"), in("proof/journeys", "TestWhatALoginNeedsIsLookedFor")),
	},
	{
		Number: "handles change hands", Asks: "a founder is somebody, not a name",
		Does: "a handle of FOUNDERS is bound to the number of the X account that came with it first, also when that account has another handle by now",
		Proofs: of(
			in("internal/store", "TestXAccounts", "TestWhoTakesAHandleThatAFounderGaveUpIsNotLetIn", "TestFirstTrueLoginTakesABelievedAccountOver", "TestMemberWithAFoundersNameIsNoFounder"),
		),
	},
}}
