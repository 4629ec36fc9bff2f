// Runs two independent X clients against the sandbox: node check.mjs <port>. Exits non-zero at the first failure.
import assert from 'node:assert/strict';
import { checkTwitterApiV2 } from './twitter-api-v2.mjs';
import { checkXdk } from './xdk.mjs';

const port = Number(process.argv[2]);
if (!Number.isInteger(port) || port < 1 || port > 65535) {
  console.error('usage: node check.mjs <port>');
  process.exit(2);
}

const app = {
  key: process.env.X_CONSUMER_KEY ?? 'consumer-key',
  secret: process.env.X_CONSUMER_SECRET ?? 'consumer-secret',
};

for (const check of [checkTwitterApiV2, checkXdk]) {
  const tweet = await check(port, app);
  const page = await fetch(`http://127.0.0.1:${port}/sandbox/x/timeline.json`).then((answer) => answer.json());
  const kept = page.tweets.find(({ id }) => id === tweet.id);
  assert.equal(kept?.text, tweet.sent, `${check.name}: the sandbox kept another text`);
  assert.equal(kept.visible, false, `${check.name}: the deleted tweet is still visible`);
  console.log(`${check.name}: ok`);
}
