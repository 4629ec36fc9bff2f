// Package stripe is the product's client of Stripe, and the one door to it: coupons, payment
// pages, refunds, and what webhooks tell.
//
// Nothing here tries again, follows a redirect, or decides what becomes of a checkout. Every
// error of a call is a *checkout.PaymentError; none of them holds a key, an address, or a body
// as it came. All money is US cents.
package stripe
