import { screen, waitFor } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test } from 'vitest'

import { experiment, experimentDetail, lab } from '@/test/experiments'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder, shareholder, visitor } from '@/test/sessions'
import { botStatus, fail, logIn, refusal, serve } from '@/test/world'

type Change = Parameters<typeof experiment>[1]

const sent: unknown[] = []

beforeEach(() => {
  sent.length = 0
  serve({ '/api/bot-status': botStatus() })
  logIn(shareholder({ user: { username: '@ana', memberId: 'm1' } }))
})

/** Handles votes with this reply. */
function take(reply: () => Response | Promise<Response>) {
  server.use(
    http.post('*/api/experiments/vote', async ({ request }) => {
      sent.push(await request.json())
      return reply()
    }),
    http.delete('*/api/experiments/:slug/vote', ({ params: { slug } }) => {
      sent.push(`withdraw ${slug}`)
      return reply()
    }),
  )
}

const show = (change: Change = {}) => serve({ '/api/experiments': lab([experiment(1, change)]) })

/** Sets the votes of later responses and of the list. */
function counted(upvotes: number, downvotes: number, my_vote: -1 | 0 | 1) {
  show({ upvotes, downvotes, my_vote })
  return HttpResponse.json({ success: true, upvotes, downvotes, my_vote })
}

async function open(change: Change = {}) {
  show(change)
  const page = openPage('/experiments')
  await screen.findByRole('article')
  return page
}

const button = (way: 'up' | 'down') => screen.findByRole('button', { name: new RegExp(`^Vote ${way}`) })
const stands = async (up: number, down: number, mine: 'up' | 'down' | '') => {
  expect(await screen.findByRole('button', { name: `Vote up: ${up} votes` })).toHaveAttribute(
    'aria-pressed',
    String(mine === 'up'),
  )
  expect(await screen.findByRole('button', { name: `Vote down: ${down} votes` })).toHaveAttribute(
    'aria-pressed',
    String(mine === 'down'),
  )
}
const enabled = async () => waitFor(async () => expect(await button('up')).toHaveAttribute('aria-disabled', 'false'))

describe('a vote', () => {
  test('counts at once, carries the name without its @, and then stands as the server counted it', async () => {
    const { promise, resolve } = Promise.withResolvers<Response>()
    take(() => promise)
    const { user } = await open()
    await enabled()
    await user.click(await button('up'))
    await stands(13, 3, 'up')
    await waitFor(() => expect(sent).toEqual([{ experimentId: '001', vote: 1, memberId: 'ana' }]))
    resolve(counted(20, 3, 1))
    await stands(20, 3, 'up')
  })

  test('can be changed', async () => {
    take(() => counted(11, 4, -1))
    const { user } = await open({ my_vote: 1 })
    await enabled()
    await user.click(await button('down'))
    await stands(11, 4, 'down')
    expect(sent).toEqual([{ experimentId: '001', vote: -1, memberId: 'ana' }])
  })

  test('is taken back when it is pressed again', async () => {
    take(() => counted(11, 3, 0))
    const { user } = await open({ my_vote: 1 })
    await enabled()
    await user.click(await button('up'))
    await stands(11, 3, '')
    expect(sent).toEqual(['withdraw 001'])
  })

  test('counts on an experiment that only the address names, too', async () => {
    const far = experiment(77)
    const { promise } = Promise.withResolvers<Response>()
    take(() => promise)
    serve({ '/api/experiments': lab([]), '/api/experiments/77': experimentDetail(far) })
    const { user } = openPage('/experiments#77')
    await enabled()
    await user.click(await button('down'))
    await stands(12, 4, 'down')
    await waitFor(() => expect(sent).toEqual([{ experimentId: '077', vote: -1, memberId: 'ana' }]))
  })

  test('works by keyboard, and keeps the focus', async () => {
    take(() => counted(12, 4, -1))
    const { user } = await open()
    await enabled()
    ;(await button('down')).focus()
    await user.keyboard(' ')
    await stands(12, 4, 'down')
    await waitFor(async () => expect(await button('down')).toHaveFocus())
  })

  test('pressed twice in a hurry, is sent one after the other and ends as it was pressed last', async () => {
    const answers = [Promise.withResolvers<Response>(), Promise.withResolvers<Response>()]
    take(() => answers[sent.length - 1]?.promise ?? HttpResponse.error())
    const { user } = await open()
    await enabled()
    await user.click(await button('up'))
    await user.click(await button('up'))
    await stands(12, 3, '')
    await waitFor(() => expect(sent).toHaveLength(1))
    answers[0]?.resolve(HttpResponse.json({ success: true, upvotes: 13, downvotes: 3, my_vote: 1 }))
    await waitFor(() => expect(sent).toHaveLength(2))
    await stands(12, 3, '')
    answers[1]?.resolve(counted(12, 3, 0))
    await stands(12, 3, '')
    expect(sent[1]).toBe('withdraw 001')
  })
})

