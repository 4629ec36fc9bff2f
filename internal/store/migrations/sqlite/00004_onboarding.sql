-- +goose Up
-- How far a member has come with the tour and the questionnaire. Answers are JSON.
CREATE TABLE onboardings (
  member_id    text NOT NULL REFERENCES members (id),
  kind         text NOT NULL CHECK (kind IN ('tour', 'partnership')),
  answers      text NOT NULL,
  step         integer NOT NULL CHECK (step >= 1),
  completed_at datetime,
  updated_at   datetime NOT NULL,
  PRIMARY KEY (member_id, kind)
);
