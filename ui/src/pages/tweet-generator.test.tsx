import { screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test } from 'vitest'

import { candidate, choices, generation, generator, leaderboard } from '@/test/generator'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder, visitor } from '@/test/sessions'
import { fail, logIn, post, refusal, serve } from '@/test/world'

import { TweetGeneratorPage } from './tweet-generator'

type User = ReturnType<typeof openPage>['user']

beforeEach(() => {
  logIn(founder())
})

const editor = () => screen.getByLabelText('Text')
const text = async (label: string) => within(await screen.findByRole('article', { name: `Text ${label}` }))

async function generate(user: User) {
  await user.type(await screen.findByLabelText('What should it be about?'), 'Our quota')
  await user.click(screen.getByRole('button', { name: 'Generate' }))
}

const take = async (user: User, label: string) =>
  user.click((await text(label)).getByRole('button', { name: 'Use this text' }))

const postNow = async (user: User) => user.click(await screen.findByRole('button', { name: 'Post now' }))

describe('generating', () => {
  test('several models write side by side, blind until the vote; then names and leaderboard show', async () => {
    const { asked } = generator([
      generation({ done: false, candidates: [candidate('A', { state: 'writing', content: 'A te' }), candidate('B')] }),
      generation(),
    ])
    const { user, router } = openPage('/tweet-generator')
    await user.type(await screen.findByLabelText('What should it be about?'), 'Our quota')
    await user.click(screen.getByRole('radio', { name: 'Playful' }))
    await user.click(screen.getByRole('checkbox', { name: 'ollama:llama3' }))
    await user.click(screen.getByRole('checkbox', { name: 'The quota' }))
    await user.click(screen.getByRole('button', { name: 'Generate' }))

    const body = {
      prompt: 'Our quota',
      voice: 'playful',
      models: ['openai:gpt-5', 'ollama:llama3'],
      context: ['quota'],
    }
    expect(await screen.findByText('2 texts are ready.')).toBeInTheDocument()
    expect(asked).toEqual([{ path: '/api/ai/generations', body }])
    await waitFor(() => expect(router.state.location.search).toBe('?generation=gen1'))
    const second = await text('B')
    expect(second.queryByText('openai:gpt-5')).not.toBeInTheDocument()
    const texts = within(screen.getByRole('region', { name: 'Texts' }))
    expect(texts.getByRole('link', { name: /Open run/ })).toHaveAttribute('href', 'http://127.0.0.1:8233/gen1')

    serve({ '/api/ai/leaderboard': leaderboard([{ model: 'openai:gpt-5', wins: 3, votes: 4, percent: 75 }]) })
    await user.click(second.getByRole('button', { name: 'This one is best' }))
    expect(await (await text('B')).findByText('Your choice')).toBeVisible()
    expect((await text('B')).getByText('openai:gpt-5')).toBeVisible()
    await waitFor(() => expect(screen.getByRole('article', { name: 'Text B' })).toHaveFocus())
    expect(screen.getByText(/^Your vote is counted\./)).toBeInTheDocument()
    expect(asked.at(-1)).toEqual({ path: '/api/ai/generations/gen1/vote', body: { candidateId: 'cand-B' } })
    expect(screen.queryByRole('button', { name: 'This one is best' })).not.toBeInTheDocument()
    expect(await screen.findByRole('row', { name: /openai:gpt-5 3 of 4 75 %/ })).toBeVisible()
  })

  test('one model needs no vote, and its text grows while it is written', async () => {
    const alone = { blind: false, candidates: [candidate('A', { model: 'openai:gpt-5' })] }
    const half = candidate('A', { state: 'writing', content: 'A te', model: 'openai:gpt-5' })
    generator([
      generation({ ...alone, done: false, candidates: [half] }),
      generation({ ...alone, done: false, candidates: [half] }),
      generation(alone),
    ])
    const { user } = openPage('/tweet-generator')
    await generate(user)
    expect(await screen.findByText('A te')).toBeVisible()
    expect(screen.getByText('Writing…')).toBeInTheDocument()
    expect(await screen.findByText('A text by A.')).toBeVisible()
    expect(screen.getByText('1 text is ready.')).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'This one is best' })).not.toBeInTheDocument()
  })

  test('templates are called templates, and without a model they are the only choice', async () => {
    const alone = { blind: false, candidates: [candidate('A', { model: 'template-1', template: true })] }
    const { asked } = generator([generation(alone)])
    serve({ '/api/ai/models': choices({ models: [], templates: ['template-1'] }) })
    const { user } = openPage('/tweet-generator')
    const writers = within(await screen.findByRole('group', { name: 'Templates' }))
    expect(writers.getByRole('checkbox', { name: 'template-1' })).toBeChecked()
    expect(writers.getByText('A template: fixed sentences around your topic, no AI')).toBeVisible()
    expect(screen.getByText(/^No AI model is configured here\./)).toBeVisible()
    await generate(user)
    expect((await text('A')).getByText('template-1 (template, no AI)')).toBeVisible()
    expect(asked[0]?.body).toMatchObject({ models: ['template-1'] })
  })

  test('asks for a model, and nobody before', async () => {
    const { asked } = generator()
    const { user } = openPage('/tweet-generator')
    await user.click(await screen.findByRole('checkbox', { name: 'openai:gpt-5' }))
    await user.type(screen.getByLabelText('What should it be about?'), 'Our quota{Control>}{Enter}{/Control}')
    expect(await screen.findByText('Please select at least one AI model')).toBeVisible()
    expect(asked).toEqual([])
    await user.click(screen.getByRole('checkbox', { name: 'openai:gpt-5' }))
    await user.type(screen.getByLabelText('What should it be about?'), '{Control>}{Enter}{/Control}')
    expect(await screen.findByText('2 texts are ready.')).toBeInTheDocument()
    expect(asked).toHaveLength(1)
  })

  test('a fact that cannot be had says why', async () => {
    generator()
    openPage('/tweet-generator')
    expect(await screen.findByRole('checkbox', { name: 'Experiments' })).toBeDisabled()
    expect(screen.getByText('Not available: No experiments are stored yet.')).toBeVisible()
    expect(screen.getByText('213 of 500 posts of this month are out.')).toBeVisible()
  })

  test('a refusal is told in its own words, a silent failure and a lost network in ours', async () => {
    generator()
    const { user } = openPage('/tweet-generator')
    server.use(
      http.post('*/api/ai/generations', () => HttpResponse.json(refusal('Enough for this hour.'), { status: 429 })),
    )
    await generate(user)
    expect(await screen.findByText('Enough for this hour.')).toBeVisible()
    server.use(http.post('*/api/ai/generations', () => new HttpResponse('', { status: 502 })))
    await user.click(screen.getByRole('button', { name: 'Generate' }))
    expect(await screen.findByText('Failed to generate tweet. Please try again.')).toBeVisible()
    server.use(http.post('*/api/ai/generations', () => HttpResponse.error()))
    await user.click(screen.getByRole('button', { name: 'Generate' }))
    expect(await screen.findByText('Error generating tweet. Please try again.')).toBeVisible()
  })

  test('a text that does not fit says so, and can be taken all the same; one that failed cannot', async () => {
    const long = 'x'.repeat(600)
    const unfit = candidate('A', { state: 'invalid', content: long, weight: 600, reason: 'It has 600 characters.' })
    const failed = candidate('B', { state: 'failed', content: '', weight: 0 })
    generator([generation({ candidates: [unfit, failed] })])
    const { user } = openPage('/tweet-generator?generation=gen1')
    expect((await text('A')).getByText('It has 600 characters.')).toBeVisible()
    expect((await text('B')).getByText('Failed to generate tweet. Please try again.')).toBeVisible()
    expect((await text('B')).queryByRole('button')).not.toBeInTheDocument()
    expect(screen.getByText('1 of 2 texts is ready.')).toBeInTheDocument()
    await take(user, 'A')
    expect(editor()).toHaveValue(long)
    expect(screen.getByTestId('counter')).toHaveTextContent(/600 of 280.*too long/)
    expect(screen.getByRole('button', { name: 'Post now' })).toBeDisabled()
  })
})

