package faults

// models answer badly, late, or as a stranger wishes.
var models = []Row{
	{
		Number: 20, Fault: "a model fails, hangs or answers nonsense", Keeps: []string{"I4", "I10"},
		Holds: "the price is that of our rules, or clamped, within the buyer's patience, and the receipt says so; a text that is cut is none",
		How:   "no answer, errors, 10 MB, no JSON, −5, 500 %, NaN, an end in mid-stream, for every kind of server; 200,000 proposals by chance",
		Tests: of(
			in("internal/clients/llm", "TestFailures", "TestWriteFailures", "TestATextThatIsCutIsNone", "TestTheCallersDeadlineCounts", "TestNoMoreIsReadThanWeKeep", "FuzzAnswer"),
			in("internal/domain/pricing", "FuzzReadProposal"),
			in("workflows", "TestCheckoutPrices", "TestCheckoutModelThatHangs", "TestCheckoutFallbackIsAWordOfOurs"),
			in("internal/store", "TestCheckoutPriceThatManyDecideAtOnceIsOne"),
			in("proof/journeys", "TestABuyerDoesNotWaitForAModelThatHangs", "TestCheckoutJourneys"),
		),
		Seeded: in("internal/domain/pricing", "TestSettledPricesKeepToEveryLimit"),
	},
	{
		Number: 21, Fault: "a text tells the model what to do", Keeps: []string{"I6", "I10"},
		Holds: "what others wrote stays data: no verdict rises, no secret is told, no markup gets through",
		How:   "a collection of pages that give orders, in sight and hidden, before a model that obeys; topics, names and answers that end their block",
		Tests: of(
			in("workflows", "TestNoPageTalksItsVerdictUp", "TestModelCanOnlyLowerTheVerdict", "TestWhatAPageSaysStaysData", "TestCheckoutModelIsToldTheFiveFacts"),
			in("internal/domain/verification", "TestNoCommentRaises", "TestJudgeComment", "TestSettleCutsAndCleans"),
			in("internal/domain/model", "TestNothingInTheInputEndsItsBlock", "TestAskTweet"),
			in("internal/clients/llm", "TestBuiltinTreatsATopicAsData", "TestAKeyIsNotHeardEither", "TestAServerThatRepeatsTheKey"),
			in("api", "TestFeedsCarryHostileTexts", "TestMarkupIsText"),
		),
	},
}
