import { act, screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { experiment, experimentDetail, lab, serveLab } from '@/test/experiments'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder, shareholder } from '@/test/sessions'
import { botStatus, fail, logIn, refusal, serve } from '@/test/world'

beforeEach(() => {
  serve({ '/api/bot-status': botStatus() })
})

const card = async (name: string) => within(await screen.findByRole('article', { name }))
const first = 'EXPERIMENT #001: Idea number 1'
const titles = () => screen.queryAllByRole('article').map((one) => one.getAttribute('aria-label'))
const tile = (name: string) => screen.findByRole('region', { name })

describe('the tiles', () => {
  test('count what is public, and lead to a membership', async () => {
    serve({ '/api/experiments': lab([experiment(1)]) })
    openPage('/experiments')
    expect(await screen.findByText('4 running of 9')).toBeVisible()
    expect(await tile('Active Experiments')).toHaveTextContent('9Active Experiments4 running of 9')
    expect(await tile('Completed')).toHaveTextContent('2Completed')
    expect(await tile('Total Votes')).toHaveTextContent('1,234Total Votes')
    expect(screen.getByRole('link', { name: '$9 Join to Vote' })).toHaveAttribute('href', '/pricing')
  })
})

describe('a card', () => {
  test('says what is tried, how far it is, and where the notes are', async () => {
    serve({ '/api/experiments': lab([experiment(1, { metric: 'members', verdict: 'met' })]) })
    openPage('/experiments')
    const shown = await card(first)
    expect(shown.getByRole('heading', { level: 2, name: first })).toBeVisible()
    expect(shown.getByText('Active')).toBeVisible()
    expect(shown.getByText('Target met')).toBeVisible()
    expect(shown.getByText('Day 3, 60% complete')).toBeVisible()
    expect(shown.getByText('Problem of 1: nobody knows.')).toBeVisible()
    expect(shown.getByText(/^If we build 1, then/)).toBeVisible()
    expect(shown.getByRole('progressbar', { name: 'Progress of Idea number 1' })).toHaveAttribute('aria-valuenow', '60')
    expect(shown.getByRole('link', { name: 'Read Lab Notes' })).toHaveAttribute('href', '/experiments/001-idea')
    expect(shown.getByText(/^Last update/).querySelector('time')).toHaveAttribute('datetime', '2026-11-22T09:00:00Z')
  })

  test('each status has a badge and an icon of its own', async () => {
    const statuses = ['planning', 'active', 'testing', 'completed', 'shipped', 'declined'] as const
    serve({ '/api/experiments': lab(statuses.map((status, index) => experiment(index + 1, { status }))) })
    openPage('/experiments')
    await card(first)
    const badges = ['Planning', 'Active', 'Testing', 'Completed', 'Shipped', 'Declined']
    const icons = screen.getAllByRole('article').map((one, index) => {
      expect(within(one).getByText(badges[index] ?? '')).toBeVisible()
      return one.querySelector('svg')?.innerHTML
    })
    expect(new Set(icons).size).toBe(statuses.length)
  })

  test('says why it was declined', async () => {
    const reason = 'The platform forbids it.'
    serve({ '/api/experiments': lab([experiment(1, { status: 'declined', reason })]) })
    openPage('/experiments')
    const shown = await card(first)
    expect(shown.getByText(reason)).toBeVisible()
  })

  test('shows markup as text', async () => {
    const markup = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
    const hostile = experiment(1, { title: markup, problem: markup, hypothesis: markup, reason: markup })
    serve({ '/api/experiments': lab([hostile]) })
    openPage('/experiments')
    const shown = await card(`EXPERIMENT #001: ${markup}`)
    expect(shown.getAllByText(markup)).toHaveLength(3)
    expect(document.querySelector('article img, article script')).toBeNull()
  })
})

