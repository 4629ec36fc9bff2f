-- +goose Up
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

-- How much discount a month may give: what is held for offers and what was given.
CREATE TABLE discount_months (
  month        text PRIMARY KEY,
  held_cents   integer NOT NULL CHECK (held_cents >= 0),
  budget_cents integer NOT NULL,
  CHECK (held_cents <= budget_cents)
);

CREATE TABLE decisions (
  id               text PRIMARY KEY,
  visitor          text,
  live_key         text UNIQUE,
  demo             boolean NOT NULL,
  personal         boolean NOT NULL,
  why              text NOT NULL,
  visits           integer NOT NULL CHECK (visits >= 0),
  time_on_site     integer NOT NULL CHECK (time_on_site >= 0),
  viewed_pricing   boolean NOT NULL,
  added_to_cart    boolean NOT NULL,
  user_type        text NOT NULL,
  source           text NOT NULL CHECK (source IN ('', 'model', 'rules', 'list')),
  call_id          text REFERENCES model_calls (id),
  model            text NOT NULL,
  prompt           text NOT NULL,
  proposed_percent integer NOT NULL,
  reason           text NOT NULL,
  clamps           text NOT NULL,
  fallback         text NOT NULL,
  list_cents       integer NOT NULL CHECK (list_cents > 0),
  discount_percent integer NOT NULL CHECK (discount_percent BETWEEN 0 AND 30),
  final_cents      integer NOT NULL,
  month            text REFERENCES discount_months (month),
  held_cents       integer NOT NULL CHECK (held_cents >= 0),
  state            text NOT NULL CHECK (state IN ('pending', 'decided', 'spent', 'lapsed')),
  created_at       timestamptz NOT NULL,
  decided_at       timestamptz,
  valid_until      timestamptz NOT NULL,
  CHECK (final_cents > 0 AND final_cents <= list_cents),
  CHECK (final_cents * 100 = list_cents * (100 - discount_percent)),
  CHECK (personal OR discount_percent = 0),
  CHECK ((state = 'pending') = (decided_at IS NULL)),
  CHECK (held_cents = 0 OR month IS NOT NULL)
);
CREATE INDEX decisions_by_end ON decisions (state, valid_until);

CREATE TABLE checkouts (
  id             text PRIMARY KEY,
  decision_id    text NOT NULL REFERENCES decisions (id),
  live_key       text UNIQUE,
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
  CHECK (live_key IS NULL OR state IN ('quoting', 'open'))
);
CREATE INDEX checkouts_by_state ON checkouts (state, expires_at);
CREATE INDEX checkouts_by_payment ON checkouts (paid_at);
CREATE INDEX checkouts_by_decision ON checkouts (decision_id);

-- What the payment service told us, by its own ID: the same event is acted on once.
CREATE TABLE payment_events (
  id          text PRIMARY KEY,
  type        text NOT NULL,
  checkout_id text REFERENCES checkouts (id),
  created_at  timestamptz NOT NULL,
  received_at timestamptz NOT NULL,
  heeded_at   timestamptz
);
CREATE INDEX payment_events_open ON payment_events (heeded_at, received_at);

-- One row: until when the payment service's events were looked through.
CREATE TABLE reconciliations (
  id           integer PRIMARY KEY CHECK (id = 1),
  looked_until timestamptz NOT NULL
);

ALTER TABLE letters DROP CONSTRAINT letters_kind_check;
ALTER TABLE letters ADD CONSTRAINT letters_kind_check
  CHECK (kind IN ('login_code', 'address_code', 'welcome', 'post_trouble', 'receipt', 'refund'));
