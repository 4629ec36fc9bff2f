// Package llm asks language models, and is the only one that knows LangChain. Whatever a
// model says is text from a stranger: what leaves this package has the form of the
// question's schema or, of a question without one, is a text of at most 8 kB; nothing more is
// promised about it. What is done with it is for the rules.
//
// Nothing here asks again after a failure, keeps a call, or logs. Every error of Ask and Write is
// a *model.Error, and none holds a key or a word of what a server said.
package llm
