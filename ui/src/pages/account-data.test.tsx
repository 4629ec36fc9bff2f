import { screen, waitFor, within } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { beforeEach, describe, expect, test, vi } from 'vitest'

import type { Schemas } from '@/api/client'
import { goes, stays } from '@/features/account/deletion-lists'
import { credits, account as memberAccount, onboarding } from '@/test/membership'
import { openPage } from '@/test/render'
import { server } from '@/test/server'
import { founder, shareholder, visitor } from '@/test/sessions'
import { botStatus, logIn, refusal, serve } from '@/test/world'

const left: Schemas['Deleted'] = {
  success: true,
  message: 'You are logged out everywhere, and your account is being deleted.',
  at: '2026-11-22T10:00:00Z',
  workflowId: 'account-deletion:d1',
  runId: 'run-d1',
  runUrl: '/runs/account-deletion:d1?run=run-d1',
}

let mine: Schemas['Account']
let asked: unknown[]

beforeEach(() => {
  mine = memberAccount()
  asked = []
  logIn(shareholder())
  serve({ '/api/bot-status': botStatus(), '/api/account/onboarding': onboarding(), '/api/account/credits': credits() })
  server.use(http.get('*/api/account', () => HttpResponse.json(mine)))
})

/** Makes the server delete the account or refuse. */
function answerDeletion(answer: () => Response) {
  server.use(
    http.post('*/api/account/deletion', async ({ request }) => {
      asked.push(await request.json())
      return answer()
    }),
  )
}

async function confirmLeave() {
  const page = openPage('/account')
  await page.user.click(await screen.findByRole('button', { name: 'Delete my account' }))
  return { ...page, dialog: within(await screen.findByRole('dialog', { name: 'Delete my account?' })) }
}

describe('the file of my data', () => {
  test('is saved under the name that the server gives it', async () => {
    const saved: { name: string; text: Promise<string> }[] = []
    let content = new Blob()
    URL.createObjectURL = (blob) => {
      content = blob as Blob
      return 'blob:1'
    }
    URL.revokeObjectURL = () => {}
    const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      saved.push({ name: this.download, text: content.text() })
    })
    let reads = 0
    server.use(
      http.get('*/api/account/export', () => {
        reads++
        return new HttpResponse('{"posts":[]}', {
          headers: { 'Content-Disposition': 'attachment; filename="customerzero-ana-2026-11-22.json"' },
        })
      }),
    )
    const { user } = openPage('/account')
    await user.click(await screen.findByRole('button', { name: 'Download my data' }))
    expect(await screen.findByText('Your browser has the file.')).toBeVisible()
    expect(saved.map(({ name }) => name)).toEqual(['customerzero-ana-2026-11-22.json'])
    expect(await saved[0]?.text).toBe('{"posts":[]}')
    expect(reads).toBe(1)
    click.mockRestore()
  })

  test('is refused with the reason', async () => {
    server.use(
      http.get('*/api/account/export', () =>
        HttpResponse.json(refusal('Too many downloads of your data.', 'too_many'), { status: 429 }),
      ),
    )
    const { user } = openPage('/account')
    await user.click(await screen.findByRole('button', { name: 'Download my data' }))
    expect(await screen.findByText('Too many downloads of your data.')).toBeVisible()
    expect(screen.queryByText('Your browser has the file.')).toBeNull()
  })
})

