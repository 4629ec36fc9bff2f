import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'

import { openPage } from '@/test/render'
import { botStatus, fail, serve } from '@/test/world'

beforeEach(() => serve({ '/api/bot-status': botStatus() }))

test('shows who may call what, with what, for what', async () => {
  const body = (name: string) => ({
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  })
  serve({
    '/openapi.json': {
      paths: {
        '/api/posts/{id}': {
          patch: {
            operationId: 'changePost',
            summary: 'Change a post',
            tags: ['queue'],
            parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
            requestBody: body('PostChange'),
            responses: { 200: body('PostReply') },
            security: [{ founder: [] }],
          },
        },
      },
      components: { schemas: { PostChange: { properties: { content: { type: 'string', description: 'The text' } } } } },
    },
  })
  openPage('/docs')

  const queue = within(await screen.findByRole('region', { name: 'Queue' }))
  expect(queue.getByText('PATCH')).toBeVisible()
  expect(queue.getByText('/api/posts/{id}')).toBeVisible()
  expect(queue.getByText('founders')).toBeVisible()
  expect(queue.getByText('PostChange')).toHaveAttribute('href', '#schema-PostChange')
  expect(screen.getByText(/string, optional\. The text/)).toBeVisible()
})

test('says when the contract cannot be loaded', async () => {
  fail('/openapi.json')
  openPage('/docs')
  expect(await screen.findByText('Could not load the contract')).toBeVisible()
})