describe('the list', () => {
  test('is asked for in pages of 20, and more goes on where it ended', async () => {
    const asked = serveLab(Array.from({ length: 25 }, (_, index) => experiment(index + 1)))
    const { user } = openPage('/experiments')
    await user.click(await screen.findByRole('button', { name: 'Load more (5 remaining)' }))
    const next = await screen.findByRole('article', { name: 'EXPERIMENT #021: Idea number 21' })
    await waitFor(() => expect(next).toHaveFocus())
    expect(titles()).toHaveLength(25)
    expect(asked.map(({ limit, offset }) => [limit, offset])).toEqual([
      ['20', '0'],
      ['20', '20'],
    ])
    expect(screen.queryByRole('button', { name: /Load more/ })).not.toBeInTheDocument()
  })

  test('keeps what is there when more cannot be loaded', async () => {
    serveLab(Array.from({ length: 25 }, (_, index) => experiment(index + 1)))
    const { user } = openPage('/experiments')
    const more = await screen.findByRole('button', { name: /Load more/ })
    fail('/api/experiments')
    await user.click(more)
    expect(await screen.findByText(/Could not load more experiments/)).toBeVisible()
    expect(titles()).toHaveLength(20)
  })

  test('is asked for again every 30 seconds', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    serveLab([experiment(1)])
    openPage('/experiments')
    await card(first)
    const asked = serveLab([experiment(1), experiment(2)])
    await act(() => vi.advanceTimersByTimeAsync(28_000))
    expect(asked).toEqual([])
    await act(() => vi.advanceTimersByTimeAsync(3_000))
    expect(await screen.findByRole('article', { name: 'EXPERIMENT #002: Idea number 2' })).toBeVisible()
  })

  test('is empty at first', async () => {
    serveLab([])
    openPage('/experiments')
    expect(await screen.findByText('No experiments yet')).toBeVisible()
  })
})

describe('what is asked for', () => {
  test('stands in the address once the typing pauses, and only then', async () => {
    const asked = serveLab([experiment(1), experiment(2, { title: 'Bananas' })])
    const { user, router } = openPage('/experiments')
    await card(first)
    await user.type(screen.getByRole('searchbox', { name: 'Search' }), 'Bananas ')
    await waitFor(() => expect(titles()).toEqual(['EXPERIMENT #002: Bananas']))
    expect(router.state.location.search).toBe('?q=Bananas')
    expect(asked.map(({ q }) => q)).toEqual([undefined, 'Bananas'])
    expect(screen.getByText('1 experiment')).toBeVisible()

    await user.selectOptions(screen.getByRole('combobox', { name: 'Sort by' }), 'Most votes')
    await user.click(screen.getByRole('link', { name: 'Testing' }))
    expect(await screen.findByText('No experiment matches')).toBeVisible()
    expect(router.state.location.search).toBe('?q=Bananas&sort=votes&status=testing')
    expect(asked.at(-1)).toMatchObject({ q: 'Bananas', sort: 'votes', status: 'testing' })

    await user.click(screen.getByRole('link', { name: 'Show all experiments' }))
    await card(first)
    expect(screen.getByRole('searchbox', { name: 'Search' })).toHaveValue('')
  })

  test('is taken from the address, as far as it makes sense', async () => {
    const asked = serveLab([experiment(1, { status: 'testing' })])
    openPage(`/experiments?q=${'x'.repeat(120)}&status=nonsense&sort=sideways`)
    expect(await screen.findByText('No experiment matches')).toBeVisible()
    expect(asked[0]).toMatchObject({ q: 'x'.repeat(100), sort: 'newest' })
    expect(asked[0]).not.toHaveProperty('status')
  })

  test('by others than founders, is never what waits', async () => {
    logIn(shareholder())
    const asked = serveLab([experiment(1)])
    openPage('/experiments?status=waiting')
    await card(first)
    expect(asked.some(({ status }) => status === 'waiting')).toBe(false)
    expect(screen.queryByRole('link', { name: /Waiting/ })).not.toBeInTheDocument()
  })
})

