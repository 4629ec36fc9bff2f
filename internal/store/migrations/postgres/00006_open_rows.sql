-- The dispatcher checks twice a minute whether every open row has its run.

-- +goose Up
CREATE INDEX generation_candidates_open ON generation_candidates (state, generation_id) WHERE ended_at IS NULL;
CREATE INDEX diagnoses_open ON diagnoses (created_at, id) WHERE ended_at IS NULL;
CREATE INDEX x_logins_open ON x_logins (created_at, id) WHERE state <> 'ended';
CREATE INDEX checkouts_paid ON checkouts (code) WHERE state = 'paid';
CREATE INDEX posts_to_decide ON posts (status) WHERE open_key IS NOT NULL;
