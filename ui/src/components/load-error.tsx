import { Alert, Button, Group, Text } from '@mantine/core'

import { errorText } from '@/api/client'

import { IconRetry, IconWarning } from './icons'

type Props = { what: string; error: Error; retrying: boolean; onRetry: () => void }

/** The error of a failed query, with a retry button. */
export function LoadError({ what, error, retrying, onRetry }: Props) {
  return (
    <Alert color="red" variant="outline" icon={<IconWarning />} title={`Could not load ${what}`}>
      <Group justify="space-between" gap="sm">
        <Text size="sm">{errorText(error)}</Text>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconRetry size={14} />}
          aria-disabled={retrying}
          onClick={() => retrying || onRetry()}
        >
          {retrying ? 'Trying…' : 'Try again'}
        </Button>
      </Group>
    </Alert>
  )
}