describe('deleting my account', () => {
  test('begins with what goes, what stays and why, and what is not paid back', async () => {
    const { dialog } = await confirmLeave()
    const gone = within(dialog.getByRole('list', { name: 'What is deleted' }))
    expect(gone.getAllByRole('listitem').map((item) => item.textContent)).toEqual(goes)
    const kept = within(dialog.getByRole('list', { name: 'What stays, without your name' }))
    expect(kept.getAllByRole('listitem').map((item) => item.textContent)).toEqual(
      stays.map(({ what, why }) => `${what}${why}.`),
    )
    expect(dialog.getByText('The fee is not paid back')).toBeVisible()
  })

  test('waits until I have typed my name', async () => {
    const { dialog, user } = await confirmLeave()
    answerDeletion(() => HttpResponse.json(left, { status: 202 }))
    const send = dialog.getByRole('button', { name: 'Delete my account' })
    const field = dialog.getByRole('textbox', { name: 'Type @ana to confirm' })
    for (const typed of ['an', 'anna', '@@ana']) {
      await user.clear(field)
      await user.type(field, `${typed}{Enter}`)
      expect(send).toBeDisabled()
    }
    await user.clear(field)
    await user.type(field, 'ANA')
    expect(send).toBeEnabled()
    expect(asked).toEqual([])
  })

  test('logs me out, and shows the run that does it', async () => {
    const { dialog, user } = await confirmLeave()
    answerDeletion(() => {
      logIn(visitor())
      return HttpResponse.json(left, { status: 202 })
    })
    await user.type(dialog.getByRole('textbox'), '@ana')
    await user.click(dialog.getByRole('button', { name: 'Delete my account' }))
    const goodbye = within(await screen.findByRole('region', { name: 'Your account is being deleted' }))
    expect(goodbye.getByText(left.message)).toBeVisible()
    expect(goodbye.getByRole('link', { name: 'Watch the run that does it' })).toHaveAttribute('href', left.runUrl)
    await waitFor(() => expect(goodbye.getByRole('status')).toHaveFocus())
    expect(asked).toEqual([{ confirm: '@ana' }])
    expect(screen.queryByText('ana@example.com')).toBeNull()
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  test('asks for a younger login, and leads back', async () => {
    const { dialog, user, router } = await confirmLeave()
    answerDeletion(() => HttpResponse.json(refusal('Too old.', 'login_stale'), { status: 403 }))
    server.use(
      http.post('*/api/auth/logout', () => {
        logIn(visitor())
        // The rest of the page loads after the session, which removes the button.
        server.use(
          http.get('*/api/account/credits', async () => {
            await waitFor(() => expect(screen.queryByRole('button', { name: 'Log in again' })).toBeNull())
            return HttpResponse.json({}, { status: 401 })
          }),
        )
        return HttpResponse.json({ success: true })
      }),
    )
    await user.type(dialog.getByRole('textbox'), 'ana')
    await user.click(dialog.getByRole('button', { name: 'Delete my account' }))
    await user.click(await dialog.findByRole('button', { name: 'Log in again' }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/auth/signin'))
    expect(router.state.location.search).toBe('?next=%2Faccount')
  })

  test('says why it was refused, and keeps what I typed', async () => {
    const { dialog, user } = await confirmLeave()
    answerDeletion(() => HttpResponse.json(refusal('This is not your name.', 'confirm_wrong'), { status: 422 }))
    await user.type(dialog.getByRole('textbox'), 'ana')
    await user.click(dialog.getByRole('button', { name: 'Delete my account' }))
    expect(await dialog.findByText('This is not your name.')).toBeVisible()
    expect(dialog.getByRole('textbox')).toHaveValue('ana')
  })

  test('is confirmed with the address where there is no name, and no fee was paid', async () => {
    const { username: _, memberId: __, ...nobody } = memberAccount()
    mine = { ...nobody, username: '', role: 'visitor' }
    const { dialog } = await confirmLeave()
    expect(dialog.getByRole('textbox', { name: 'Type ana@example.com to confirm' })).toBeVisible()
    expect(dialog.queryByText('The fee is not paid back')).toBeNull()
  })

  test('is not offered to founders', async () => {
    logIn(founder())
    mine = memberAccount({ role: 'founder' })
    openPage('/account')
    expect(
      await screen.findByText("Remove the handle from FOUNDERS before you delete a founder's account."),
    ).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Delete my account' })).toBeNull()
  })
})
