package llm

import "customerzero/internal/domain/model"

// nanoUSDPerToken is what a price of one cent per million tokens makes of a token, in
// billionths of a dollar.
const nanoUSDPerToken = 10

// count enters tokens and cost. What a server refuses is free; an answer that never came
// whole may cost all the same, and nobody told us how much.
func (d *door) count(call *model.Call, words said, exchange *exchange) {
	call.TokensIn, call.TokensOut = words.tokensIn, words.tokensOut
	if d.price == nil {
		return
	}
	call.CostNanoUSD = nanoUSDPerToken * (int64(words.tokensIn)*int64(d.price.InCents) + int64(words.tokensOut)*int64(d.price.OutCents))
	free := *d.price == Price{} || exchange.status >= 300
	call.Priced = free || words.tokensIn+words.tokensOut > 0
}
