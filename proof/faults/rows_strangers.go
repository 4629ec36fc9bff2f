package faults

// strangers send what no page of ours would.
var strangers = []Row{
	{
		Number: 29, Fault: "a request is huge, deep or no JSON", Keeps: []string{"I8", "I9"},
		Holds: "it is refused with a 4xx before it is read to its end, and nothing is written",
		How:   "100 MB, depth of 20,000, invalid UTF-8, keys twice, numbers that fit nowhere, on every route; every operation asked right and wrong things by chance",
		Tests: of(
			in("api", "TestEveryRouteRefusesRudeBodies", "TestAnAddressThatIsNoTextLeadsNowhere", "TestRudeBodiesCostLittle", "TestTooMuchIsRefusedBeforeItIsRead", "TestNoRouteReadsMoreThanItsLimit", "TestBadPostsAreRefusedAndNothingIsWritten",
				"TestWrongRequestsAreRefused", "TestAZeroByteInAnyFieldIsNoFailureOfOurs", "TestBadVotesAreRefusedAndNothingIsWritten", "TestANumberThatDoesNotFitIsRefusedAndNotRepeated",
				"TestBadFilesAreRefusedWhole", "TestCookiesTooLargeAreRefusedAndTheServerGoesOn"),
		),
		InTurn: in("api", "TestEveryOperationKeepsToItsContract/sqlite", "TestEveryOperationKeepsToItsContract/postgres"),
	},
	{
		Number: 30, Fault: "clients are slow, or never finish", Keeps: []string{"I9"},
		Holds: "they are let go, and whoever asks meanwhile is answered as before",
		How:   "250 clients that send or read a byte at a time, or nothing, while others ask",
		Tests: of(
			in("api", "TestSlowClientsAreLetGoAndHoldUpNobody", "TestNobodyTakesAllPlaces", "TestOnlySoManyLookOnAtOnce", "TestAStreamEndsAfterTwoMinutes"),
		),
	},
	{
		Number: 31, Fault: "a header claims another network", Keeps: []string{"I8"},
		Holds: "limits count whom the connection is from",
		How:   "X-Forwarded-For and its kin, with and without a trusted proxy; 200 callers at once",
		Tests: of(
			in("api", "TestNoHeaderMakesAnotherNetwork", "TestTheLimitsOfANetworkAreNotEvadedByAHeader"),
			in("internal/store", "TestAnyNumberOfCallersTakeNoMoreThanTheLimit"),
		),
	},
	{
		Number: 32, Fault: "another site, or an old cookie, asks for somebody", Keeps: []string{"I8"},
		Holds: "pages of other sites change nothing; a session ends on the server, and no login keeps the one before",
		How:   "every route that writes from ten origins as three people; cookies that were kept, planted or doubled; returns from X that lead nowhere",
		Tests: of(
			in("api", "TestPagesOfOtherSitesChangeNothing", "TestOurOwnPagesMayWrite", "TestALoginNeverKeepsTheSessionBeforeIt",
				"TestALoginReplacesTheCookieWhateverElseComesAlong", "TestALoginThatFailsLeavesTheSessionAsItWas", "TestLoggingOutEndsTheSessionOnTheServer",
				"TestLoggingOutTwentyTimesAtOnce", "TestLoggingOutEverywhere", "TestEveryLoginSetsACookieThatOnlyThisSiteGets",
				"TestOverHTTPSAnUnguardedCookieCountsForNothing", "TestARequestHasOneSender", "TestReturnsFromXThatLeadNowhere",
				"TestTenReturnsAtOnceAreOneLogin", "TestEveryRouteAnswersEverybodyAsItShould", "TestEveryRouteIsInTheTable",
				"TestAFounderTakenOffTheListIsNoneAtOnce", "TestAFrozenMemberIsNoneAtOnce"),
			in("internal/store", "TestNewSessionReplacesWhatTheBrowserHeld"),
		),
	},
	{
		Number: 37, Fault: "somebody repeats our secrets", Keeps: []string{"I6"},
		Holds: "what is told, logged, traced and stored of an answer has none of them, however they are written",
		How: "X, models and servers repeat keys, tokens and verifiers, plain and encoded, named and unnamed; planted values are " +
			"searched for in every file, log, history and answer",
		Tests: of(
			in("internal/clients/llm", "TestAServerThatRepeatsTheKey", "TestAKeyIsNotHeardEither"),
			in("proof/journeys", "TestSecretsAreLookedForWhereTheyWouldBe", "TestWhatALoginNeedsIsLookedFor"),
			in("internal/platform/telemetry", "TestASpanTellsNothingPersonalAndNoSecret"),
			in("internal/sandbox/x", "TestNoSecretIsLogged"),
			in("internal/sandbox/stripe", "TestNoSecretAndNoAddressIsLogged"),
			in("internal/sandbox/smtp", "TestLettersAreNotLogged"),
			in("api", "TestInternalFailuresSayNothing"),
			in("worker", "TestProblems"),
		),
		Seeded: in("internal/clients/x", "TestPlantedSecretsNeverSurvive"),
	},
}
