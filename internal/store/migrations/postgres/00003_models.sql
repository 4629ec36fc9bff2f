-- +goose Up

-- The built-in writers and the built-in prices are formulas. They were stored as models; no model read a prompt.
UPDATE price_decisions SET source = 'rules', model = '', prompt = '', call_id = NULL WHERE model = 'builtin-1';
UPDATE posts SET made_with_ai = false
WHERE candidate_id IN (SELECT id FROM generation_candidates WHERE model IN ('builtin-1', 'builtin-brief-1'));
UPDATE generation_candidates SET model = 'template-1', prompt = '', call_id = NULL
WHERE model = 'builtin-1' AND ended_at IS NOT NULL;
UPDATE generation_candidates SET model = 'template-brief-1', prompt = '', call_id = NULL
WHERE model = 'builtin-brief-1' AND ended_at IS NOT NULL;

-- A view whose page timed out is opened once more.
ALTER TABLE verification_screenshots ADD COLUMN retried boolean NOT NULL DEFAULT false;

-- The experiment that comes with the product has no history: its notes were by founders who do not exist. The program
-- dates it from the installation.
ALTER TABLE experiment_notes ADD COLUMN example boolean NOT NULL DEFAULT false;
UPDATE experiments SET progress = 0, updated_at = submitted_at WHERE id = '001' AND origin = 'seed' AND version = 1;
DELETE FROM experiment_notes WHERE experiment_id = '001' AND version = 1 AND author IN ('founder_one', 'founder_two')
  AND date IN ('2026-11-20', '2026-11-21', '2026-11-22');
INSERT INTO experiment_notes (experiment_id, date, content, author, version, updated_at, example)
SELECT id, '2026-11-20', 'This note is an **example**. Founders write one for each day on which something was learned: what was tried, what came of it, and which *run* shows it.',
  '', 1, submitted_at, true
FROM experiments WHERE id = '001' AND origin = 'seed' AND version = 1
  AND NOT EXISTS (SELECT 1 FROM experiment_notes WHERE experiment_id = '001' AND date = '2026-11-20');
