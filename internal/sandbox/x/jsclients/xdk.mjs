// The official SDK accepts a base URL for the API but always signs in at https://api.x.com, so only the sign-in is
// redirected to the sandbox.
import assert from 'node:assert/strict';
import { ApiError, Client, OAuth1 } from '@xdevplatform/xdk';
import { callback, checkShown, consent, textFor } from './consent.mjs';

export async function checkXdk(port, app) {
  const baseUrl = `http://127.0.0.1:${port}`;
  const token = await login(port, app, baseUrl);
  const oauth1 = new OAuth1({ apiKey: app.key, apiSecret: app.secret, callback, ...token });
  const client = new Client({ oauth1, baseUrl });

  const me = await client.users.getMe();
  assert.match(me.data.id, /^\d+$/);
  const sent = textFor('xdk');
  const made = await client.posts.create({ text: sent, madeWithAi: true });
  checkShown(made.data.text);

  const again = await client.posts.create({ text: sent }).then(() => null, (error) => error);
  assert.ok(again instanceof ApiError, 'the second post should be refused');
  assert.equal(again.status, 403);
  assert.equal(again.data.detail, 'You are not allowed to create a Tweet with duplicate content.');

  const timeline = await client.users.getPosts(me.data.id, { maxResults: 5, postFields: ['created_at', 'entities', 'made_with_ai'] });
  const [newest] = timeline.data;
  assert.equal(newest.id, made.data.id);
  assert.equal(newest.madeWithAi, true);
  assert.equal(newest.entities.urls[0].expandedUrl, 'http://example.com/a?b=1');
  assert.equal(timeline.meta.newestId, made.data.id);

  const removed = await client.posts.delete(made.data.id);
  assert.equal(removed.data.deleted, true);
  const gone = await client.posts.getByIds([made.data.id]);
  assert.equal(gone.data, undefined);
  assert.equal(gone.errors[0].title, 'Not Found Error');
  return { id: made.data.id, sent };
}

async function login(port, app, baseUrl) {
  const there = globalThis.fetch;
  globalThis.fetch = (url, init) => there(String(url).replace('https://api.x.com', baseUrl), init);
  try {
    const oauth1 = new OAuth1({ apiKey: app.key, apiSecret: app.secret, callback });
    const verifier = await consent(port, await oauth1.startOAuthFlow());
    return await oauth1.getAccessToken(verifier);
  } finally {
    globalThis.fetch = there;
  }
}
