-- +goose Up

-- Members, accounts and login

CREATE TABLE members (
  id            text PRIMARY KEY,
  username      text NOT NULL,
  username_key  text NOT NULL UNIQUE,
  status        text NOT NULL CHECK (status IN ('active', 'frozen', 'removed')),
  payment_cents integer NOT NULL CHECK (payment_cents >= 0),
  joined_at     timestamptz NOT NULL
);
CREATE INDEX members_by_status ON members (status);

CREATE TABLE accounts (
  id           text PRIMARY KEY,
  x_user_id    text UNIQUE,
  x_handle     text NOT NULL,
  x_handle_key text UNIQUE,
  email        text UNIQUE,
  member_id    text UNIQUE REFERENCES members (id),
  notices      boolean NOT NULL,
  created_at   timestamptz NOT NULL,
  CHECK (x_user_id IS NOT NULL OR email IS NOT NULL),
  CHECK ((x_user_id IS NULL) = (x_handle_key IS NULL))
);
CREATE INDEX accounts_notified ON accounts (id) WHERE email IS NOT NULL AND notices AND x_user_id IS NOT NULL;

-- A handle belongs to the X account that came with it first: handles that were given up can be taken by others.
CREATE TABLE x_handles (
  handle_key    text PRIMARY KEY,
  x_user_id     text NOT NULL,
  first_used_at timestamptz NOT NULL
);
CREATE INDEX x_handles_by_user ON x_handles (x_user_id);

