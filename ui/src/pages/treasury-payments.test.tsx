import { screen, waitFor, within } from '@testing-library/react'
import { delay, HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test } from 'vitest'

import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder } from '@/test/sessions'
import { payment, payments, refunded, treasury } from '@/test/treasury'
import { botStatus, fail, logIn, refusal, serve } from '@/test/world'

const part = (name: string) => screen.findByRole('region', { name })

beforeEach(() => {
  serve({ '/api/bot-status': botStatus(), '/api/treasury': treasury() })
})

describe('the payments', () => {
  const rows = async () => within(await screen.findByRole('list', { name: 'Payments' })).findAllByRole('listitem')

  beforeEach(() => {
    logIn(founder())
    serve({ '/api/checkouts': payments([payment(1)]) })
  })

  test('say who paid what, and where to look', async () => {
    openPage('/treasury')
    const [row] = await rows()
    expect(row).toHaveTextContent('@zero_1')
    expect(row).toHaveTextContent('$9.00')
    expect(row).toHaveTextContent('card fee $0.56')
    const within1 = within(row as HTMLElement)
    expect(within1.getByText('paid')).toBeVisible()
    expect(within1.getByRole('link', { name: /^Open run/ })).toHaveAttribute(
      'href',
      'http://127.0.0.1:8233/checkout:c1',
    )
    expect(within1.getByRole('link', { name: 'Receipt' })).toHaveAttribute('href', '/receipts/c1')
  })

  test('say what became of them', async () => {
    const twice = refunded(payment(1, { reason: 'This email address already belongs to a member.' }))
    delete twice.username
    const test = payment(3, { demo: true })
    delete test.username
    serve({ '/api/checkouts': payments([twice, payment(2, { refunded_amount: 400 }), test]) })
    openPage('/treasury')
    const [back, some, tried] = await rows()
    expect(back).toHaveTextContent('nobody')
    expect(back).toHaveTextContent('refunded')
    expect(back).toHaveTextContent('$9.00 went back')
    expect(back).toHaveTextContent('This email address already belongs to a member.')
    expect(within(back as HTMLElement).getByRole('link', { name: /^Open the refund's run/ })).toHaveAttribute(
      'href',
      'http://127.0.0.1:8233/refund:c1',
    )
    expect(within(back as HTMLElement).queryByRole('button')).not.toBeInTheDocument()
    expect(some).toHaveTextContent('refunded in part')
    expect(tried).toHaveTextContent('nobody (a test)')
    expect(within(tried as HTMLElement).getByText('test')).toBeVisible()
  })

  test('say when there are none', async () => {
    serve({ '/api/checkouts': payments([]) })
    openPage('/treasury')
    expect(await screen.findByText('No payment yet')).toBeVisible()
  })

  test('load more, and keep what they have', async () => {
    server.use(
      http.get('*/api/checkouts', ({ request }) => {
        const query = new URL(request.url).searchParams
        expect(query.get('paid')).toBe('true')
        return query.get('offset') === '2'
          ? HttpResponse.json(payments([payment(2), payment(3)], { total: 3, offset: 2 }))
          : HttpResponse.json(payments([payment(1), payment(2)], { total: 3, hasMore: true }))
      }),
    )
    const { user } = openPage('/treasury')
    await user.click(await screen.findByRole('button', { name: 'Load more' }))
    await waitFor(async () => expect(await rows()).toHaveLength(3))
    expect(screen.queryByRole('button', { name: 'Load more' })).not.toBeInTheDocument()
  })
})

describe('a refund', () => {
  beforeEach(() => {
    logIn(founder())
    serve({ '/api/checkouts': payments([payment(1)]) })
  })

  async function ask() {
    const { user } = openPage('/treasury')
    await user.click(await screen.findByRole('button', { name: 'Refund the payment of @zero_1' }))
    return { user, dialog: within(await screen.findByRole('dialog', { name: 'Refund $9.00?' })) }
  }

  function take() {
    const sent: string[] = []
    server.use(
      http.post('*/api/checkouts/:id/refund', ({ params }) => {
        sent.push(String(params.id))
        serve({
          '/api/checkouts': payments([refunded(payment(1))]),
          '/api/treasury': treasury({ left_microusd: 5_000_000 }),
        })
        return HttpResponse.json({ refunded_amount: 900 })
      }),
    )
    return sent
  }

  test('says what it does before it does it', async () => {
    const sent = take()
    const { user, dialog } = await ask()
    expect(
      dialog.getByText('$9.00 goes back to the card of @zero_1. The payment service keeps its fee of $0.56.'),
    ).toBeVisible()
    expect(dialog.getByText(/^Their seat is frozen at once.+credits are taken back/)).toBeVisible()
    await user.click(dialog.getByRole('button', { name: 'Keep the payment' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    expect(sent).toEqual([])
  })

  test('is sent, told, and seen in the books', async () => {
    const sent = take()
    const { user, dialog } = await ask()
    await user.click(dialog.getByRole('button', { name: 'Refund $9.00' }))
    expect(await screen.findByText('$9.00 went back. The seat of @zero_1 is frozen.')).toBeVisible()
    expect(sent).toEqual(['c1'])
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    expect(await within(await part('What is left')).findByText('$5.00')).toBeVisible()
    const row = within(screen.getByRole('list', { name: 'Payments' })).getByRole('listitem')
    await waitFor(() => expect(row).toHaveTextContent('refunded'))
    expect(screen.queryByRole('button', { name: /^Refund/ })).not.toBeInTheDocument()
    await waitFor(() => expect(row).toHaveFocus())
  })

  test('names nobody where nobody became a member', async () => {
    const test = payment(1, { demo: true, fee_amount: 0 })
    delete test.username
    serve({ '/api/checkouts': payments([test]) })
    take()
    const { user } = openPage('/treasury')
    await user.click(await screen.findByRole('button', { name: 'Refund the payment of nobody (a test)' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.queryByText(/seat/)).not.toBeInTheDocument()
    expect(dialog.queryByText(/keeps its fee/)).not.toBeInTheDocument()
    await user.click(dialog.getByRole('button', { name: 'Refund $9.00' }))
    expect(await screen.findByText('$9.00 went back.')).toBeVisible()
  })

  test('asks for a younger login', async () => {
    server.use(
      http.post('*/api/checkouts/:id/refund', () =>
        HttpResponse.json(refusal('Too old.', 'login_stale'), { status: 403 }),
      ),
    )
    const { user, dialog } = await ask()
    await user.click(dialog.getByRole('button', { name: 'Refund $9.00' }))
    expect(await dialog.findByText(/Your login is older than ten minutes/)).toBeVisible()
    expect(dialog.getByRole('link', { name: 'Log in with X again' })).toHaveAttribute(
      'href',
      '/auth/x/login?next=%2Ftreasury',
    )
  })

  test('says why it was refused, and can be tried again', async () => {
    fail(
      '/api/checkouts/c1/refund',
      409,
      'This checkout is refunded, so nothing was refunded. Only paid checkouts can be refunded.',
    )
    const { user, dialog } = await ask()
    await user.click(dialog.getByRole('button', { name: 'Refund $9.00' }))
    expect(await dialog.findByText(/Only paid checkouts can be refunded/)).toBeVisible()
    take()
    await user.click(dialog.getByRole('button', { name: 'Refund $9.00' }))
    expect(await screen.findByText(/The seat of @zero_1 is frozen/)).toBeVisible()
  })

  test('is sent once, however often the button is pressed', async () => {
    const sent: string[] = []
    server.use(
      http.post('*/api/checkouts/:id/refund', async ({ params }) => {
        sent.push(String(params.id))
        await delay('infinite')
      }),
    )
    const { user, dialog } = await ask()
    const button = dialog.getByRole('button', { name: 'Refund $9.00' })
    await user.click(button)
    await waitFor(() => expect(button).toHaveAttribute('aria-busy', 'true'))
    await user.click(button)
    expect(sent).toEqual(['c1'])
  })
})
