import { Alert, Button, Group, Text } from '@mantine/core'

import { errorText } from '@/api/client'
import { IconRetry, IconWarning } from '@/components/icons'

export function CheckFailed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <Alert color="red" variant="outline" icon={<IconWarning />} title="Failed to check credential status">
      <Group justify="space-between" gap="sm">
        <Text size="sm">{errorText(error)}</Text>
        <Button size="xs" variant="default" leftSection={<IconRetry size={14} />} onClick={onRetry}>
          Retry
        </Button>
      </Group>
    </Alert>
  )
}
