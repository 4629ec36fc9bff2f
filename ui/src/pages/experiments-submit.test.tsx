import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test } from 'vitest'

import { experiment, idea, lab } from '@/test/experiments'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { botStatus, refusal, serve } from '@/test/world'

const sent: unknown[] = []
const searched: (string | null)[] = []

const good = {
  Title: 'Posts in the morning',
  Problem: 'Nobody reads what the bot says at night.',
  Hypothesis: 'If we build a morning slot, then more people will read, because they are awake.',
  Impact: 'More people read.',
}

beforeEach(() => {
  sent.length = 0
  searched.length = 0
  serve({ '/api/bot-status': botStatus(), '/api/experiments': lab([experiment(1)]) })
  findSimilar()
})

function findSimilar(...experiments: ReturnType<typeof experiment>[]) {
  server.use(
    http.get('*/api/experiments/similar', ({ request }) => {
      searched.push(new URL(request.url).searchParams.get('title'))
      return HttpResponse.json({ experiments })
    }),
  )
}

function take(reply: () => Response | Promise<Response>) {
  server.use(
    http.post('*/api/experiments/submit', async ({ request }) => {
      sent.push(await request.json())
      return reply()
    }),
  )
}

const message = 'Experiment submitted successfully! The community can now vote on it.'
const taken = () =>
  HttpResponse.json({ success: true, experiment: experiment(9), waiting: false, message }, { status: 201 })

const opener = () => screen.findByRole('button', { name: 'Submit Experiment' })
const dialog = () => screen.findByRole('dialog', { name: 'Submit an experiment' })
const field = (name: string) => screen.getByRole('textbox', { name })
const submit = () => screen.getByRole('button', { name: 'Submit' })

async function open() {
  openPage('/experiments')
  const user = userEvent.setup({ delay: null })
  await user.click(await opener())
  await dialog()
  return user
}

/** Opens the form and pastes the texts, because typing is slow. */
async function fill(texts: Record<string, string> = good) {
  const user = await open()
  for (const [name, text] of Object.entries(texts)) {
    await user.click(field(name))
    await user.paste(text)
  }
  return user
}

describe('the form', () => {
  test('begins at the title, with guidelines and a difficulty of medium', async () => {
    await open()
    await waitFor(() => expect(field('Title')).toHaveFocus())
    expect(screen.getByRole('note', { name: 'Guidelines' })).toBeVisible()
    expect(screen.getAllByRole('radio').map((radio) => radio.getAttribute('value'))).toEqual(['easy', 'medium', 'hard'])
    expect(screen.getByRole('radio', { name: 'Easy (1-2 days)' })).not.toBeChecked()
    expect(screen.getByRole('radio', { name: 'Medium (1 week)' })).toBeChecked()
    expect(screen.getByRole('radio', { name: 'Hard (2+ weeks)' })).not.toBeChecked()
    expect(field('Hypothesis')).toHaveAttribute('placeholder', 'If we build X, then Y will happen because Z')
    expect(field('Hypothesis')).toHaveAccessibleDescription(/If we build X, then Y will happen because Z/)
  })

  test.each(Object.keys(good))('cannot be submitted without its %s', async (name) => {
    await fill({ ...good, [name]: '   ' })
    expect(submit()).toBeDisabled()
  })

  test.each([
    ['Title', 5, 100],
    ['Problem', 20, 1000],
    ['Hypothesis', 20, 500],
    ['Impact', 10, 500],
  ])('says how long the %s may be, and sends none that is shorter or longer', async (name, least, most) => {
    take(taken)
    const user = await fill({ ...good, [name]: '🧪' })
    expect(field(name)).toHaveAccessibleDescription(new RegExp(`^1 of ${most} characters, at least ${least}`))
    await user.click(submit())
    expect(await screen.findByText(`Write at least ${least} characters; there are 1.`)).toBeVisible()
    await waitFor(() => expect(field(name)).toHaveFocus())
    expect(field(name)).toBeInvalid()

    await user.clear(field(name))
    await user.paste('x'.repeat(most + 1))
    expect(await screen.findByText(`At most ${most} characters; there are ${most + 1}.`)).toBeVisible()
    await user.click(submit())
    expect(sent).toEqual([])
  })

  test('hints at a hypothesis off the pattern, and takes it all the same', async () => {
    take(taken)
    const user = await fill({ ...good, Hypothesis: 'More people will read what we write.' })
    expect(screen.getByText(/It does not say yet: If we build X/)).toBeVisible()
    await user.click(submit())
    expect(await screen.findByText(message)).toBeVisible()
  })

  test('says nothing of that to a hypothesis on the pattern', async () => {
    await fill()
    expect(screen.queryByText(/It does not say yet/)).not.toBeInTheDocument()
  })
})

