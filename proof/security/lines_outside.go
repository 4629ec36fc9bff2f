package security

var outside = Topic{"Whom we ask", []Line{
	{
		Number: "1.3.6", Asks: "nobody makes the server look at addresses of their choice",
		Does: "a look at a page goes to the origins that the settings name; about a hundred spellings of others are refused before anything begins",
		Proofs: of(
			in("api", "TestForbiddenTargetsAreRefusedAndNothingBegins", "TestNothingMayBeLookedAtWhereNoSiteIsNamed", "TestVerificationsThatAreRefusedUseNothingUp"),
			in("internal/domain/verification", "TestAimAllows", "TestAimRefuses", "TestAimWithoutOrigins", "FuzzAim"),
		),
	},
	{
		Number: "13.2.4, 13.2.5", Asks: "what the product may reach is a list, and held",
		Does: "the browser's only way out is a gate of ours that resolves a name once, looks at the address, and dials that; in the containers, networks say who meets whom",
		Proofs: of(
			in("internal/clients/egress", "TestNoOtherHostIsReachedHoweverItIsWritten", "TestNoTrickOfARequestReachesAnything", "TestANameThatLeadsInsideIsRefusedBeforeAnythingIsDialled",
				"TestANameIsResolvedOnceAndWhatWasLookedAtIsDialled", "TestOnlyTCPIsDialled", "TestTheDialerOfTheInternetRefusesInsideByItself", "TestTwoSitesAtOneAddressCannotDiffer"),
			in("internal/clients/browser", "TestHostilePages"),
			in("tools/deploy", "TestWhoMeetsWhom"),
		),
	},
	{
		Number: "15.3.2", Asks: "no redirect leads our own calls elsewhere",
		Does: "every client of ours stays where it was sent; a list names the few that a library makes, and a test reads the sources for others",
		Proofs: of(
			in("proof/security", "TestV15_3_2_EveryClientStaysWhereItIsSent"),
			in("internal/platform/cli", "TestV15_3_2_TheFoundersKeyFollowsNoRedirect", "TestV15_3_2_WhoAsksWhetherWeAreWellIsNotLedElsewhere"),
			in("internal/clients/x", "TestRedirectsAreNotFollowed", "TestALoginFollowsNoRedirect"),
			in("internal/clients/stripe", "TestRedirectsAreNotFollowed"),
			in("internal/clients/llm", "TestFailures", "TestWriteFailures"),
			in("activities", "TestWhatEndpointsSay"),
			in("internal/clients/egress", "TestOurOwnClientReachesASiteAndNoRedirectLeadsItElsewhere"),
			in("internal/target/probe", "TestAPageIsWellWhenItIsTheRightOne", "TestRefusalsKeepTheKeepersWords"),
		),
	},
	{
		Number: "15.2.2", Asks: "answers from outside are bounded in size and time",
		Does: "each client has a deadline, and reads no more than it needs",
		Proofs: of(
			in("internal/clients/egress", "TestAResponseIsCutWhereItIsTooLong", "TestATunnelIsCutWhereItIsTooMuch", "TestManyResponsesAreCutWhereTheyAreTooMuch"),
			in("internal/clients/llm", "TestNoMoreIsReadThanWeKeep", "TestFailures"),
		),
	},
	{
		Number: "the sandboxes", Asks: "stand-ins that let anybody in are for people at this machine",
		Does:   "their pages are passed on under names of this machine alone, and lead nowhere else",
		Proofs: in("api", "TestTheTimelinesPathLeadsNowhereElse", "TestWhatLetsAnybodyInIsForPeopleAtThisMachine", "TestWhoWeAreStaysWithUs", "TestTheSandboxLetsNoStrangersIn"),
	},
}}

