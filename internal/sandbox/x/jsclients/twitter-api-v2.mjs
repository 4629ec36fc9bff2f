// twitter-api-v2 only calls https://api.x.com. This agent connects it to the sandbox instead, without TLS.
import assert from 'node:assert/strict';
import https from 'node:https';
import net from 'node:net';
import { ApiResponseError, TwitterApi } from 'twitter-api-v2';
import { callback, checkShown, consent, textFor } from './consent.mjs';

export async function checkTwitterApiV2(port, app) {
  const httpAgent = new https.Agent();
  httpAgent.createConnection = () => net.connect(port, '127.0.0.1');
  const client = await login(port, app, { httpAgent });

  const me = await client.v2.me();
  const sent = textFor('twitter-api-v2');
  const { data: made } = await client.v2.tweet(sent, { made_with_ai: true, paid_partnership: true });
  checkShown(made.text);

  const again = await client.v2.tweet(sent).then(() => null, (error) => error);
  assert.ok(again instanceof ApiResponseError, 'the second tweet should be refused');
  assert.equal(again.code, 403);
  assert.equal(again.data.detail, 'You are not allowed to create a Tweet with duplicate content.');
  assert.equal(again.rateLimit.limit - again.rateLimit.remaining, 2);

  const timeline = await client.v2.userTimeline(me.data.id, {
    max_results: 5, exclude: 'replies', 'tweet.fields': ['created_at', 'entities', 'public_metrics'],
  });
  const [newest] = timeline.tweets;
  assert.equal(newest.id, made.id);
  checkEntities(newest);
  assert.equal(newest.public_metrics.like_count, 0);
  assert.ok(Math.abs(Date.now() - Date.parse(newest.created_at)) < 60_000);

  const { data: [one] } = await client.v2.tweets([made.id]);
  assert.equal(one.text, made.text);
  assert.deepEqual(await client.v2.deleteTweet(made.id), { data: { deleted: true } });
  const gone = await client.v2.tweets([made.id]);
  assert.equal(gone.data, undefined);
  assert.equal(gone.errors[0].title, 'Not Found Error');
  return { id: made.id, sent };
}

async function login(port, app, settings) {
  const visitor = new TwitterApi({ appKey: app.key, appSecret: app.secret }, settings);
  const link = await visitor.generateAuthLink(callback, { linkMode: 'authorize' });
  assert.equal(link.oauth_callback_confirmed, 'true');
  const verifier = await consent(port, link.url);
  const pending = new TwitterApi(
    { appKey: app.key, appSecret: app.secret, accessToken: link.oauth_token, accessSecret: link.oauth_token_secret },
    settings,
  );
  const { client, userId, screenName } = await pending.login(verifier);
  const me = await client.v2.me();
  assert.deepEqual([me.data.id, me.data.username], [userId, screenName]);
  return client;
}

function checkEntities(tweet) {
  const [url] = tweet.entities.urls;
  assert.equal([...tweet.text].slice(url.start, url.end).join(''), url.url);
  assert.equal(url.expanded_url, 'http://example.com/a?b=1');
  assert.equal(url.display_url, 'example.com/a?b=1');
}