describe('similar experiments', () => {
  test('are looked for once the typing pauses, and open in a new tab', async () => {
    findSimilar(experiment(4, { title: '<b>Posts</b> at night' }))
    const user = await open()
    await user.type(field('Title'), 'Posts at noon')
    const link = await screen.findByRole('link', { name: /^<b>Posts<\/b> at night/ })
    expect(link).toHaveAttribute('href', '/experiments/004-idea')
    expect(link).toHaveAttribute('target', '_blank')
    expect(searched).toEqual(['Posts at noon'])

    await user.clear(field('Title'))
    await waitFor(() => expect(screen.queryByText('Similar experiments')).not.toBeInTheDocument())
  })

  test('are not missed when they cannot be looked for', async () => {
    server.use(
      http.get('*/api/experiments/similar', ({ request }) => {
        searched.push(new URL(request.url).searchParams.get('title'))
        return HttpResponse.json(refusal('Too many searches.'), { status: 429 })
      }),
    )
    await fill()
    await waitFor(() => expect(searched).toEqual([good.Title]))
    expect(submit()).toBeEnabled()
    expect(screen.queryByText('Too many searches.')).not.toBeInTheDocument()
  })
})

describe('an idea that is taken', () => {
  test('is sent without blanks around, and the answer is told with the way to it', async () => {
    take(taken)
    const user = await fill({ ...good, Title: `  ${good.Title}  ` })
    await user.click(screen.getByRole('radio', { name: 'Hard (2+ weeks)' }))
    await user.click(submit())
    expect(await screen.findByText(message)).toBeVisible()
    await waitFor(() => expect(screen.getByRole('button', { name: 'Done' })).toHaveFocus())
    expect(screen.getByRole('link', { name: 'EXPERIMENT #009: Idea number 9' })).toHaveAttribute(
      'href',
      '/experiments/009-idea',
    )
    expect(sent).toEqual([
      {
        title: good.Title,
        problem: good.Problem,
        hypothesis: good.Hypothesis,
        impact: good.Impact,
        difficulty: 'hard',
      },
    ])

    await user.click(screen.getByRole('button', { name: 'Done' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    await waitFor(async () => expect(await opener()).toHaveFocus())
    await user.click(await opener())
    await dialog()
    expect(field('Title')).toHaveValue('')
  })

  test('and waits for a founder, is not linked', async () => {
    const says = 'Thank you. A founder looks at it before it appears.'
    take(() =>
      HttpResponse.json({ success: true, experiment: idea('i-9'), waiting: true, message: says }, { status: 201 }),
    )
    const user = await fill()
    await user.click(submit())
    expect(await screen.findByText(says)).toBeVisible()
    expect(within(await dialog()).queryByRole('link')).not.toBeInTheDocument()
  })

  test('after the dialog was closed, is told when it is opened again', async () => {
    const { promise, resolve } = Promise.withResolvers<Response>()
    take(() => promise)
    const user = await fill()
    await user.click(submit())
    await waitFor(() => expect(sent).toHaveLength(1))
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    resolve(taken())
    await user.click(await opener())
    expect(await screen.findByText(message)).toBeVisible()
    expect(sent).toHaveLength(1)
  })
})

describe('an idea that is not taken', () => {
  test.each<[string, () => Response, string]>([
    [
      'with the reason of the server',
      () => HttpResponse.json(refusal('An open experiment has this title.', 'experiment_dupe'), { status: 409 }),
      'An open experiment has this title.',
    ],
    [
      'without any reason',
      () => new HttpResponse('<h1>Bad gateway</h1>', { status: 502, headers: { 'Content-Type': 'text/html' } }),
      'Submission failed',
    ],
    ['without an answer', () => HttpResponse.error(), 'Failed to submit experiment. Please try again.'],
    [
      'with the field that is wrong',
      () =>
        HttpResponse.json(
          {
            ...refusal('See details.', 'invalid'),
            details: [{ field: 'body.title', reason: 'it holds control characters' }],
          },
          { status: 422 },
        ),
      'Title: it holds control characters.',
    ],
  ])('says so, %s, and loses nothing', async (_, reply, text) => {
    take(reply)
    const user = await fill()
    await user.click(submit())
    const alert = await screen.findByRole('alert')
    expect(within(alert).getByText('Submission Failed')).toBeVisible()
    expect(within(alert).getByText(text)).toBeVisible()
    expect(field('Problem')).toHaveValue(good.Problem)

    take(taken)
    await user.click(submit())
    expect(await screen.findByText(message)).toBeVisible()
  })
})

describe('a draft', () => {
  test('survives a dialog closed by accident, and even the page', async () => {
    const user = await fill()
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    await waitFor(async () => expect(await opener()).toHaveFocus())
    await user.click(await opener())
    await dialog()
    expect(field('Hypothesis')).toHaveValue(good.Hypothesis)
    expect(JSON.parse(sessionStorage.getItem('experiment-idea') ?? '')).toMatchObject({ title: good.Title })
  })

  test('is what a page begins with', async () => {
    sessionStorage.setItem(
      'experiment-idea',
      JSON.stringify({ title: 'Kept', problem: '', hypothesis: '', impact: '', difficulty: 'easy' }),
    )
    await open()
    expect(field('Title')).toHaveValue('Kept')
    expect(screen.getByRole('radio', { name: 'Easy (1-2 days)' })).toBeChecked()
  })

  test.each(['{', '{"title":1}', '{"title":"a","problem":"","hypothesis":"","impact":"","difficulty":"toString"}'])(
    'that makes no sense is left: %s',
    async (kept) => {
      sessionStorage.setItem('experiment-idea', kept)
      await open()
      expect(field('Title')).toHaveValue('')
    },
  )

  test('is gone with Cancel', async () => {
    const user = await fill()
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    await user.click(await opener())
    await dialog()
    expect(field('Title')).toHaveValue('')
    expect(field('Problem')).toHaveValue('')
  })
})
