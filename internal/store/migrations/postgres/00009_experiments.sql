-- +goose Up
-- The lab. number and slug are given when a founder approves.
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

-- The number that was given last. Its row is the lock of those who approve at once.
CREATE TABLE experiment_numbers (
  id   text PRIMARY KEY CHECK (id = 'experiment'),
  last bigint NOT NULL CHECK (last >= 0)
);

-- One row for a member and an experiment: what is counted is what stands here.
CREATE TABLE experiment_votes (
  experiment_id text NOT NULL REFERENCES experiments (id),
  member_id     text NOT NULL REFERENCES members (id),
  value         bigint NOT NULL CHECK (value IN (-1, 1)),
  created_at    timestamptz NOT NULL,
  updated_at    timestamptz NOT NULL,
  PRIMARY KEY (experiment_id, member_id)
);
CREATE INDEX experiment_votes_by_member ON experiment_votes (member_id);

-- What the lab wrote down, a note a day.
CREATE TABLE lab_notes (
  experiment_id text NOT NULL REFERENCES experiments (id),
  date          text NOT NULL CHECK (length(date) = 10),
  content       text NOT NULL CHECK (length(content) BETWEEN 1 AND 10000),
  author        text NOT NULL,
  version       bigint NOT NULL CHECK (version >= 1),
  updated_at    timestamptz NOT NULL,
  PRIMARY KEY (experiment_id, date)
);

INSERT INTO experiment_numbers (id, last) VALUES ('experiment', 1);
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
INSERT INTO lab_notes (experiment_id, date, content, author, version, updated_at) VALUES
('001', '2026-11-20', 'The spine stands: a post goes through a **durable workflow** to the timeline, and its row names the run. Experiments will be made the same way: *no claim without a run*.', 'founder_one', 1, '2026-11-20 23:59:00+00:00'),
('001', '2026-11-21', 'Members can log in with their e-mail address, and hold a share of the 500 posts. Without that a vote would be anybody''s.

- A vote belongs to a **session**, never to a name in a request.
- Credits are a book: nothing is overwritten.', 'founder_two', 1, '2026-11-21 22:00:00+00:00'),
('001', '2026-11-22', 'The page opens. Votes are rows, `one for each member and experiment`, and the numbers on the page are counted from them each time.

Next: an experiment that **registers its metric before it begins**, so that the verdict is set by the clock and not by us.', 'founder_one', 1, '2026-11-22 12:00:00+00:00');
