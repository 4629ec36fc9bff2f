package security

var secrets = Topic{"Secrets", []Line{
	{
		Number: "11.3.2", Asks: "what is kept secret is sealed by a good cipher, and bound to its place",
		Does: "AES-256-GCM; a value opens in its row alone",
		Proofs: of(
			in("internal/platform/keyring", "TestSealedOpensOnlyInItsPlaceWithItsKey", "TestSameValueIsSealedDifferentlyEachTime", "TestMarks"),
			in("internal/store", "TestSecretOpensOnlyAsItWasKept"),
		),
	},
	{
		Number: "11.1.1", Asks: "keys have names, and are changed while everything runs",
		Does: "a ring; rotate seals anew, a hundred at a time; a process whose keys do not fit does not start",
		Proofs: of(
			in("internal/store", "TestReadersDoNotNoticeARotation", "TestRotationThatIsBrokenOffIsRunAgain", "TestTwoRotationsAtOnceShareTheWork", "TestRotationStopsAtASecretThatDoesNotOpen", "TestCheckKeys"),
			in("internal/platform/cli", "TestKeysAreRotatedWhileTheDirectoryIsInUse", "TestKeyIsAddedInFront"),
		),
	},
	{
		Number: "13.3.1", Asks: "secrets lie in no source, image, database or backup",
		Does: "each comes from a file or the environment; every tracked file is searched for things that look like one",
		Proofs: of(
			in("proof/security", "TestV13_3_1_NoTrackedFileHoldsASecret"),
			in("internal/platform/config", "TestEverySecretMayLieInAFile", "TestOnlySecretsLieInFiles"),
			in("internal/platform/backup", "TestKeysAreNotInItAndHaveToFit"),
			in("tools/deploy", "TestSecretsAreNeverCommitted", "TestNoSecretStandsInAnEnvironment", "TestImagesAreBuiltFromSourcesAlone"),
		),
	},
	{
		Number: "13.3.2", Asks: "each process has the secrets that it needs, and no others",
		Does: "the cell and its replica have none of the product's; containers are given each file by itself",
		Proofs: of(
			in("internal/platform/cli", "TestTheReplicaKnowsNoSecret"),
			in("internal/platform/config", "TestTheCellGetsNoSecretButItsOwn", "TestComposeGivesASecretOnlyAsTheFileOfItsName"),
			in("tools/deploy", "TestSecretsAreReadByContainersAndByNobodyElse"),
			in("internal/target/supervisor", "TestTheReplicaIsToldNothingOfTheKeeper"),
		),
	},
	{
		Number: "14.2.1", Asks: "no secret stands in an address",
		Does:    "no parameter of the contract is one; the link of a welcome letter has its secret behind the #, which browsers keep to themselves",
		Differs: "the link that ends letters carries its proof, which does nothing else; OAuth 1.0a brings its request token and verifier in the query, good once.",
		Proofs: of(
			in("api", "TestV14_2_1_NoAddressCarriesASecret"),
			in("internal/clients/smtp", "TestOnlyTheWelcomeHasALinkWithASecret"),
			in("ui/src/pages/claim.test.tsx", "opening the link uses nothing up, and hides the secret"),
		),
	},
	{
		Number: "16.2.5", Asks: "no secret and no address enters a log, a trace or a history",
		Does: "canaries: every test of the API and of the journeys plants secrets, and searches logs, traces, histories, files and answers when it ends",
		Proofs: of(
			in("proof/journeys", "TestSecretsAreLookedForWhereTheyWouldBe"),
			in("internal/platform/telemetry", "TestASpanTellsNothingPersonalAndNoSecret"),
			in("internal/sandbox/x", "TestNoSecretIsLogged"), in("internal/sandbox/stripe", "TestNoSecretAndNoAddressIsLogged"), in("internal/sandbox/smtp", "TestLettersAreNotLogged"),
		),
	},
	{
		Number: "write-only", Asks: "a secret that was entered is not shown again",
		Does: "lists say whether it is set; the diagnostic measures lengths, and redacts what X says",
		Proofs: of(
			in("api", "TestSecretsAreListedByWhetherTheyAreSet", "TestTheBotIsConnectedWithPastedTokens", "TestNewKeysOfTheAppNeedBothHalves", "TestTokensThatCannotBeXsAreNotEvenTried", "TestXsAnswerIsForFoundersEyes"),
			in("internal/clients/x", "TestPlantedSecretsNeverSurvive", "TestRedactionOfOverlappingSecrets"),
		),
	},
	{
		Number: "settings", Asks: "an error about a setting does not repeat it", Does: "it names the setting",
		Proofs: of(
			in("internal/platform/config", "TestBadSettingsAreNamedAndNotRepeated", "TestSecretsAreNeverShown", "TestAFileOfASecretThatCannotBeUsedIsNamedAndNotRepeated"),
			in("internal/platform/cli", "TestUnreachableDatabaseKeepsItsPasswordOutOfSight", "TestWrongAndMissingKeysAreNamedAtTheStart"),
		),
	},
}}

var failures = Topic{"Failures", []Line{
	{
		Number: "16.5.1", Asks: "a failure tells strangers nothing but where it can be found",
		Does:   "one sentence and the number of the request, which stands in the log",
		Proofs: of(in("api", "TestInternalFailuresSayNothing", "TestRequestIDsAreOurs", "TestWithoutThePaymentServiceThereIsNoPageAndNoCharge"), in("worker", "TestProblems")),
	},
	{
		Number: "16.5.2", Asks: "the product goes on when a service outside is away",
		Does: "what was asked is kept, and done later; prices come from our rules",
		Proofs: of(
			in("api", "TestPostIsKeptWhenTemporalIsDown", "TestAWebhookThatCouldNotBeActedOnIsActedOnTheNextTime", "TestDeletionIsWrittenDownWhileTemporalIsAway"),
			in("workflows", "TestCheckoutWaitsForAServiceThatIsAway", "TestCheckoutModelThatHangs"),
		),
	},
	{
		Number: "16.5.3", Asks: "what cannot be checked is refused",
		Does: "without the database nobody is anybody, without keys no secret is kept, without the founders' key nobody has it",
		Proofs: of(
			in("api", "TestV16_5_3_WithoutTheBooksNobodyIsAnybody", "TestWithoutAKeyNobodyIsAFounder"),
			in("internal/store", "TestStoreWithoutKeysKeepsNoSecrets"),
			in("internal/platform/cli", "TestNobodyIsServedInPublicWithoutSecrets"),
		),
	},
	{
		Number: "16.5.4", Asks: "a panic ends one request, and is found in the log",
		Does: "the last resort answers as any failure is answered; a page that throws shows its error screen, and reports itself",
		Proofs: of(
			in("api", "TestV16_5_4_APanicIsAnAnswerAndALine"),
			in("internal/clients/llm", "TestFailures"),
		),
	},
}}
