package security

var models = Topic{"Models", []Line{
	{
		Number: "LLM01", Asks: "what a model reads cannot give it orders that count",
		Does: "pages, topics and behaviour are data in a block of their own; a comment can lower a verdict and never raise it",
		Proofs: of(
			in("workflows", "TestModelCanOnlyLowerTheVerdict", "TestNoPageTalksItsVerdictUp", "TestWhatAPageSaysStaysData", "TestCheckoutModelIsToldTheFiveFacts"),
			in("internal/domain/verification", "TestNoCommentRaises"),
			in("internal/domain/model", "TestNothingInTheInputEndsItsBlock"),
			in("internal/clients/llm", "TestBuiltinTreatsATopicAsData"),
			in("api", "TestTheDemoTakesBehaviourWithinBounds"),
		),
	},
	{
		Number: "LLM03", Asks: "a model can do little, whatever it says",
		Does: "it has no tools: it proposes 0 to 30 % off, or a text that people send or do not; code holds the bounds, and a bad answer or none has a default",
		Proofs: of(
			in("internal/domain/pricing", "TestSettledPricesKeepToEveryLimit", "FuzzReadProposal"),
			in("internal/domain/generation", "TestFit"),
			in("internal/clients/llm", "FuzzAnswer", "TestFailures"),
			in("workflows", "TestCheckoutModelThatHangs", "TestCheckoutFallbackIsAWordOfOurs", "TestACommentWhoseWorkerIsLostIsMadeWithoutTheModel"),
		),
	},
	{
		Number: "LLM06", Asks: "what models use has a bound",
		Does: "limits by the hour and by the day, answers that are cut, two tries for a price and one for a text; a price that no model may be asked for is one by fixed rules",
		Proofs: of(
			in("internal/store", "TestTextsOfEverybodyTogetherAreLimitedForADay", "TestVerificationLimitOfEverybody"),
			in("workflows", "TestCheckoutIsPricedByOurRulesWhenModelsPricedEnoughForADay"),
			in("internal/clients/llm", "TestNoMoreIsReadThanWeKeep"),
			in("api", "TestV2_4_1_EverybodysClicksTogetherAreBounded"),
		),
	},
	{
		Number: "LLM10", Asks: "what a model writes is text, wherever it is shown",
		Does: "markup is refused where it would be posted, and shown as text elsewhere; the key of a model is heard in no answer",
		Proofs: of(
			in("internal/domain/generation", "TestFit"),
			in("api", "TestMarkupIsText"),
			in("internal/clients/llm", "TestAServerThatRepeatsTheKey", "TestAKeyIsNotHeardEither"),
		),
	},
}}

var claims = Topic{"What callers claim", []Line{
	{
		Number: "who votes", Asks: "nobody votes as somebody else", Does: "the session says who; a number in the body is refused",
		Proofs: in("api", "TestAVoteIsTheSessionsAndNobodyElses", "TestOnlyMembersVote"),
	},
	{
		Number: "who is a member", Asks: "nobody makes themselves a member, or says what was paid", Does: "founders enter members; a payment does, when Stripe says that it came",
		Proofs: in("api", "TestEveryRouteAnswersEverybodyAsItShould", "TestWrongRequestsAreRefused", "TestMembersWithBadAddressesAreNotEntered"),
	},
	{
		Number: "what it costs", Asks: "nobody names their own price", Does: "amount_override may name the list price, and nothing else",
		Proofs: in("api", "TestWhatIsNotForSaleIsRefusedAndNothingIsWritten", "TestANumberThatDoesNotFitIsRefusedAndNotRepeated"),
	},
	{
		Number: "the founders' key", Asks: "a key that programs send is known to no page",
		Does:    "it is compared in constant time, stands in no answer and in no built file, and is refused beside a login",
		Differs: "POST /tweet takes it without a login, as its description asks: programs cannot log in.",
		Proofs:  in("api", "TestTheBuiltPagesKnowNoKey", "TestWithoutAKeyNobodyIsAFounder", "TestARequestHasOneSender", "TestWrongRequestsAreRefused"),
	},
	{
		Number: "the admin's pages", Asks: "who is no founder does not learn that they are there", Does: "the answer is that of a route that does not exist; what changes something wants a login younger than ten minutes, and stands in the audit",
		Proofs: in("api", "TestTheAdminIsNotThere", "TestTheAdminAsksForAFreshLogin", "TestEveryActOfAFounderIsInTheAudit"),
	},
	{
		Number: "a bare name", Asks: "a name alone lets nobody in", Does: "a code goes to the address of whoever has it; DEV_LOGIN is for a laptop that only its own people reach",
		Proofs: in("api", "TestNamesAsPeopleTypeThem", "TestANameAloneLogsInOnALaptopOnly", "TestUnknownPeopleAreAnsweredLikeKnownOnes"),
	},
	{
		Number: "words in a link", Asks: "no link speaks in our name", Does: "pages show words that they know, and repeat nobody's",
		Proofs: of(
			in("api", "TestTheLandingRepeatsNobodysWords"),
			in("ui/e2e/landing.e2e.ts", "customer zero is a preview, and leaves no trace in the address"),
		),
	},
}}

var statements = Topic{"Statements", []Line{
	{
		Number: "1.2.4", Asks: "no statement is put together of what people sent",
		Does: "conditions are constants with places for values; the few that are put together are made of our own constants, and named with the reason in a list that a test holds",
		Proofs: of(
			in("proof/security", "TestV1_2_4_StatementsAreConstants"),
			in("api", "TestCookiesThatAreNoSessionMakeAVisitor", "TestTheListRefusesWhatItDoesNotKnow", "TestMarkupIsText"),
		),
	},
	{
		Number: "no value is lost", Asks: "a change to false, zero or nothing is written", Does: "a row is written with all its columns, or by the names of some; nothing is found or made in two steps",
		Proofs: of(
			in("proof/security", "TestChangesNameTheirColumns"),
			in("internal/store", "TestNoticesAreWantedUntilTheyAreNot", "TestVisitorsPricesAreForgottenWithThem", "TestFirstLoginsAtOnceMakeOneAccount", "TestVisitorWhoSpeaksAtOnceIsCountedOnce", "TestModelsAndSchemasAgree"),
		),
	},
	{
		Number: "15.2.1", Asks: "what we depend on is known, and held against what is known of it",
		Does:    "every version is pinned, with its digest; make audit asks Go's vulnerability database and npm's, fails when something is known, and says when it could not ask",
		Differs: "where the databases cannot be reached, nothing is claimed: see below.",
		Proofs:  of(in("proof/security", "TestTheAuditSaysWhatItKnows", "TestEveryPackageIsPinned"), in("tools/deploy", "TestWhatImagesAreMadeFromIsPinned")),
	},
}}
