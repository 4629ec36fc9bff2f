// Package stripe is a stand-in for Stripe: a loopback server that speaks as much of its API
// (version 2023-10-16) as selling one thing through Checkout needs, so that the product's
// real client can be run, watched and broken without an account. It shows the page on which
// people pay, sends signed webhooks, keeps what it knows in a file, and misbehaves on
// request, reproducibly.
//
// No flow may know this package. It opens connections to the webhook's address only, and no
// money moves. It must refuse what Stripe refuses; being kinder than Stripe hides bugs. What
// buyers type, such as their address, may not be logged.
package stripe
