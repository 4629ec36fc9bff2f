import { HttpResponse, http } from 'msw'

import type { Schemas } from '@/api/client'

import { server } from './server'
import { botPost, botPosts, botStatus, serve } from './world'

export const choices = (change: Partial<Schemas['Choices']> = {}): Schemas['Choices'] => ({
  voices: [
    { id: 'plain', label: 'Plain', about: 'Short sentences, no hype.' },
    { id: 'playful', label: 'Playful', about: 'A wink, never a lie.' },
  ],
  models: ['openai:gpt-5', 'ollama:llama3'],
  templates: ['template-1'],
  facts: [
    { kind: 'quota', label: 'The quota', text: '213 of 500 posts of this month are out.' },
    { kind: 'experiments', label: 'Experiments', unavailable: 'No experiments are stored yet.' },
  ],
  ...change,
})

export const candidate = (label: string, change: Partial<Schemas['Candidate']> = {}): Schemas['Candidate'] => {
  const content = `A text by ${label}.`
  return {
    id: `cand-${label}`,
    label,
    template: false,
    state: 'done',
    content,
    weight: content.length,
    chosen: false,
    ...change,
  }
}

/** Two models have answered; their names are still hidden. */
export const generation = (change: Partial<Schemas['Generation']> = {}): Schemas['Generation'] => ({
  id: 'gen1',
  prompt: 'Our quota',
  voice: 'plain',
  facts: [],
  done: true,
  blind: true,
  voted: false,
  candidates: [candidate('A'), candidate('B')],
  createdAt: '2026-11-22T00:00:00Z',
  workflowId: 'generation:gen1',
  runId: 'run-gen1',
  runUrl: 'http://127.0.0.1:8233/gen1',
  ...change,
})

/** The same after a vote for the second text. */
export const voted = () =>
  generation({
    voted: true,
    candidates: [candidate('A', { model: 'ollama:llama3' }), candidate('B', { model: 'openai:gpt-5', chosen: true })],
  })

export const leaderboard = (models: Schemas['LeaderboardRow'][] = []): Schemas['Leaderboard'] => ({
  models,
  votes: Math.max(0, ...models.map(({ votes }) => votes)),
})

/** A server with two models. It records requests and returns the next of `looks` for each poll of a generation. */
export function generator(looks: Schemas['Generation'][] = [generation()]) {
  const asked: { path: string; body: unknown }[] = []
  const left = [...looks]
  const note = async (request: Request) =>
    asked.push({ path: new URL(request.url).pathname, body: await request.json() })
  serve({
    '/api/bot-status': botStatus(),
    '/api/bot-posts': botPosts([botPost(1), botPost(2), botPost(3)]),
    '/api/ai/models': choices(),
    '/api/ai/leaderboard': leaderboard(),
  })
  server.use(
    http.post('*/api/ai/generations', async ({ request }) => {
      await note(request)
      const [first = generation()] = left
      return HttpResponse.json(first, { status: 201 })
    }),
    http.get('*/api/ai/generations/:id', () => HttpResponse.json(left.length > 1 ? left.shift() : left[0])),
    http.post('*/api/ai/generations/:id/vote', async ({ request }) => {
      await note(request)
      left.splice(0, left.length, voted())
      return HttpResponse.json(voted())
    }),
  )
  return { asked, note }
}
