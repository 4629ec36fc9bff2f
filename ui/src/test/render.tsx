import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { render } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { createMemoryRouter, type RouteObject, RouterProvider } from 'react-router'

import { newQueryClient } from '@/api/query-client'
import { routes } from '@/routes'
import { cssVariables, theme } from '@/theme'

/** Opens the app at a path, without retries, which would slow the tests down. */
export function openPage(path: string, tree: RouteObject[] = routes) {
  const queryClient = newQueryClient()
  queryClient.setDefaultOptions({ queries: { networkMode: 'always', retry: false } })
  const router = createMemoryRouter(tree, { initialEntries: [path] })
  render(
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} env="test">
      <QueryClientProvider client={queryClient}>
        <Notifications />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  )
  return { router, queryClient, user: userEvent.setup({ delay: null }) }
}
