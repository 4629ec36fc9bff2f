import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'

import { visitor } from './sessions'

/** Every page asks who is there, and unless a test says otherwise, nobody is. Every look at a page is counted. */
export const server = setupServer(
  http.get('*/api/auth/status', () => HttpResponse.json(visitor())),
  http.post('*/api/visits', () => HttpResponse.json({ success: true, counted: true })),
)
