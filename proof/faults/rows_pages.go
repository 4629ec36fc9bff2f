package faults

// pages are looked at by a browser, and do what they like.
var pages = []Row{
	{
		Number: 22, Fault: "the browser crashes, hangs or grows", Keeps: []string{"I9"},
		Holds: "a look ends within its time, as an error and not as a success; no process, folder or goroutine stays",
		How:   "SIGKILL of browser and driver during and between looks; endless pages, redirects, dialogs, downloads, too much memory",
		Tests: of(
			in("internal/clients/browser", "TestManyHostileLooksLeaveNothing", "TestABrowserThatLosesAHelperIsWellAgain",
				"TestALookWhosePageDiesEndsAtOnce", "TestHostilePages", "TestABrowserThatDiesIsReplaced", "TestAPageThatNeedsTooMuchMemory", "TestABrowserThatIsTooLargeIsKilled",
				"TestALookEndsWithItsContext", "TestTwoAtATime", "TestItIsClosedWhenIdle", "TestCloseLeavesNothing", "TestNobodyAnswers"),
			in("activities", "TestABrowserThatHangsIsGivenUp"),
			in("workflows", "TestVerificationEnds"),
		),
	},
	{
		Number: 23, Fault: "a page or an address leads inside", Keeps: []string{"I7"},
		Holds: "no connection is opened and no name looked up but for what may be looked at",
		How: "more than a hundred spellings of addresses, names that lead inside or change between two looks, redirects, scripts, " +
			"frames, sockets and files from a page",
		Tests: of(
			in("internal/clients/egress", "TestNoOtherHostIsReachedHoweverItIsWritten", "TestNoTrickOfARequestReachesAnything",
				"TestANameThatLeadsInsideIsRefusedBeforeAnythingIsDialled", "TestANameIsResolvedOnceAndWhatWasLookedAtIsDialled",
				"TestTheDialerOfTheInternetRefusesInsideByItself", "TestOurOwnClientReachesASiteAndNoRedirectLeadsItElsewhere"),
			in("internal/domain/verification", "TestAimRefuses", "FuzzAim"),
			in("api", "TestForbiddenTargetsAreRefusedAndNothingBegins"),
			in("internal/clients/browser", "TestNothingLeavesByAnotherWay", "TestHostilePages", "TestFacts", "TestNobodyAnswers"),
		),
	},
}
