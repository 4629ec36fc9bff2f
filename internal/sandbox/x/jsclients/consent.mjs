// Submits the consent page as a browser would.
import assert from 'node:assert/strict';

export const callback = 'http://127.0.0.1:9/callback?from=check';

// The text holds characters that clients often encode wrongly: an emoji family, CJK, HTML, a bare domain.
export const textFor = (client) => `${client} says 👩‍👩‍👧 今日は <b>&</b> example.com/a?b=1 it's (100%!*)`;

export function checkShown(shown) {
  assert.match(shown, /今日は &lt;b&gt;&amp;&lt;\/b&gt; https:\/\/t\.co\/[a-zA-Z0-9]{10} it's \(100%!\*\)$/u);
}

// consent approves the sign-in and returns the verifier for the app.
export async function consent(port, authorizeURL) {
  const { pathname, search } = new URL(authorizeURL);
  const url = `http://127.0.0.1:${port}${pathname.replace('/i/oauth/', '/oauth/')}${search}`;
  const page = await fetch(url);
  assert.equal(page.status, 200, 'the consent page');
  const html = await page.text();
  const form = new URLSearchParams({
    oauth_token: html.match(/name="oauth_token" value="([^"]+)"/)[1],
    account: html.match(/name="account" value="([^"]+)" checked/)[1],
    decision: html.match(/name="decision" value="(allow)"/)[1],
  });
  const answer = await fetch(url, { method: 'POST', body: form, redirect: 'manual' });
  assert.equal(answer.status, 302, 'the answer to the consent form');
  const back = new URL(answer.headers.get('location'));
  assert.equal(back.origin + back.pathname, 'http://127.0.0.1:9/callback');
  assert.equal(back.searchParams.get('from'), 'check', "the callback's own query");
  assert.equal(back.searchParams.get('oauth_token'), form.get('oauth_token'));
  return back.searchParams.get('oauth_verifier');
}
