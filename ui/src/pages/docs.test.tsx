import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'

import { openPage } from '@/test/render'
import { botStatus, fail, serve } from '@/test/world'

const body = (name: string, example?: object) => ({
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` }, example } },
})

beforeEach(() =>
  serve({
    '/api/bot-status': botStatus(),
    '/openapi.json': {
      info: { description: 'Errors have one shape, `Problem`.' },
      paths: {
        '/api/posts': { get: { operationId: 'listPosts', summary: 'List posts', tags: ['queue'] } },
        '/api/posts/{id}': {
          patch: {
            operationId: 'changePost',
            summary: 'Change a post',
            description: 'Changes a **draft** or scheduled post.',
            tags: ['queue'],
            parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 40 } }],
            requestBody: body('PostChange', { content: 'Hello' }),
            responses: { 200: body('PostReply') },
            security: [{ session: [] }, { founder: [] }],
          },
        },
        '/api/posts/{id}/retry': {
          post: { operationId: 'retryPost', summary: 'Retry a failed post', tags: ['queue'] },
        },
        '/api/admin/failed-emails/{id}/retry': {
          post: { operationId: 'retryEmail', summary: 'Retry a failed email', tags: ['admin'] },
        },
      },
      components: { schemas: { PostChange: { properties: { content: { type: 'string', description: 'The text' } } } } },
    },
  }),
)

test('shows the operations by tag, with their details', async () => {
  const { user } = openPage('/docs')
  const queue = within(await screen.findByRole('region', { name: 'Queue' }))
  expect(queue.getByText('PATCH')).toBeVisible()
  expect(queue.getByText('/api/posts/{id}')).toBeVisible()
  expect(queue.getByText('admin key')).toBeVisible()
  expect(screen.getByRole('link', { name: 'Admin (1)' })).toHaveAttribute('href', '/docs#tag-admin')

  await user.click(queue.getByText('Change a post'))
  expect(await queue.findByText('draft')).toBeVisible()
  expect(queue.getByText('In the path')).toBeVisible()
  expect(queue.getByText(/string, at most 40 characters/)).toBeVisible()
  expect(queue.getByRole('region', { name: 'Example: request body' })).toHaveTextContent('"content": "Hello"')

  await user.click(queue.getByRole('link', { name: 'PostChange' }))
  expect(await screen.findByText('The text')).toBeVisible()
})

test('finds an operation by its words and opens it', async () => {
  const { user } = openPage('/docs')
  await user.type(await screen.findByRole('searchbox', { name: 'Search operations' }), 'retry a failed post')
  const results = within(screen.getByRole('region', { name: 'Search results' }))
  expect(results.getByText('Retry a failed post')).toBeVisible()
  expect(results.queryByText('Retry a failed email')).not.toBeInTheDocument()
  expect(screen.getByText('1 of 4 operations')).toBeVisible()

  await user.keyboard('{Enter}')
  expect(document.activeElement).toHaveTextContent('Retry a failed post')
  expect(document.getElementById('retryPost')).toHaveAttribute('open')
})

test('a link to an operation opens it', async () => {
  openPage('/docs#retryPost')
  await screen.findByText('/api/posts/{id}/retry')
  expect(document.getElementById('retryPost')).toHaveAttribute('open')
})

test('a search without matches says so', async () => {
  const { user } = openPage('/docs')
  await user.type(await screen.findByRole('searchbox', { name: 'Search operations' }), 'xyzzy')
  expect(screen.getByText('No operation matches. Try fewer or other words.')).toBeVisible()
})

test('reports an error if the document cannot be loaded', async () => {
  fail('/openapi.json')
  openPage('/docs')
  expect(await screen.findByText('Could not load the API reference')).toBeVisible()
})