describe('the editor', () => {
  test('asks before it overwrites what somebody typed', async () => {
    generator()
    const { user } = openPage('/tweet-generator?generation=gen1')
    await take(user, 'A')
    await take(user, 'B') // nothing was typed, so nothing is asked
    expect(editor()).toHaveValue('A text by B.')
    await user.type(editor(), ' And mine.')
    await take(user, 'A')
    await user.click(await screen.findByRole('button', { name: 'Keep mine' }))
    expect(editor()).toHaveValue('A text by B. And mine.')
    await take(user, 'A')
    await user.click(await screen.findByRole('button', { name: 'Replace it' }))
    expect(editor()).toHaveValue('A text by A.')
  })

  test('posts a model’s text with where it comes from, and follows it until it is out', async () => {
    const { asked, note } = generator()
    const provenance = { model: 'openai:gpt-5', template: false, prompt: 'tweet.v1', edited: true }
    server.use(
      http.post('*/api/posts', async ({ request }) => {
        await note(request)
        return HttpResponse.json({ success: true, post: post({ provenance }) }, { status: 201 })
      }),
      http.get('*/api/posts/q1', () => HttpResponse.json(post({ status: 'published', provenance }))),
    )
    const { user } = openPage('/tweet-generator?generation=gen1')
    await take(user, 'A')
    expect(
      screen.getByText(/^Made of text A, not edited\. Our pages show which model or template wrote it/),
    ).toBeVisible()
    await user.type(editor(), '!')
    expect(screen.getByText(/^Made of text A, edited\./)).toBeVisible()
    await postNow(user)
    expect(await screen.findByText('Tweet posted successfully!')).toBeVisible()
    expect(screen.getByText('Stored with it: openai:gpt-5, prompt tweet.v1, edited.')).toBeVisible()
    expect(asked).toEqual([{ path: '/api/posts', body: { content: 'A text by A.!', candidateId: 'cand-A' } }])
    expect(editor()).toHaveValue('')
    expect(editor()).toHaveFocus()
  })

  test('posts one’s own text; what fails stays in the editor', async () => {
    const { asked, note } = generator()
    const { user } = openPage('/tweet-generator')
    await user.type(await screen.findByLabelText('Text'), 'My own')
    fail('/tweet', 502, 'X refused it.')
    await postNow(user)
    expect(await screen.findByText(/^Failed to post tweet: X refused it\./)).toBeVisible()
    server.use(http.post('*/tweet', () => new HttpResponse('', { status: 502 })))
    await postNow(user)
    expect(await screen.findByText('Failed to post tweet: Unknown error')).toBeVisible()
    server.use(http.post('*/tweet', () => HttpResponse.error()))
    await postNow(user)
    expect(await screen.findByText('Error posting tweet. Please try again.')).toBeVisible()
    expect(editor()).toHaveValue('My own')
    server.use(
      http.post('*/tweet', async ({ request }) => {
        await note(request)
        return HttpResponse.json({ success: true, post: post({ status: 'published' }) })
      }),
    )
    await postNow(user)
    expect(await screen.findByText('Tweet posted successfully!')).toBeVisible()
    expect(asked).toEqual([{ path: '/tweet', body: { content: 'My own' } }])
  })

  test('a text that is emptied is a new one, of one’s own', async () => {
    generator()
    const { user } = openPage('/tweet-generator?generation=gen1')
    await take(user, 'A')
    await user.clear(editor())
    await user.type(editor(), 'Mine')
    expect(screen.getByText(/^Your own text\./)).toBeVisible()
  })

  test('hands the text over to the scheduler', async () => {
    generator()
    const { user, router } = openPage('/tweet-generator?generation=gen1', [
      { path: '/tweet-generator', element: <TweetGeneratorPage /> },
      { path: '/scheduler', element: 'The scheduler' },
    ])
    await take(user, 'B')
    await user.click(screen.getByRole('button', { name: 'Send to scheduler' }))
    expect(await screen.findByText('The scheduler')).toBeVisible()
    await waitFor(() =>
      expect(router.state.location.state).toEqual({ compose: { content: 'A text by B.', candidateId: 'cand-B' } }),
    )
  })
})

test('a visitor sees everything but the buttons, and the way to log in', async () => {
  logIn(visitor())
  generator()
  openPage('/tweet-generator?generation=gen1')
  expect(await screen.findByRole('radio', { name: 'Plain' })).toBeVisible()
  expect(within(screen.getByText(/^Only members can have texts written\./)).getByRole('link')).toHaveAttribute(
    'href',
    '/auth/signin?next=%2Ftweet-generator%3Fgeneration%3Dgen1',
  )
  expect(await screen.findByText('Post number 3')).toBeVisible()
  for (const name of ['Generate', 'Post now', 'Send to scheduler', 'Use this text']) {
    expect(screen.queryByRole('button', { name })).not.toBeInTheDocument()
  }
})