CREATE TABLE sessions (
  id         text PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts (id),
  token_hash text NOT NULL UNIQUE,
  provider   text NOT NULL CHECK (provider IN ('x', 'email', 'dev')),
  scope      text NOT NULL CHECK (scope IN ('', 'credentials')),
  device     text NOT NULL,
  created_at timestamptz NOT NULL,
  seen_at    timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CHECK (expires_at > created_at)
);
CREATE INDEX sessions_by_account ON sessions (account_id, seen_at);
CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE TABLE secrets (
  id         text PRIMARY KEY,
  key_id     text NOT NULL,
  ciphertext text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX secrets_by_key ON secrets (key_id, id);

CREATE TABLE login_codes (
  id         text PRIMARY KEY,
  purpose    text NOT NULL CHECK (purpose IN ('login', 'address')),
  subject    text NOT NULL,
  open_key   text UNIQUE,
  account_id text REFERENCES accounts (id),
  address    text NOT NULL,
  code_mac   text NOT NULL,
  tries      integer NOT NULL CHECK (tries BETWEEN 0 AND 5),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX login_codes_by_end ON login_codes (expires_at);

CREATE TABLE activation_links (
  id         text PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts (id),
  token_hash text NOT NULL UNIQUE,
  used_at    timestamptz,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE TABLE x_logins (
  id           text PRIMARY KEY,
  browser_hash text NOT NULL,
  token_hash   text UNIQUE,
  secret_id    text REFERENCES secrets (id),
  next         text NOT NULL,
  device       text NOT NULL,
  state        text NOT NULL CHECK (state IN ('requesting_token', 'redirected', 'verifying', 'ended')),
  outcome      text NOT NULL,
  detail       text NOT NULL,
  account_id   text REFERENCES accounts (id),
  run_id       text NOT NULL,
  created_at   timestamptz NOT NULL,
  expires_at   timestamptz NOT NULL,
  CHECK (state <> 'redirected' OR (token_hash IS NOT NULL AND secret_id IS NOT NULL)),
  CHECK (state <> 'ended' OR (outcome <> '' AND secret_id IS NULL))
);

CREATE TABLE rate_windows (
  bucket    text PRIMARY KEY,
  starts_at timestamptz NOT NULL,
  ends_at   timestamptz NOT NULL,
  used      integer NOT NULL,
  allowed   integer NOT NULL,
  CHECK (used >= 0 AND used <= allowed)
);
CREATE INDEX rate_windows_by_end ON rate_windows (ends_at);

-- A member's progress in the tour and the questionnaire. Answers are JSON.
CREATE TABLE onboardings (
  member_id    text NOT NULL REFERENCES members (id),
  kind         text NOT NULL CHECK (kind IN ('tour', 'partnership')),
  answers      text NOT NULL,
  step         integer NOT NULL CHECK (step >= 1),
  completed_at timestamptz,
  updated_at   timestamptz NOT NULL,
  PRIMARY KEY (member_id, kind)
);

-- Account deletions. account_id is set while the account exists and unique, so an account is deleted once.
CREATE TABLE account_deletions (
  id                    text PRIMARY KEY,
  account_id            text UNIQUE REFERENCES accounts (id),
  member_id             text REFERENCES members (id),
  stage                 text NOT NULL CHECK (stage IN ('requested', 'deleting', 'ended')),
  cancelled_posts       bigint NOT NULL CHECK (cancelled_posts >= 0),
  ended_recurring_posts bigint NOT NULL CHECK (ended_recurring_posts >= 0),
  deleted_votes         bigint NOT NULL CHECK (deleted_votes >= 0),
  workflow_id           text NOT NULL,
  run_id                text NOT NULL,
  requested_at          timestamptz NOT NULL,
  ended_at              timestamptz,
  CHECK ((stage = 'ended') = (ended_at IS NOT NULL)),
  CHECK ((stage = 'ended') = (account_id IS NULL))
);
CREATE INDEX account_deletions_by_time ON account_deletions (requested_at);
CREATE INDEX account_deletions_open ON account_deletions (requested_at, id) WHERE ended_at IS NULL;

-- Texts by models

CREATE TABLE model_calls (
  id            text PRIMARY KEY,
  task          text NOT NULL,
  prompt        text NOT NULL,
  model         text NOT NULL,
  question      text NOT NULL,
  answer        text NOT NULL,
  outcome       text NOT NULL,
  detail        text NOT NULL,
  tokens_in     integer NOT NULL CHECK (tokens_in >= 0),
  tokens_out    integer NOT NULL CHECK (tokens_out >= 0),
  cost_nano_usd bigint NOT NULL CHECK (cost_nano_usd >= 0),
  priced        boolean NOT NULL,
  took_ms       integer NOT NULL CHECK (took_ms >= 0),
  created_at    timestamptz NOT NULL
);
CREATE INDEX model_calls_by_time ON model_calls (created_at);

CREATE TABLE generations (
  id         text PRIMARY KEY,
  account_id text REFERENCES accounts (id),
  voice      text NOT NULL,
  topic      text NOT NULL,
  facts      text NOT NULL,
  blind      boolean NOT NULL,
  run_id     text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX generations_by_time ON generations (created_at);
CREATE INDEX generations_by_account ON generations (account_id) WHERE account_id IS NOT NULL;

CREATE TABLE generation_candidates (
  id            text PRIMARY KEY,
  generation_id text NOT NULL REFERENCES generations (id),
  label         text NOT NULL,
  model         text NOT NULL,
  prompt        text NOT NULL,
  state         text NOT NULL CHECK (state IN ('waiting', 'writing', 'done', 'invalid', 'failed')),
  text          text NOT NULL,
  code          text NOT NULL,
  reason        text NOT NULL,
  call_id       text REFERENCES model_calls (id),
  chosen        boolean NOT NULL,
  ended_at      timestamptz,
  UNIQUE (generation_id, label),
  UNIQUE (generation_id, model),
  CHECK ((state IN ('done', 'invalid', 'failed')) = (ended_at IS NOT NULL)),
  CHECK ((state IN ('invalid', 'failed')) = (code <> ''))
);

-- A generation is voted on once.
CREATE TABLE generation_votes (
  generation_id text PRIMARY KEY REFERENCES generations (id),
  candidate_id  text NOT NULL REFERENCES generation_candidates (id),
  account_id    text REFERENCES accounts (id),
  created_at    timestamptz NOT NULL
);

-- Posts, their schedule and the quota

-- When a queue publishes. The holder is a member's id; the founders' is empty.
CREATE TABLE posting_times (
  holder          text PRIMARY KEY,
  weekly          text NOT NULL,
  timezone        text NOT NULL,
  quiet_from      integer NOT NULL CHECK (quiet_from BETWEEN 0 AND 1439),
  quiet_to        integer NOT NULL CHECK (quiet_to BETWEEN 0 AND 1439),
  min_gap_minutes integer NOT NULL CHECK (min_gap_minutes BETWEEN 0 AND 1440),
  version         integer NOT NULL CHECK (version >= 0),
  updated_at      timestamptz NOT NULL
);

CREATE TABLE recurring_posts (
  id                   text PRIMARY KEY,
  member_id            text REFERENCES members (id),
  texts                text NOT NULL,
  weekly               text NOT NULL,
  timezone             text NOT NULL,
  ends_at              timestamptz,
  made_with_ai         boolean NOT NULL,
  state                text NOT NULL CHECK (state IN ('active', 'paused', 'ended')),
  code                 text NOT NULL,
  reason               text NOT NULL,
  consecutive_failures integer NOT NULL CHECK (consecutive_failures >= 0),
  posts_created        integer NOT NULL CHECK (posts_created >= 0),
  planned_until        timestamptz NOT NULL,
  version              integer NOT NULL CHECK (version >= 1),
  created_at           timestamptz NOT NULL,
  updated_at           timestamptz NOT NULL,
  CHECK ((state = 'paused') = (code <> ''))
);
CREATE INDEX recurring_posts_by_state ON recurring_posts (state, created_at);
CREATE INDEX recurring_posts_by_member ON recurring_posts (member_id, created_at) WHERE member_id IS NOT NULL;
CREATE INDEX recurring_posts_by_planned_until ON recurring_posts (state, planned_until);
CREATE INDEX recurring_posts_by_age ON recurring_posts ((CASE state WHEN 'ended' THEN 1 ELSE 0 END), created_at DESC, id DESC);

CREATE TABLE posts (
  id                text PRIMARY KEY,
  member_id         text REFERENCES members (id),
  text              text NOT NULL CHECK (text <> ''),
  open_key          text UNIQUE,
  made_with_ai      boolean NOT NULL,
  status            text NOT NULL CHECK (status IN ('draft', 'scheduled', 'armed', 'published', 'failed', 'unknown', 'cancelled')),
  code              text NOT NULL,
  reason            text NOT NULL,
  scheduled_at      timestamptz NOT NULL,
  waiting_until     timestamptz,
  attempt           integer NOT NULL CHECK (attempt >= 0),
  unclear_attempts  integer NOT NULL CHECK (unclear_attempts >= 0),
  reservations      integer NOT NULL CHECK (reservations >= 0),
  first_armed_at    timestamptz,
  armed_at          timestamptz,
  published_at      timestamptz,
  tweet_id          text UNIQUE,
  url               text NOT NULL,
  likes             integer NOT NULL CHECK (likes >= 0),
  reposts           integer NOT NULL CHECK (reposts >= 0),
  replies           integer NOT NULL CHECK (replies >= 0),
  quotes            integer NOT NULL CHECK (quotes >= 0),
  measured_at       timestamptz,
  run_id            text NOT NULL,
  version           integer NOT NULL CHECK (version >= 1),
  created_at        timestamptz NOT NULL,
  updated_at        timestamptz NOT NULL,
  review            text NOT NULL DEFAULT '' CHECK (review IN ('', 'requested', 'suggested', 'rejected', 'approved')),
  review_reason     text NOT NULL DEFAULT '',
  suggestion        text NOT NULL DEFAULT '',
  reviewer          text NOT NULL DEFAULT '',
  cancelled_at      timestamptz,
  recurring_post_id text REFERENCES recurring_posts (id),
  candidate_id      text REFERENCES generation_candidates (id),
  edited            boolean NOT NULL DEFAULT false,
  CHECK (status <> 'armed' OR (armed_at IS NOT NULL AND first_armed_at IS NOT NULL)),
  CHECK ((status = 'published') = (tweet_id IS NOT NULL)),
  CHECK ((status = 'published') = (published_at IS NOT NULL)),
  CHECK (status NOT IN ('draft', 'scheduled', 'armed') OR open_key IS NOT NULL)
);
CREATE INDEX posts_by_status ON posts (status, scheduled_at, id);
CREATE INDEX posts_by_publication ON posts (published_at, id);
CREATE INDEX posts_by_time ON posts (scheduled_at, id);
CREATE INDEX posts_by_recurring_post ON posts (recurring_post_id, scheduled_at) WHERE recurring_post_id IS NOT NULL;
CREATE INDEX posts_by_failure ON posts (updated_at, status) WHERE status = 'failed';
CREATE INDEX posts_unsettled ON posts (scheduled_at, id) WHERE open_key IS NOT NULL AND status <> 'draft';
CREATE INDEX posts_by_holder ON posts (member_id, status, scheduled_at);
CREATE INDEX posts_by_review ON posts (review, status, created_at, id) WHERE review <> '';

-- Scheduled times of a recurring post that are due or have their post already.
CREATE TABLE scheduled_times (
  recurring_post_id text NOT NULL REFERENCES recurring_posts (id),
  at                timestamptz NOT NULL,
  state             text NOT NULL CHECK (state IN ('created', 'skipped')),
  post_id           text UNIQUE REFERENCES posts (id),
  code              text NOT NULL,
  reason            text NOT NULL,
  PRIMARY KEY (recurring_post_id, at),
  CHECK (state <> 'created' OR post_id IS NOT NULL),
  CHECK ((state = 'skipped') = (code <> ''))
);

CREATE TABLE post_attempts (
  post_id    text NOT NULL REFERENCES posts (id),
  number     integer NOT NULL CHECK (number >= 1),
  started_at timestamptz NOT NULL,
  ended_at   timestamptz,
  outcome    text NOT NULL CHECK (outcome IN ('pending', 'published', 'refused', 'waiting', 'unclear', 'absent')),
  code       text NOT NULL,
  PRIMARY KEY (post_id, number)
);
CREATE INDEX post_attempts_by_end ON post_attempts (ended_at);

-- Numbers of posts by kind, kept by triggers so that no writer can forget them.
CREATE TABLE post_tallies (
  status    text NOT NULL,
  review    text NOT NULL,
  sponsored boolean NOT NULL,
  n         bigint NOT NULL
);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION tally_posts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO post_tallies (status, review, sponsored, n)
    SELECT status, review, member_id IS NOT NULL, count(*) FROM is_now GROUP BY 1, 2, 3;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO post_tallies (status, review, sponsored, n)
    SELECT status, review, member_id IS NOT NULL, -count(*) FROM was GROUP BY 1, 2, 3;
  ELSE
    INSERT INTO post_tallies (status, review, sponsored, n)
    SELECT status, review, sponsored, sum(n) FROM (
      SELECT status, review, member_id IS NOT NULL AS sponsored, 1 AS n FROM is_now
      UNION ALL SELECT status, review, member_id IS NOT NULL, -1 FROM was
    ) AS changed GROUP BY 1, 2, 3 HAVING sum(n) <> 0;
  END IF;
  IF FOUND AND (SELECT count(*) FROM post_tallies) > 200 THEN
    WITH several AS (SELECT ctid FROM post_tallies FOR UPDATE SKIP LOCKED),
    gone AS (DELETE FROM post_tallies WHERE ctid IN (SELECT ctid FROM several) RETURNING status, review, sponsored, n)
    INSERT INTO post_tallies (status, review, sponsored, n)
    SELECT status, review, sponsored, sum(n) FROM gone GROUP BY 1, 2, 3 HAVING sum(n) <> 0;
  END IF;
  RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER post_tallies_insert AFTER INSERT ON posts
  REFERENCING NEW TABLE AS is_now FOR EACH STATEMENT EXECUTE FUNCTION tally_posts();
CREATE TRIGGER post_tallies_delete AFTER DELETE ON posts
  REFERENCING OLD TABLE AS was FOR EACH STATEMENT EXECUTE FUNCTION tally_posts();
CREATE TRIGGER post_tallies_update AFTER UPDATE ON posts
  REFERENCING OLD TABLE AS was NEW TABLE AS is_now FOR EACH STATEMENT EXECUTE FUNCTION tally_posts();

-- The triggers hold those off who write until this is done: a million posts are counted in less
-- than a second.

CREATE TABLE quota_months (
  month     text PRIMARY KEY,
  opened_at timestamptz NOT NULL
);

CREATE TABLE quota_slots (
  month     text NOT NULL REFERENCES quota_months (month),
  slot_no   integer NOT NULL CHECK (slot_no BETWEEN 1 AND 500),
  state     text NOT NULL CHECK (state IN ('free', 'reserved', 'spent')),
  post_id   text UNIQUE REFERENCES posts (id),
  member_id text REFERENCES members (id),
  PRIMARY KEY (month, slot_no),
  CHECK ((state = 'free') = (post_id IS NULL)),
  CHECK (member_id IS NULL OR post_id IS NOT NULL)
);
CREATE INDEX quota_slots_by_state ON quota_slots (month, state, slot_no);

CREATE TABLE quota_shares (
  month   text NOT NULL REFERENCES quota_months (month),
  holder  text NOT NULL,
  held    integer NOT NULL,
  allowed integer NOT NULL,
  PRIMARY KEY (month, holder),
  CHECK (held >= 0 AND held <= allowed)
);

CREATE TABLE credit_entries (
  member_id  text NOT NULL REFERENCES members (id),
  seq        integer NOT NULL CHECK (seq >= 1),
  delta      integer NOT NULL CHECK (delta <> 0),
  balance    integer NOT NULL CHECK (balance >= 0),
  reason     text NOT NULL CHECK (reason IN ('founding_fee', 'tour', 'partnership', 'post', 'refund', 'adjust')),
  entry_key  text NOT NULL UNIQUE,
  post_id    text REFERENCES posts (id),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (member_id, seq)
);

CREATE TABLE x_read_months (
  month                text PRIMARY KEY,
  used                 integer NOT NULL,
  budget               integer NOT NULL,
  reconciliation_reads integer NOT NULL CHECK (reconciliation_reads >= 0),
  CHECK (used >= 0 AND used <= budget)
);

CREATE TABLE engagement_reads (
  post_id     text NOT NULL REFERENCES posts (id),
  checkpoint  text NOT NULL CHECK (checkpoint IN ('1h', '24h', '7d')),
  month       text NOT NULL REFERENCES x_read_months (month),
  reserved_at timestamptz NOT NULL,
  measured_at timestamptz,
  PRIMARY KEY (post_id, checkpoint)
);
CREATE INDEX engagement_reads_unmeasured ON engagement_reads (measured_at);

-- The bot's connection, the audit, e-mails

CREATE TABLE provider_keys (
  id          text PRIMARY KEY,
  state       text NOT NULL CHECK (state IN ('candidate', 'current', 'previous', 'discarded', 'refused')),
  secret_id   text REFERENCES secrets (id),
  fingerprint text NOT NULL,
  code        text NOT NULL,
  reason      text NOT NULL,
  account_id  text REFERENCES accounts (id),
  run_id      text NOT NULL,
  created_at  timestamptz NOT NULL,
  ends_at     timestamptz,
  CHECK (state NOT IN ('discarded', 'refused') OR secret_id IS NULL),
  CHECK (state <> 'previous' OR ends_at IS NOT NULL)
);

CREATE TABLE bot_connections (
  id          text PRIMARY KEY,
  state       text NOT NULL CHECK (state IN ('candidate', 'current', 'removed', 'refused')),
  secret_id   text REFERENCES secrets (id),
  user_id     text NOT NULL,
  username    text NOT NULL,
  fingerprint text NOT NULL,
  code        text NOT NULL,
  reason      text NOT NULL,
  account_id  text REFERENCES accounts (id),
  run_id      text NOT NULL,
  created_at  timestamptz NOT NULL,
  ended_at    timestamptz,
  CHECK (state IN ('candidate', 'current') OR secret_id IS NULL),
  CHECK (state NOT IN ('candidate', 'current') OR secret_id IS NOT NULL)
);

-- One row: what is posted with, and what founders hold back.
CREATE TABLE bot (
  id                integer PRIMARY KEY CHECK (id = 1),
  connection_id     text REFERENCES bot_connections (id),
  provider_key_id   text REFERENCES provider_keys (id),
  approval_required boolean NOT NULL DEFAULT false,
  paused_at         timestamptz,
  paused_by         text NOT NULL DEFAULT '',
  pause_reason      text NOT NULL DEFAULT ''
);
INSERT INTO bot (id) VALUES (1);

CREATE TABLE diagnoses (
  id              text PRIMARY KEY,
  visitor         text NOT NULL,
  provider_key_id text REFERENCES provider_keys (id),
  run_id          text NOT NULL,
  created_at      timestamptz NOT NULL,
  ended_at        timestamptz
);
CREATE INDEX diagnoses_by_visitor ON diagnoses (visitor, created_at);

CREATE TABLE diagnosis_findings (
  diagnosis_id text NOT NULL REFERENCES diagnoses (id),
  step         text NOT NULL CHECK (step IN ('env', 'signature', 'request_token', 'account')),
  ok           boolean NOT NULL,
  code         text NOT NULL,
  problem      text NOT NULL,
  remedy       text NOT NULL,
  facts        text NOT NULL,
  measures     text NOT NULL,
  raw          text NOT NULL,
  created_at   timestamptz NOT NULL,
  PRIMARY KEY (diagnosis_id, step)
);

CREATE TABLE audit_entries (
  id          text PRIMARY KEY,
  at          timestamptz NOT NULL,
  account_id  text REFERENCES accounts (id),
  actor       text NOT NULL,
  action      text NOT NULL,
  outcome     text NOT NULL,
  detail      text NOT NULL,
  workflow_id text NOT NULL,
  run_id      text NOT NULL
);
CREATE INDEX audit_entries_by_time ON audit_entries (at, id);
CREATE INDEX audit_entries_by_account ON audit_entries (account_id) WHERE account_id IS NOT NULL;

CREATE TABLE emails (
  id              text PRIMARY KEY,
  idempotency_key text NOT NULL UNIQUE,
  kind            text NOT NULL
    CHECK (kind IN ('login_code', 'address_code', 'welcome', 'post_trouble', 'receipt', 'refund', 'paid_twice',
                    'review_asked', 'review_done', 'recurring_post_paused', 'chaos_target_alarm', 'farewell')),
  account_id      text REFERENCES accounts (id),
  secret_id       text REFERENCES secrets (id),
  state           text NOT NULL CHECK (state IN ('pending', 'sent', 'failed', 'skipped')),
  tries           integer NOT NULL CHECK (tries >= 0),
  code            text NOT NULL,
  reason          text NOT NULL,
  run_id          text NOT NULL,
  created_at      timestamptz NOT NULL,
  expires_at      timestamptz NOT NULL,
  ended_at        timestamptz,
  CHECK ((state = 'pending') = (ended_at IS NULL)),
  CHECK (state IN ('pending', 'failed') OR secret_id IS NULL)
);
CREATE INDEX emails_by_state ON emails (state, created_at);
CREATE INDEX emails_by_account ON emails (account_id) WHERE account_id IS NOT NULL;

CREATE TABLE client_errors (
  id         text PRIMARY KEY,
  path       text NOT NULL,
  message    text NOT NULL,
  stack      text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX client_errors_by_time ON client_errors (created_at, id);

-- Prices and checkouts

-- What our own counters know of a visitor: a digest of their cookie, and no more than this.
CREATE TABLE visitors (
  id             text PRIMARY KEY,
  visits         integer NOT NULL CHECK (visits >= 1),
  seconds        integer NOT NULL CHECK (seconds >= 0),
  viewed_pricing boolean NOT NULL,
  added_to_cart  boolean NOT NULL,
  first_seen_at  timestamptz NOT NULL,
  last_seen_at   timestamptz NOT NULL
);
CREATE INDEX visitors_by_time ON visitors (last_seen_at);

-- How much discount a month may give: what is held for offers and what was given.
CREATE TABLE discount_months (
  month        text PRIMARY KEY,
  held_cents   integer NOT NULL CHECK (held_cents >= 0),
  budget_cents integer NOT NULL,
  CHECK (held_cents <= budget_cents)
);

CREATE TABLE price_decisions (
  id                text PRIMARY KEY,
  visitor           text,
  open_key          text UNIQUE,
  demo              boolean NOT NULL,
  personal          boolean NOT NULL,
  list_price_reason text NOT NULL,
  visits            integer NOT NULL CHECK (visits >= 0),
  time_on_site      integer NOT NULL CHECK (time_on_site >= 0),
  viewed_pricing    boolean NOT NULL,
  added_to_cart     boolean NOT NULL,
  user_type         text NOT NULL,
  source            text NOT NULL CHECK (source IN ('', 'model', 'rules', 'list')),
  call_id           text REFERENCES model_calls (id),
  model             text NOT NULL,
  prompt            text NOT NULL,
  proposed_percent  integer NOT NULL,
  reason            text NOT NULL,
  clamps            text NOT NULL,
  fallback_reason   text NOT NULL,
  list_cents        integer NOT NULL CHECK (list_cents > 0),
  discount_percent  integer NOT NULL CHECK (discount_percent BETWEEN 0 AND 30),
  final_cents       integer NOT NULL,
  month             text REFERENCES discount_months (month),
  held_cents        integer NOT NULL CHECK (held_cents >= 0),
  state             text NOT NULL CHECK (state IN ('pending', 'decided', 'used', 'expired')),
  created_at        timestamptz NOT NULL,
  decided_at        timestamptz,
  valid_until       timestamptz NOT NULL,
  CHECK (final_cents > 0 AND final_cents <= list_cents),
  CHECK (final_cents * 100 = list_cents * (100 - discount_percent)),
  CHECK (personal OR discount_percent = 0),
  CHECK ((state = 'pending') = (decided_at IS NULL)),
  CHECK (held_cents = 0 OR month IS NOT NULL)
);
CREATE INDEX price_decisions_by_end ON price_decisions (state, valid_until);
CREATE INDEX price_decisions_by_visitor ON price_decisions (visitor) WHERE visitor IS NOT NULL;

CREATE TABLE checkouts (
  id             text PRIMARY KEY,
  decision_id    text NOT NULL REFERENCES price_decisions (id),
  open_key       text UNIQUE,
  demo           boolean NOT NULL,
  state          text NOT NULL CHECK (state IN ('quoting', 'open', 'paid', 'expired', 'cancelled', 'failed', 'refunded')),
  coupon_id      text NOT NULL,
  session_id     text UNIQUE,
  payment_url    text NOT NULL,
  expires_at     timestamptz,
  payment_intent text UNIQUE,
  paid_cents     integer NOT NULL CHECK (paid_cents >= 0),
  fee_cents      integer NOT NULL CHECK (fee_cents >= 0),
  refunded_cents integer NOT NULL CHECK (refunded_cents >= 0 AND refunded_cents <= paid_cents),
  member_id      text REFERENCES members (id),
  code           text NOT NULL,
  reason         text NOT NULL,
  run_id         text NOT NULL,
  created_at     timestamptz NOT NULL,
  updated_at     timestamptz NOT NULL,
  paid_at        timestamptz,
  ended_at       timestamptz,
  CHECK (state NOT IN ('open', 'paid', 'refunded') OR session_id IS NOT NULL),
  CHECK ((state IN ('paid', 'refunded')) = (paid_at IS NOT NULL)),
  CHECK ((state IN ('quoting', 'open')) = (ended_at IS NULL)),
  CHECK (member_id IS NULL OR (paid_at IS NOT NULL AND NOT demo)),
  CHECK (open_key IS NULL OR state IN ('quoting', 'open'))
);
CREATE INDEX checkouts_by_state ON checkouts (state, expires_at);
CREATE INDEX checkouts_by_payment ON checkouts (paid_at);
CREATE INDEX checkouts_by_decision ON checkouts (decision_id);
CREATE INDEX checkouts_by_time ON checkouts (created_at DESC, id);
CREATE INDEX checkouts_by_member ON checkouts (member_id) WHERE member_id IS NOT NULL;

-- What the payment service told us, by its own ID: the same event is acted on once.
CREATE TABLE payment_events (
  id          text PRIMARY KEY,
  type        text NOT NULL,
  checkout_id text REFERENCES checkouts (id),
  created_at  timestamptz NOT NULL,
  received_at timestamptz NOT NULL,
  handled_at  timestamptz
);
CREATE INDEX payment_events_unhandled ON payment_events (handled_at, received_at);

-- One row: the time up to which Stripe's events were searched.
CREATE TABLE payment_reconciliations (
  id             integer PRIMARY KEY CHECK (id = 1),
  searched_until timestamptz NOT NULL
);

-- Chaos and self-healing

-- open_key is unique, so one run is open at a time.
CREATE TABLE chaos_runs (
  id           text PRIMARY KEY,
  fault        text NOT NULL,
  source       text NOT NULL,
  requested_by text NOT NULL CHECK (requested_by IN ('visitor', 'member', 'founder', 'schedule')),
  replay_of    text REFERENCES chaos_runs (id),
  open_key     text UNIQUE CHECK (open_key = 'chaos_target'),
  workflow_id  text NOT NULL,
  run_id       text NOT NULL,
  stage        text NOT NULL CHECK (stage IN ('requested', 'checking', 'breaking', 'watching', 'ended')),
  verdict      text NOT NULL CHECK (verdict IN ('', 'healed', 'healed_late', 'failed', 'aborted')),
  reason       text NOT NULL,
  restored     boolean NOT NULL,
  promise_ms   integer NOT NULL CHECK (promise_ms > 0),
  lease_ms     integer NOT NULL CHECK (lease_ms > 0),
  detect_ms    integer CHECK (detect_ms >= 0),
  heal_ms      integer CHECK (heal_ms >= detect_ms),
  requested_at timestamptz NOT NULL,
  injected_at  timestamptz,
  lease_until  timestamptz,
  ended_at     timestamptz,
  CHECK ((stage = 'ended') = (open_key IS NULL)),
  CHECK ((stage = 'ended') = (verdict <> '')),
  CHECK ((stage = 'ended') = (ended_at IS NOT NULL)),
  CHECK (injected_at IS NULL OR lease_until IS NOT NULL),
  CHECK (stage <> 'watching' OR injected_at IS NOT NULL),
  CHECK (heal_ms IS NULL OR (detect_ms IS NOT NULL AND injected_at IS NOT NULL)),
  CHECK (verdict NOT IN ('healed', 'healed_late') OR (restored AND heal_ms IS NOT NULL)),
  CHECK (verdict NOT IN ('failed', 'aborted') OR heal_ms IS NULL)
);
CREATE INDEX chaos_runs_by_time ON chaos_runs (requested_at DESC);
CREATE INDEX chaos_runs_by_end ON chaos_runs (ended_at);
CREATE INDEX chaos_runs_by_replay ON chaos_runs (replay_of);
CREATE INDEX chaos_runs_by_fault ON chaos_runs (fault, requested_at, id);
CREATE INDEX chaos_runs_by_verdict ON chaos_runs (verdict, requested_at, id);
CREATE INDEX chaos_runs_by_injection ON chaos_runs (injected_at, id) WHERE injected_at IS NOT NULL;

-- Probes of a run, in batches of some seconds.
CREATE TABLE chaos_probes (
  run_id text NOT NULL REFERENCES chaos_runs (id),
  part   integer NOT NULL CHECK (part >= 0),
  data   bytea NOT NULL,
  PRIMARY KEY (run_id, part)
);

-- Screenshots of the chaos target before a fault, while it was injected, and after.
CREATE TABLE chaos_screenshots (
  chaos_run_id text NOT NULL REFERENCES chaos_runs (id),
  moment       text NOT NULL CHECK (moment IN ('before', 'broken', 'healed')),
  path         text NOT NULL,
  image_hash   text NOT NULL CHECK (length(image_hash) IN (0, 64)),
  width        integer NOT NULL CHECK (width >= 0),
  height       integer NOT NULL CHECK (height >= 0),
  error        text NOT NULL,
  failing      bigint NOT NULL CHECK (failing >= 0),
  stable       boolean NOT NULL,
  opinion      text NOT NULL CHECK (opinion IN ('healthy', 'broken', 'unclear')),
  review       text NOT NULL,
  reviewed_by  text NOT NULL,
  taken_at     timestamptz NOT NULL,
  PRIMARY KEY (chaos_run_id, moment),
  CHECK ((image_hash = '') = (error <> ''))
);

-- What the healer found and did.
CREATE TABLE incidents (
  id           text PRIMARY KEY,
  open_key     text UNIQUE CHECK (open_key = 'chaos_target'),
  failing      bigint NOT NULL CHECK (failing >= 0),
  steps        text NOT NULL,
  alarm        text NOT NULL,
  workflow_id  text NOT NULL,
  run_id       text NOT NULL,
  opened_at    timestamptz NOT NULL,
  unhealthy_at timestamptz NOT NULL,
  alarm_at     timestamptz,
  ended_at     timestamptz,
  CHECK ((open_key IS NULL) = (ended_at IS NOT NULL)),
  CHECK (unhealthy_at >= opened_at),
  CHECK ((alarm = '') = (alarm_at IS NULL))
);
CREATE INDEX incidents_by_time ON incidents (opened_at DESC);

-- The last probe of the chaos target, and whether chaos is allowed.
CREATE TABLE chaos_targets (
  id             text PRIMARY KEY CHECK (id = 'chaos_target'),
  seen_at        timestamptz,
  failing        bigint NOT NULL CHECK (failing >= 0),
  process_id     integer NOT NULL,
  started_at     timestamptz,
  manifest_files text NOT NULL,
  signed_note    text NOT NULL,
  verifier_key   text NOT NULL,
  chaos_on       boolean NOT NULL,
  switched_by    text NOT NULL,
  switch_reason  text NOT NULL,
  switched_at    timestamptz
);
INSERT INTO chaos_targets (id, failing, process_id, manifest_files, signed_note, verifier_key, chaos_on, switched_by, switch_reason)
VALUES ('chaos_target', 0, 0, '[]', '', '', true, '', '');

-- Whether a stored history replays with the code of the check.
CREATE TABLE history_checks (
  workflow_id text NOT NULL,
  run_id      text NOT NULL,
  passed      boolean NOT NULL,
  events      integer NOT NULL,
  message     text NOT NULL,
  build       text NOT NULL,
  checked_at  timestamptz NOT NULL,
  PRIMARY KEY (workflow_id, run_id)
);

-- Verification

-- open_key is unique, so each requester has one open verification.
CREATE TABLE verifications (
  id             text PRIMARY KEY,
  url            text NOT NULL,
  path           text NOT NULL,
  prompt         text NOT NULL CHECK (length(prompt) <= 1000),
  requested_by   text NOT NULL CHECK (requested_by IN ('visitor', 'member', 'founder', 'schedule')),
  open_key       text UNIQUE CHECK (open_key <> ''),
  workflow_id    text NOT NULL,
  run_id         text NOT NULL,
  stage          text NOT NULL CHECK (stage IN ('requested', 'capturing', 'comparing', 'reviewing', 'ended')),
  checks_verdict text NOT NULL CHECK (checks_verdict IN ('', 'active', 'warning', 'error')),
  verdict        text NOT NULL CHECK (verdict IN ('', 'active', 'warning', 'error')),
  reason         text NOT NULL,
  code           text NOT NULL,
  passed         integer NOT NULL CHECK (passed >= 0),
  failed         integer NOT NULL CHECK (failed >= 0),
  checks         text NOT NULL,
  comment        text,
  call_id        text REFERENCES model_calls (id),
  requested_at   timestamptz NOT NULL,
  ended_at       timestamptz,
  CHECK ((stage = 'ended') = (ended_at IS NOT NULL)),
  CHECK ((stage = 'ended') = (open_key IS NULL)),
  CHECK ((stage = 'ended') = (checks_verdict <> '')),
  CHECK ((stage = 'ended') = (verdict <> '')),
  -- A comment can lower a verdict, never raise it.
  CHECK (checks_verdict <> 'error' OR verdict = 'error'),
  CHECK (checks_verdict <> 'warning' OR verdict IN ('warning', 'error')),
  CHECK (verdict <> 'active' OR failed = 0),
  CHECK (comment IS NOT NULL OR call_id IS NULL)
);
CREATE INDEX verifications_by_time ON verifications (requested_at DESC);
CREATE INDEX verifications_by_end ON verifications (url, ended_at DESC);

-- Approved screenshots. current_key is unique, so one counts for each page, theme and viewport.
CREATE TABLE verification_baselines (
  id          text PRIMARY KEY,
  path        text NOT NULL,
  theme       text NOT NULL CHECK (theme IN ('light', 'dark')),
  viewport    text NOT NULL,
  current_key text UNIQUE,
  image_hash  text NOT NULL CHECK (length(image_hash) = 64),
  width       integer NOT NULL CHECK (width > 0),
  height      integer NOT NULL CHECK (height > 0),
  masks       text NOT NULL,
  run_id      text NOT NULL,
  reason      text NOT NULL CHECK (reason <> ''),
  approved_by text NOT NULL,
  approved_at timestamptz NOT NULL
);
CREATE INDEX verification_baselines_by_path ON verification_baselines (path, approved_at DESC);

-- What was seen in each view.
CREATE TABLE verification_screenshots (
  run_id        text NOT NULL REFERENCES verifications (id),
  theme         text NOT NULL CHECK (theme IN ('light', 'dark')),
  viewport      text NOT NULL,
  image_hash    text NOT NULL CHECK (length(image_hash) IN (0, 64)),
  facts         text,
  error         text NOT NULL,
  code          text NOT NULL,
  baseline_id   text REFERENCES verification_baselines (id),
  diff_hash     text NOT NULL CHECK (length(diff_hash) IN (0, 64)),
  changed_share double precision CHECK (changed_share >= 0 AND changed_share <= 1),
  taken_at      timestamptz NOT NULL,
  PRIMARY KEY (run_id, theme, viewport),
  CHECK ((image_hash = '') = (error <> '')),
  CHECK (changed_share IS NULL OR baseline_id IS NOT NULL),
  CHECK (diff_hash = '' OR baseline_id IS NOT NULL)
);

-- Runs of the front page, counted by day: runs themselves are not kept for long.
CREATE TABLE verification_days (
  day     text PRIMARY KEY CHECK (length(day) = 10),
  active  integer NOT NULL CHECK (active >= 0),
  warning integer NOT NULL CHECK (warning >= 0),
  broken  integer NOT NULL CHECK (broken >= 0)
);

-- Whether the worker's browser works, as last seen.
CREATE TABLE browsers (
  id      text PRIMARY KEY CHECK (id = 'browser'),
  ready   boolean NOT NULL,
  message text NOT NULL,
  version text NOT NULL,
  seen_at timestamptz
);
INSERT INTO browsers (id, ready, message, version) VALUES ('browser', false, 'No worker has looked for it yet.', '');

-- Experiments

-- number and slug are assigned when a founder approves.
CREATE TABLE experiments (
  id              text PRIMARY KEY,
  number          bigint UNIQUE CHECK (number >= 1),
  slug            text NOT NULL UNIQUE,
  title           text NOT NULL CHECK (length(title) BETWEEN 1 AND 120),
  problem         text NOT NULL CHECK (length(problem) BETWEEN 1 AND 2000),
  hypothesis      text NOT NULL CHECK (length(hypothesis) BETWEEN 1 AND 1000),
  impact          text NOT NULL CHECK (length(impact) BETWEEN 1 AND 1000),
  difficulty      text NOT NULL CHECK (difficulty IN ('easy', 'medium', 'hard')),
  status          text NOT NULL CHECK (status IN ('waiting', 'planning', 'active', 'testing', 'completed', 'shipped', 'declined')),
  reason          text NOT NULL,
  progress        bigint NOT NULL CHECK (progress BETWEEN 0 AND 100),
  methodology     text NOT NULL,
  tech_stack      text NOT NULL,
  success_metrics text NOT NULL,
  origin          text NOT NULL CHECK (origin IN ('seed', 'visitor', 'member', 'founder')),
  member_id       text REFERENCES members (id),
  submitted_at    timestamptz NOT NULL,
  started_at      timestamptz,
  ended_at        timestamptz,
  metric          text NOT NULL CHECK (metric IN ('', 'posts_published', 'success_rate', 'heal_time', 'members', 'conversion')),
  threshold       double precision,
  due_at          timestamptz,
  measured        double precision,
  verdict         text NOT NULL CHECK (verdict IN ('', 'met', 'missed', 'unmeasured', 'abandoned')),
  final_up        bigint CHECK (final_up >= 0),
  final_down      bigint CHECK (final_down >= 0),
  votes_closed_at timestamptz,
  workflow_id     text NOT NULL,
  run_id          text NOT NULL,
  version         bigint NOT NULL CHECK (version >= 1),
  updated_at      timestamptz NOT NULL,
  CHECK (status <> 'waiting' OR number IS NULL),
  CHECK (status IN ('waiting', 'declined') OR number IS NOT NULL),
  CHECK (status NOT IN ('active', 'testing', 'completed', 'shipped') OR started_at IS NOT NULL),
  CHECK ((status IN ('completed', 'shipped', 'declined')) = (ended_at IS NOT NULL)),
  CHECK (status <> 'declined' OR reason <> ''),
  -- What is promised is promised whole, and only then judged.
  CHECK ((metric = '') = (threshold IS NULL)),
  CHECK ((metric = '') = (due_at IS NULL)),
  CHECK (verdict = '' OR metric <> ''),
  CHECK (verdict = '' OR ended_at IS NOT NULL),
  CHECK (status NOT IN ('completed', 'shipped') OR metric = '' OR verdict <> ''),
  CHECK ((verdict IN ('met', 'missed')) = (measured IS NOT NULL)),
  CHECK ((votes_closed_at IS NULL) = (final_up IS NULL)),
  CHECK ((votes_closed_at IS NULL) = (final_down IS NULL)),
  CHECK (votes_closed_at IS NULL OR (ended_at IS NOT NULL AND workflow_id <> ''))
);
CREATE INDEX experiments_by_status ON experiments (status, updated_at DESC);

-- The last assigned number. Its row is the lock of concurrent approvals.
CREATE TABLE experiment_numbers (
  id   text PRIMARY KEY CHECK (id = 'experiment'),
  last bigint NOT NULL CHECK (last >= 0)
);
INSERT INTO experiment_numbers (id, last) VALUES ('experiment', 1);

-- One row for a member and an experiment; counts are computed from these rows.
CREATE TABLE experiment_votes (
  experiment_id text NOT NULL REFERENCES experiments (id),
  member_id     text NOT NULL REFERENCES members (id),
  value         bigint NOT NULL CHECK (value IN (-1, 1)),
  created_at    timestamptz NOT NULL,
  updated_at    timestamptz NOT NULL,
  PRIMARY KEY (experiment_id, member_id)
);
CREATE INDEX experiment_votes_by_member ON experiment_votes (member_id);

-- One note a day.
CREATE TABLE experiment_notes (
  experiment_id text NOT NULL REFERENCES experiments (id),
  date          text NOT NULL CHECK (length(date) = 10),
  content       text NOT NULL CHECK (length(content) BETWEEN 1 AND 10000),
  author        text NOT NULL,
  version       bigint NOT NULL CHECK (version >= 1),
  updated_at    timestamptz NOT NULL,
  PRIMARY KEY (experiment_id, date)
);

INSERT INTO experiments (id, number, slug, title, problem, hypothesis, impact, difficulty, status, reason, progress,
  methodology, tech_stack, success_metrics, origin, submitted_at, started_at, metric, verdict, workflow_id, run_id, version, updated_at)
VALUES ('001', 1, '001-public-experiments-page', 'Public experiments page',
  'Products say what they shipped, and keep to themselves what they tried. People who pay for a product cannot see which ideas were weighed, which failed, or whether anybody ever looked at the result.',
  'If we build a public page where every experiment shows its problem, its hypothesis, its votes and its lab notes, then members will vote and submit ideas of their own, because they can see that what they say changes what is built.',
  'Members decide with us what the bot learns next, and strangers can check what came of it.',
  'medium', 'active', '', 60,
  '["Write down problem and hypothesis before the first line of code.", "Open the page to everybody, and let members vote up or down, change their mind, and take a vote back.", "Keep one row for each member and experiment, so that a count is never more than its rows.", "Write a lab note on every day on which something was learnt.", "Close the vote in a durable run that anybody may open, and keep the count as it was."]',
  '["Go", "Gin", "Huma", "Temporal", "PostgreSQL", "SQLite", "React", "TanStack Query", "Mantine"]',
  '["Ten members vote on at least one experiment.", "Five ideas come in from people outside the founding team.", "Every closed vote names the run that counted it."]',
  'seed', '2026-11-20 23:37:45+00:00', '2026-11-20 23:37:45+00:00', '', '', '', '', 1, '2026-11-22 00:00:00+00:00');
INSERT INTO experiment_notes (experiment_id, date, content, author, version, updated_at) VALUES
('001', '2026-11-20', 'The spine stands: a post goes through a **durable workflow** to the timeline, and its row names the run. Experiments will be made the same way: *no claim without a run*.', 'founder_one', 1, '2026-11-20 23:59:00+00:00'),
('001', '2026-11-21', 'Members can log in with their e-mail address, and hold a share of the 500 posts. Without that a vote would be anybody''s.

- A vote belongs to a **session**, never to a name in a request.
- Credits are a book: nothing is overwritten.', 'founder_two', 1, '2026-11-21 22:00:00+00:00'),
('001', '2026-11-22', 'The page opens. Votes are rows, `one for each member and experiment`, and the numbers on the page are counted from them each time.

Next: an experiment that **registers its metric before it begins**, so that the verdict is set by the clock and not by us.', 'founder_one', 1, '2026-11-22 12:00:00+00:00');
