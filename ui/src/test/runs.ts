import type { Run, RunBrief } from '@/api/runs'

export const runBrief = (change: Partial<RunBrief> = {}): RunBrief => ({
  workflowId: 'post:p1',
  runId: 'run-1',
  flow: 'post',
  state: 'done',
  startedAt: '2026-11-22T10:00:00Z',
  endedAt: '2026-11-22T10:00:03.5Z',
  path: '/runs/post:p1?run=run-1',
  ...change,
})

/** A published post. */
export const timeline = (change: Partial<Run> = {}): Run => ({
  ...runBrief(),
  title: 'A post',
  description: 'Waits for its time, asks X once, and looks whether it went out.',
  subjectUrl: '/bot-posts',
  events: 42,
  cut: false,
  result: [{ name: 'Status', value: 'published' }],
  steps: [
    { at: '2026-11-22T10:00:00Z', title: 'Began', state: 'done', stage: 'notice', facts: [] },
    {
      at: '2026-11-22T10:00:01Z',
      title: 'Took a slot',
      state: 'done',
      stage: 'guard',
      facts: [{ name: 'Slot', value: '12' }],
    },
    {
      at: '2026-11-22T10:00:01Z',
      endedAt: '2026-11-22T10:00:03.2Z',
      title: 'Asked X to publish',
      state: 'failed',
      stage: 'act',
      attempt: 2,
      facts: [],
      failure: 'X did not answer in time.',
    },
    { at: '2026-11-22T10:00:03.500Z', title: 'Wrote it down', state: 'done', stage: 'record', facts: [] },
  ],
  ...change,
})
