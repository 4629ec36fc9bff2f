import { Button, Code, Container, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'react-router'

import { clientErrorQuery } from './client-error'

export function ErrorScreen({ error }: { error: unknown }) {
  const { pathname } = useLocation()
  return (
    <Container size="xs" py={64}>
      <title>Something went wrong · Customer Zero</title>
      <Stack align="center" ta="center" gap="md">
        <Title order={1}>Something went wrong</Title>
        <Report error={error} path={pathname} />
        {/* Full page loads, because the app itself or a replaced chunk may have failed. */}
        <Group justify="center">
          <Button onClick={() => location.reload()}>Try again</Button>
          <Button component="a" href="/" variant="default">
            Go home
          </Button>
        </Group>
      </Stack>
    </Container>
  )
}

// States that we know of the error only after the report was accepted.
function Report({ error, path }: { error: unknown; path: string }) {
  const report = useQuery(clientErrorQuery(error, path))
  return (
    <div role="status">
      {report.isPending && <Text c="dimmed">Reporting what happened…</Text>}
      {report.isError && <Text c="dimmed">The report could not be sent, so nobody has been told yet.</Text>}
      {report.isSuccess && (
        <Text c="dimmed">
          We've been notified. Reference: <Code>{report.data.reference}</Code>
        </Text>
      )}
    </div>
  )
}
