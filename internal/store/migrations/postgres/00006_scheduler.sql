-- +goose Up
-- What founders may hold back: every post, or members' posts that nobody has approved.
ALTER TABLE bot ADD COLUMN approval boolean NOT NULL DEFAULT false;
ALTER TABLE bot ADD COLUMN paused_at timestamptz;
ALTER TABLE bot ADD COLUMN paused_by text NOT NULL DEFAULT '';
ALTER TABLE bot ADD COLUMN pause_reason text NOT NULL DEFAULT '';

-- When a holder's queue posts. The holder is a member's id; the founders' is empty.
CREATE TABLE timetables (
  holder          text PRIMARY KEY,
  weekly          text NOT NULL,
  timezone        text NOT NULL,
  quiet_from      integer NOT NULL CHECK (quiet_from BETWEEN 0 AND 1439),
  quiet_to        integer NOT NULL CHECK (quiet_to BETWEEN 0 AND 1439),
  min_gap_minutes integer NOT NULL CHECK (min_gap_minutes BETWEEN 0 AND 1440),
  version         integer NOT NULL CHECK (version >= 0),
  updated_at      timestamptz NOT NULL
);

CREATE TABLE series (
  id           text PRIMARY KEY,
  member_id    text REFERENCES members (id),
  texts        text NOT NULL,
  weekly       text NOT NULL,
  timezone     text NOT NULL,
  ends_at      timestamptz,
  made_with_ai boolean NOT NULL,
  state        text NOT NULL CHECK (state IN ('active', 'paused', 'ended')),
  code         text NOT NULL,
  reason       text NOT NULL,
  failures     integer NOT NULL CHECK (failures >= 0),
  written      integer NOT NULL CHECK (written >= 0),
  cursor_at    timestamptz NOT NULL,
  version      integer NOT NULL CHECK (version >= 1),
  created_at   timestamptz NOT NULL,
  updated_at   timestamptz NOT NULL,
  CHECK ((state = 'paused') = (code <> ''))
);
CREATE INDEX series_by_state ON series (state, created_at);

-- One row for each time of a series that had its turn, or has its post already.
CREATE TABLE occurrences (
  series_id text NOT NULL REFERENCES series (id),
  at        timestamptz NOT NULL,
  state     text NOT NULL CHECK (state IN ('written', 'skipped')),
  post_id   text UNIQUE REFERENCES posts (id),
  code      text NOT NULL,
  reason    text NOT NULL,
  PRIMARY KEY (series_id, at),
  CHECK (state <> 'written' OR post_id IS NOT NULL),
  CHECK ((state = 'skipped') = (code <> ''))
);

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

CREATE TABLE candidates (
  id            text PRIMARY KEY,
  generation_id text NOT NULL REFERENCES generations (id),
  label         text NOT NULL,
  model         text NOT NULL,
  prompt        text NOT NULL,
  state         text NOT NULL CHECK (state IN ('waiting', 'writing', 'done', 'unfit', 'failed')),
  text          text NOT NULL,
  code          text NOT NULL,
  reason        text NOT NULL,
  call_id       text REFERENCES model_calls (id),
  chosen        boolean NOT NULL,
  ended_at      timestamptz,
  UNIQUE (generation_id, label),
  UNIQUE (generation_id, model),
  CHECK ((state IN ('done', 'unfit', 'failed')) = (ended_at IS NOT NULL)),
  CHECK ((state IN ('unfit', 'failed')) = (code <> ''))
);

-- A generation is voted on once.
CREATE TABLE generation_votes (
  generation_id text PRIMARY KEY REFERENCES generations (id),
  candidate_id  text NOT NULL REFERENCES candidates (id),
  account_id    text REFERENCES accounts (id),
  created_at    timestamptz NOT NULL
);

ALTER TABLE posts ADD COLUMN review text NOT NULL DEFAULT ''
  CHECK (review IN ('', 'asked', 'suggested', 'rejected', 'approved'));
ALTER TABLE posts ADD COLUMN review_reason text NOT NULL DEFAULT '';
ALTER TABLE posts ADD COLUMN suggestion text NOT NULL DEFAULT '';
ALTER TABLE posts ADD COLUMN reviewer text NOT NULL DEFAULT '';
ALTER TABLE posts ADD COLUMN cancelled_at timestamptz;
ALTER TABLE posts ADD COLUMN series_id text REFERENCES series (id);
ALTER TABLE posts ADD COLUMN candidate_id text REFERENCES candidates (id);
ALTER TABLE posts ADD COLUMN edited boolean NOT NULL DEFAULT false;
CREATE INDEX posts_by_review ON posts (review, created_at) WHERE review <> '';
CREATE INDEX posts_by_time ON posts (scheduled_at, id);
CREATE INDEX posts_by_series ON posts (series_id, scheduled_at) WHERE series_id IS NOT NULL;

ALTER TABLE letters DROP CONSTRAINT letters_kind_check;
ALTER TABLE letters ADD CONSTRAINT letters_kind_check
  CHECK (kind IN ('login_code', 'address_code', 'welcome', 'post_trouble', 'receipt', 'refund', 'paid_twice',
                  'review_asked', 'review_done', 'series_paused'));
