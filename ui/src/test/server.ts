import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'

import { visitor } from './sessions'

/** Every page asks who is there; unless a test says otherwise, nobody is. */
export const server = setupServer(http.get('*/api/auth/status', () => HttpResponse.json(visitor())))