describe('a vote that does not count', () => {
  test.each<[string, () => Response, string]>([
    ['the network fails', () => HttpResponse.error(), 'Voting failed. Please try again.'],
    [
      'the server fails',
      () => HttpResponse.json(refusal('Something went wrong.'), { status: 500 }),
      'Voting failed. Please try again.',
    ],
    [
      'it is refused',
      () => HttpResponse.json(refusal('You vote too fast.', 'too_many'), { status: 429 }),
      'You vote too fast.',
    ],
    [
      'the session has ended',
      () => HttpResponse.json(refusal('Log in to do this.', 'unauthorized'), { status: 401 }),
      'Please login to vote on experiments.',
    ],
  ])('is taken back when %s', async (_, reply, text) => {
    const { promise, resolve } = Promise.withResolvers<Response>()
    take(() => promise)
    const { user } = await open({ my_vote: -1 })
    await enabled()
    await user.click(await button('up'))
    await stands(13, 2, 'up')
    fail('/api/experiments') // nobody else can say how it stood
    resolve(reply())
    expect(await screen.findByRole('alert')).toHaveTextContent(text)
    await stands(12, 3, 'down')
  })

  test('because it was closed meanwhile, says so and shows the final count with its run', async () => {
    take(() => {
      show({ status: 'completed', votes_open: false, upvotes: 40, downvotes: 2 })
      return HttpResponse.json(refusal('The votes on it are closed.', 'votes_closed'), { status: 409 })
    })
    const { user } = await open()
    await enabled()
    await user.click(await button('up'))
    expect(await screen.findByText('The votes on it are closed.')).toBeVisible()
    expect(await screen.findByText('Final count: 40 up, 2 down')).toBeVisible()
    expect(screen.getByRole('link', { name: 'The run that counted' })).toHaveAttribute('href', '/runs/experiment:1')
    expect(screen.queryByRole('button', { name: /^Vote/ })).not.toBeInTheDocument()
  })
})

describe('who has no vote', () => {
  test.each(['click', 'keyboard'])('is asked to log in, by %s', async (way) => {
    logIn(visitor())
    take(() => HttpResponse.error())
    const { user } = await open()
    const login = await screen.findByRole('link', { name: 'Login to vote' })
    expect(login).toHaveAttribute('href', '/auth/signin?next=%2Fexperiments%23001-idea')
    const up = await button('up')
    expect(up).toHaveAttribute('aria-disabled', 'true')
    expect(up).toHaveAccessibleDescription('Login to vote')
    up.focus()
    if (way === 'keyboard') await user.keyboard('{Enter}')
    else await user.click(up)
    expect(await screen.findByRole('alert')).toHaveTextContent('Please login to vote on experiments.')
    await stands(12, 3, '')
    expect(sent).toEqual([])
  })

  test.each([
    [
      'an account without a membership',
      founder({ role: 'visitor' }),
      'Votes belong to memberships, and you have none.',
    ],
    [
      'a member whose seat is frozen',
      shareholder({ role: 'visitor' }),
      'Your membership is not active, so it has no vote.',
    ],
  ])('is told why: %s', async (_, session, text) => {
    logIn(session)
    take(() => HttpResponse.error())
    const { user } = await open()
    expect(await screen.findByText(text)).toBeVisible()
    expect(await button('up')).toHaveAccessibleDescription(text)
    await user.click(await button('up'))
    expect(sent).toEqual([])
    expect(screen.queryByText('Login to vote')).not.toBeInTheDocument()
  })

  test('is not a founder, who needs no membership', async () => {
    logIn(founder())
    take(() => counted(13, 3, 1))
    const { user } = await open()
    await enabled()
    await user.click(await button('up'))
    await stands(13, 3, 'up')
    expect(sent).toEqual([{ experimentId: '001', vote: 1, memberId: 'founder_one' }])
  })
})

test('a count without a run names none', async () => {
  await open({ status: 'declined', votes_open: false, runUrl: '', runId: '', workflowId: '' })
  expect(await screen.findByText('Final count: 12 up, 3 down')).toBeVisible()
  expect(screen.queryByRole('link', { name: 'The run that counted' })).not.toBeInTheDocument()
})
