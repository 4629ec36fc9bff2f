-- +goose Up
CREATE TABLE members (
  id            text PRIMARY KEY,
  username      text NOT NULL,
  username_key  text NOT NULL UNIQUE,
  email         text,
  status        text NOT NULL CHECK (status IN ('active', 'frozen', 'removed')),
  payment_cents integer NOT NULL CHECK (payment_cents >= 0),
  joined_at     timestamptz NOT NULL
);

CREATE TABLE posts (
  id             text PRIMARY KEY,
  member_id      text REFERENCES members (id),
  text           text NOT NULL CHECK (text <> ''),
  open_key       text UNIQUE,
  made_with_ai   boolean NOT NULL,
  status         text NOT NULL CHECK (status IN ('draft', 'scheduled', 'armed', 'published', 'failed', 'unknown', 'cancelled')),
  code           text NOT NULL,
  reason         text NOT NULL,
  scheduled_at   timestamptz NOT NULL,
  waiting_until  timestamptz,
  attempt        integer NOT NULL CHECK (attempt >= 0),
  unclear        integer NOT NULL CHECK (unclear >= 0),
  reservation    integer NOT NULL CHECK (reservation >= 0),
  first_armed_at timestamptz,
  armed_at       timestamptz,
  published_at   timestamptz,
  tweet_id       text UNIQUE,
  url            text NOT NULL,
  likes          integer NOT NULL CHECK (likes >= 0),
  reposts        integer NOT NULL CHECK (reposts >= 0),
  replies        integer NOT NULL CHECK (replies >= 0),
  quotes         integer NOT NULL CHECK (quotes >= 0),
  measured_at    timestamptz,
  run_id         text NOT NULL,
  version        integer NOT NULL CHECK (version >= 1),
  created_at     timestamptz NOT NULL,
  updated_at     timestamptz NOT NULL,
  CHECK (status <> 'armed' OR (armed_at IS NOT NULL AND first_armed_at IS NOT NULL)),
  CHECK ((status = 'published') = (tweet_id IS NOT NULL)),
  CHECK ((status = 'published') = (published_at IS NOT NULL)),
  CHECK (status NOT IN ('draft', 'scheduled', 'armed') OR open_key IS NOT NULL)
);
CREATE INDEX posts_by_status ON posts (status, scheduled_at, id);
CREATE INDEX posts_by_publication ON posts (published_at, id);
CREATE INDEX posts_by_member ON posts (member_id, status);

CREATE TABLE attempts (
  post_id    text NOT NULL REFERENCES posts (id),
  number     integer NOT NULL CHECK (number >= 1),
  started_at timestamptz NOT NULL,
  ended_at   timestamptz,
  outcome    text NOT NULL CHECK (outcome IN ('pending', 'published', 'refused', 'waiting', 'unclear', 'absent')),
  code       text NOT NULL,
  PRIMARY KEY (post_id, number)
);
CREATE INDEX attempts_by_end ON attempts (ended_at);

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

CREATE TABLE read_months (
  month  text PRIMARY KEY,
  used   integer NOT NULL,
  budget integer NOT NULL,
  safety integer NOT NULL CHECK (safety >= 0),
  CHECK (used >= 0 AND used <= budget)
);

CREATE TABLE engagement_reads (
  post_id     text NOT NULL REFERENCES posts (id),
  checkpoint  text NOT NULL CHECK (checkpoint IN ('1h', '24h', '7d')),
  month       text NOT NULL REFERENCES read_months (month),
  reserved_at timestamptz NOT NULL,
  measured_at timestamptz,
  PRIMARY KEY (post_id, checkpoint)
);
CREATE INDEX engagement_reads_open ON engagement_reads (measured_at);

CREATE TABLE client_errors (
  id         text PRIMARY KEY,
  path       text NOT NULL,
  message    text NOT NULL,
  stack      text NOT NULL,
  created_at timestamptz NOT NULL
);