describe('an anchor', () => {
  const into = vi.fn<(this: Element) => void>()
  const all = [experiment(1), experiment(2), experiment(12, { slug: '012-bananas' })]

  beforeEach(() => {
    into.mockClear()
    vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(into)
    serveLab(all)
    server.use(
      http.get('*/api/experiments/:slug', ({ params: { slug } }) =>
        slug === '077-far'
          ? HttpResponse.json(experimentDetail(experiment(77, { slug: '077-far' })))
          : HttpResponse.json(refusal('There is no such experiment.', 'not_found'), { status: 404 }),
      ),
    )
  })

  afterEach(() => {
    vi.restoreAllMocks()
  })

  const marked = () => screen.queryAllByRole('article').filter((one) => one.getAttribute('aria-current') === 'location')

  test.each(['012-bananas', '012', '12'])('#%s leads to its card', async (hash) => {
    openPage(`/experiments#${hash}`)
    const shown = await screen.findByRole('article', { name: 'EXPERIMENT #012: Idea number 12' })
    await waitFor(() => expect(shown).toHaveFocus())
    expect(marked()).toEqual([shown])
    expect(into.mock.contexts.at(-1)).toBe(shown)
  })

  test('leads on when it changes, and again when it is followed again', async () => {
    const { router } = openPage('/experiments#1')
    await waitFor(() => expect(marked()[0]).toHaveAccessibleName(first))
    await act(() => router.navigate('/experiments#2'))
    await waitFor(() => expect(marked()[0]).toHaveAccessibleName('EXPERIMENT #002: Idea number 2'))
    expect(marked()).toHaveLength(1)
    const before = into.mock.calls.length
    await act(() => router.navigate('/experiments#2'))
    await waitFor(() => expect(into.mock.calls.length).toBeGreaterThan(before))
  })

  test('is followed to an experiment that the list does not show', async () => {
    openPage('/experiments?q=bananas#077-far')
    await waitFor(() => expect(marked()[0]).toHaveAccessibleName('EXPERIMENT #077: Idea number 77'))
  })

  test('that names nothing says so', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {}) // the router's own word on it
    openPage('/experiments#%E0%A4%A')
    expect(await screen.findByText(/which could not be found here/)).toBeVisible()
    expect(marked()).toEqual([])
  })

  test('of the layout is none of ours', async () => {
    openPage('/experiments#main')
    await card(first)
    expect(screen.queryByText(/main/)).not.toBeInTheDocument()
  })
})

describe('without live data', () => {
  test('one sample is shown as such, nobody can vote on it, and it feeds no total', async () => {
    logIn(shareholder())
    fail('/api/experiments')
    const { user } = openPage('/experiments')
    const sample = await card('EXPERIMENT #001: Public experiments page')
    expect(sample.getByText('sample')).toBeVisible()
    expect(sample.queryByRole('button')).not.toBeInTheDocument()
    expect(titles()).toHaveLength(1)
    expect(screen.getByText(/^Live data is unavailable since .+ This is a sample, not our lab\.$/)).toBeVisible()
    for (const name of ['Active Experiments', 'Completed', 'Total Votes']) {
      expect(await tile(name)).toHaveTextContent(`–not known${name}`)
    }

    serve({ '/api/experiments': lab([experiment(1)]) })
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    await card(first)
    expect(screen.queryByText('sample')).not.toBeInTheDocument()
    expect(screen.getByText('4 running of 9')).toBeVisible()
  })

  test('what was known stays, and is named as old', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    serveLab([experiment(1)])
    openPage('/experiments')
    await card(first)
    fail('/api/experiments')
    await act(() => vi.advanceTimersByTimeAsync(31_000))
    expect(await screen.findByText(/this is what we knew at/)).toBeVisible()
    expect(titles()).toEqual([first])
  })
})

describe('the way in', () => {
  test('is offered at the end to those who are not logged in', async () => {
    serveLab([experiment(1)])
    openPage('/experiments')
    const call = within(await screen.findByRole('region', { name: 'Shape what comes next' }))
    expect(call.getByRole('link', { name: 'Login and vote' })).toHaveAttribute(
      'href',
      '/auth/signin?next=%2Fexperiments',
    )
  })

  test('is not offered to those who are', async () => {
    logIn(founder())
    serveLab([experiment(1)])
    openPage('/experiments')
    await card(first)
    await screen.findByRole('button', { name: 'Logout' })
    expect(screen.queryByRole('region', { name: 'Shape what comes next' })).not.toBeInTheDocument()
  })
})
