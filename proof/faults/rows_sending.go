package faults

// sending is what X and the way to it do to a post.
var sending = []Row{
	{
		Number: 7, Fault: "X asks us to wait (429)", Keeps: []string{"I1", "I2"},
		Holds: "the post says so, waits for the end of the limit and a little more, and goes out once",
		How:   "answers with the end of the limit, without it, and with nonsense in its place; on posts and on reads",
		Tests: of(
			in("internal/clients/x", "TestRateLimitedUntil", "TestPublishRefused"),
			in("internal/sandbox/x", "TestARateLimitNamesItsEnd"),
			in("activities", "TestVerdict", "TestSpread"),
			in("workflows", "TestRateLimitedPostSaysSoAndWaitsForTheReset"),
			in("proof/journeys", "TestPostJourneys", "TestPostsThatWaitedTogetherGoOutInTheirTurn"),
		),
	},
	{
		Number: 8, Fault: "the way to X fails", Keeps: []string{"I1", "I2"},
		Holds: "what certainly never left is tried again; everything else counts as unclear, and is looked for first",
		How:   "names that do not resolve, refused and reset connections, broken TLS, worn connections, every kind of half an answer",
		Tests: of(
			in("internal/clients/x", "TestPublishThatNeverLeft", "TestPublishThatCameTooLate", "TestPublishWhileWeShutDown",
				"TestPublishWithoutAWholeAnswer", "TestPublishToAServerThatResetsAtOnce", "TestPublishOnAWornConnection",
				"TestReadsAreToldApartAlike", "TestRedirectsAreNotFollowed", "TestSandboxFaults"),
			in("activities", "TestVerdict"),
		),
	},
	{
		Number: 9, Fault: "X takes a post, and its answer is lost", Keeps: []string{"I1", "I2"},
		Holds: "our own timeline decides, read to its end, before anything is sent again",
		How:   "X takes the post, then hangs, resets, fails or cuts its answer short; texts that X changes",
		Tests: of(
			in("workflows", "TestPostEndings", "TestUnreadableTimelineLeavesThePostUnknown", "TestReconcileIgnoresOtherPostsTweets"),
			in("activities", "TestReconcile", "TestReconcileFindsWhatXHasChanged"),
			in("internal/clients/x", "TestTimelineIsCompleteOrNotAtAll"),
			in("proof/journeys", "TestPostJourneys"),
			in("ui/e2e/retry.e2e.ts", "a post whose answer is lost is found on the timeline, not sent twice"),
		),
		InTurn: in("proof/crash/posts", "TestTorture/sqlite", "TestTorture/postgres", "TestTortureOfAServerThatIsKilled"),
	},
	{
		Number: 10, Fault: "X shows a post late", Keeps: []string{"I2"},
		Holds: "a look that comes later finds it, and the post is published and not sent again",
		How:   "the tweet is seen between the looks, after both, or when the post is tried again",
		Tests: of(
			in("activities", "TestReconcile"),
			in("internal/sandbox/x", "TestALateTweetIsSeenLater"),
			in("internal/store", "TestFailedPostFoundAfterAllHoldsASlotAgain"),
			in("workflows", "TestATweetThatIsSeenLate", "TestRetry", "TestPostEndings"),
			in("proof/journeys", "TestAPostThatXShowsLateIsThereOnce"),
		),
	},
	{
		Number: 11, Fault: "X calls a post a duplicate", Keeps: []string{"I2"},
		Holds: "that it is public is known, that it is ours is not: the timeline says so",
		How:   "both wordings of X, at the first try and after an unclear one; two posts with one text",
		Tests: of(
			in("internal/clients/x", "TestPublishRefused", "TestSandboxRefusals"),
			in("activities", "TestVerdict"),
			in("workflows", "TestPostEndings"),
			in("internal/sandbox/x", "TestDuplicates", "TestADuplicateIsRefusedInXsWords"),
			in("internal/store", "TestOpenTextsAreUnique", "TestOneTweetBelongsToOnePost"),
		),
	},
	{
		Number: 12, Fault: "X takes the bot's access away", Keeps: []string{"I1", "I2"},
		Holds: "the product says that the bot is limited and why; slots and credits come back, and posts can be sent later",
		How:   "tokens that are revoked, an account that is locked or suspended, keys that are replaced",
		Tests: of(
			in("api", "TestBotIsLimitedWhenXRefusesTheAccount"),
			in("internal/clients/x", "TestPublishRefused", "TestDiagnosisKnowsEveryFault"),
			in("proof/journeys", "TestADayWithTokensThatWereTakenBack", "TestKeysAreReplacedAndRolledBack", "TestPostJourneys"),
			in("internal/store", "TestVerdicts"),
		),
	},
	{
		Number: 13, Fault: "a post is cancelled or edited as it goes out", Keeps: []string{"I1", "I2"},
		Holds: "it is sent or cancelled, never both, and whoever ordered is told which",
		How:   "orders around the moment at which the post is due, and while it is being settled",
		Tests: of(
			in("proof/journeys", "TestOrdersToAPostThatIsBeingSentAreRefused"),
			in("workflows", "TestOrdersWhileThePostIsBeingSettledAreRefusedWithAReason", "TestCancelInTheConsoleWhileSettlingFirstFindsOut",
				"TestCancelInTheConsoleDoesNotCutOrdersOff", "TestOrderThatComesWithTheStartIsCarriedOut"),
			in("activities", "TestPublish"),
			in("internal/store", "TestArmedPostsAreNotTouched"),
		),
		Seeded: in("internal/store", "TestAnOrderAndTheSendingOfItsPostAreOneAfterTheOther"),
		InTurn: in("proof/crash/posts", "TestTorture/sqlite", "TestTorture/postgres", "TestTortureOfAServerThatIsKilled"),
	},
	{
		Number: 33, Fault: "the bot is disconnected while a post is armed", Keeps: []string{"I2", "I6"},
		Holds: "nothing is sent as somebody else: the post waits, or is unknown until its own account is back",
		How:   "the account is removed or replaced before, while and after a post is armed",
		Tests: of(
			in("workflows", "TestAnArmedPostWhoseAccountIsRemovedIsUnknown", "TestAPostIsSentWithWhatItWasArmedWith", "TestAPostWaitsForTheBotToBeConnected"),
			in("activities", "TestPublishWhileConnectionsChange"),
			in("internal/store", "TestDisconnectedBotLetsPostsWait", "TestAnotherAccountWaitsForUnsettledPosts", "TestPostsAreSentWithTheConnectionThatTheyWereArmedWith"),
			in("proof/journeys", "TestTokensAreTakenAwayWhileAPostIsOnItsWay", "TestAnotherAccountWaitsUntilPostsAreSettled"),
			in("worker", "TestTheBotPostsWithWhatIsConnectedNow"),
			in("api", "TestDisconnectingSaysWhichPostsWait"),
		),
	},
}
