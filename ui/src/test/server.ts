import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'

import { visitor } from './sessions'

/** Every page requests the session, which is a visitor's by default, and counts its view. */
export const server = setupServer(
  http.get('*/api/auth/status', () => HttpResponse.json(visitor())),
  http.post('*/api/visits', () => HttpResponse.json({ success: true, counted: true })),
)
