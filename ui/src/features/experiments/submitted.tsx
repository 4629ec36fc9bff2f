import { Alert, Anchor, Button, Group, Stack } from '@mantine/core'
import { Link } from 'react-router'

import type { Schemas } from '@/api/client'
import { IconCheck } from '@/components/icons'
import { useFocusOnMount } from '@/lib/use-focus-on-mount'

import { detailPath, fullTitle } from './names'

type Props = { reply: Schemas['SubmittedExperiment']; onClose: () => void }

/** The result of a submission. */
export function Submitted({ reply: { message, waiting, experiment }, onClose }: Props) {
  const button = useFocusOnMount<HTMLButtonElement>()
  return (
    <Stack gap="md">
      <Alert role="status" color="green" variant="outline" icon={<IconCheck />}>
        {message}
      </Alert>
      {!waiting && (
        <Anchor component={Link} to={detailPath(experiment.slug)} underline="always" className="wrap-anywhere">
          {fullTitle(experiment)}
        </Anchor>
      )}
      <Group justify="flex-end">
        <Button ref={button} onClick={onClose}>
          Done
        </Button>
      </Group>
    </Stack>
  )
}