var limits = Topic{"Limits and races", []Line{
	{
		Number: "2.3.2, 2.3.4", Asks: "what is limited by the business is limited by the database, and nothing is given twice",
		Does: "slots, shares, readings and discounts are rows under a constraint",
		Proofs: in("internal/store", "TestEverybodyGetsTheirShareAndNoMore", "TestLatePostFailsWhenTheNewMonthIsFull", "TestDatabaseItselfRefusesOneTooMany",
			"TestReadingsStopAtTheBudget", "TestCheckoutDiscountsAtOnceKeepToTheMonth"),
	},
	{
		Number: "2.3.3", Asks: "a step is taken whole, or not at all",
		Does: "a fact, its letter and its secrets are one transaction",
		Proofs: in("internal/store", "TestMemberWhoCannotBeEnteredLeavesNothing", "TestCheckoutWhoseLettersCannotBeSealedStaysAsItIs", "TestAVerdictWithoutItsLetterIsNone",
			"TestClaimWhoseSessionFailsStaysGood"),
	},
	{
		Number: "15.4.2", Asks: "nothing happens between the check and the act",
		Does: "the statement that uses something up is the one that asks whether it is there",
		Proofs: of(
			in("internal/store", "TestAnyNumberOfCallersTakeNoMoreThanTheLimit", "TestRightCodeAtOnceOpensOneSession", "TestClaimAtOnceLetsInOnce", "TestReturnsAtOnceAreTakenInOnce",
				"TestChaosOfManyAtOnceIsOneRun", "TestVotesOfManyMembersAtOnceAreTheirRows", "TestSomebodyElsesChangeIsNotOverwritten"),
			in("api", "TestFiftyGuessesAtOnceAreFiveAndThenItIsOver", "TestTenReturnsAtOnceAreOneLogin", "TestTwoVisitorsAtOnce"),
		),
	},
	{
		Number: "2.4.1, everybody", Asks: "what costs something has a limit, whoever asks",
		Does:    "every write that visitors may try has one, or a reason in a list; a new route without either fails a test",
		Differs: "visitors are counted by network address, not by session as well: a session costs nothing to make.",
		Proofs:  in("api", "TestV2_4_1_EveryWriteOfVisitorsHasALimitOrAReason", "TestTheLimitsOfANetworkAreNotEvadedByAHeader"),
	},
	{
		Number: "2.4.1, chaos", Asks: "breaking the cell is limited", Does: "three an hour for a network, thirty together, one at a time",
		Proofs: of(in("api", "TestTheFourthRunOfAVisitorWithinTheHourWaits", "TestFoundersCountInTheSumOnly", "TestChaosThatIsRefusedUsesNothingUp"), in("internal/store", "TestChaosLimitOfAVisitor", "TestChaosLimitOfEverybody")),
	},
	{
		Number: "2.4.1, looks", Asks: "looks at our pages are limited", Does: "thirty an hour for a network, 120 together",
		Proofs: of(in("api", "TestAVisitorWaitsWhenTheirVerificationsAreUsedUp", "TestFoundersVerificationsCountInTheSumOnly"), in("internal/store", "TestVerificationLimitOfEverybody")),
	},
	{
		Number: "2.4.1, texts", Asks: "texts by models are limited, and what they cost in a day", Does: "thirty an hour for an account, 2,000 a day for everybody together",
		Proofs: of(in("api", "TestGenerationsAreLimited"), in("internal/store", "TestGenerationsAreLimitedByTexts", "TestTextsOfEverybodyTogetherAreLimitedForADay")),
	},
	{
		Number: "2.4.1, prices", Asks: "prices by models are limited", Does: "120 in ten minutes for a network, 3,000 together; a model is asked twice at most, and for 2.5 seconds",
		Proofs: in("api", "TestClicksWithoutEndAreRefused", "TestV2_4_1_EverybodysClicksTogetherAreBounded", "TestACrowdBehindOneAddressIsNotCountedAndNotRefused"),
	},
	{
		Number: "2.4.1, the diagnostic", Asks: "what X bills is limited", Does: "one run a minute for a network, thirty an hour together",
		Proofs: in("api", "TestADiagnosisIsRunOnceAMinuteForEachVisitor", "TestDiagnosesAreLimitedForEverybodyTogether"),
	},
	{
		Number: "2.4.1, logins", Asks: "codes, guesses and logins are limited", Does: "by account and by network; a code bears five tries, whatever comes at once",
		Proofs: of(
			in("api", "TestUnknownPeopleAreAnsweredLikeKnownOnes", "TestLoginsWithXAreLimited", "TestV2_4_1_CodesForNewAddressesAreLimited", "TestTryingTokensIsLimited"),
			in("internal/store", "TestCodesAreLimited", "TestGuessesAreLimitedAcrossPeople", "TestXLoginsAreLimited", "TestXLoginsOfEverybodyTogetherAreLimited"),
		),
	},
	{
		Number: "2.4.1, the rest", Asks: "looks at runs, ideas, votes, downloads, streams and reports are limited", Does: "each by a row, streams by places",
		Proofs: of(
			in("api", "TestLooksAtRunsAreLimitedByNetwork", "TestIdeasAreCountedByNetworkAndByMember", "TestExportIsGivenTenTimesAnHour", "TestNobodyTakesAllPlaces", "TestOnlySoManyLookOnAtOnce"),
			in("internal/store", "TestLimitsOfSubmissions", "TestLimitOfVotes", "TestReportsOfBrokenPagesCannotFillTheDatabase"),
		),
	},
	{
		Number: "size", Asks: "nobody fills the memory, or holds a place by being slow", Does: "64 kB of body where nothing else is said, bounded headers, and deadlines, here and at the proxy",
		Proofs: of(
			in("api", "TestTooMuchIsRefusedBeforeItIsRead", "TestNoRouteReadsMoreThanItsLimit", "TestSlowClientsAreLetGoAndHoldUpNobody", "TestCookiesTooLargeAreRefusedAndTheServerGoesOn"),
			in("deploy", "TestTheEdgeKeepsFromTheProductWhatIsNotForIt", "TestTheEdgeWaitsForNobodysHeaders"),
		),
	},
}}
