import { Alert, Button, Code, Group, Text } from '@mantine/core'

import type { Schemas } from '@/api/client'
import { CopyText } from '@/components/copy-text'
import { IconKey } from '@/components/icons'
import { Moment } from '@/components/moment'
import { useFocusOnMount } from '@/lib/use-focus-on-mount'

import classes from './account.module.css'

type Props = { token: Schemas['Token']; onDone: () => void }

export function NewToken({ token: { token, expiresAt }, onDone }: Props) {
  const box = useFocusOnMount<HTMLDivElement>()
  return (
    <Alert
      ref={box}
      tabIndex={-1}
      role="status"
      color="indigo"
      variant="outline"
      icon={<IconKey />}
      title="Copy this token now"
      w="100%"
    >
      <Text size="sm" mb="xs">
        It will not be shown again. It works until <Moment at={expiresAt} />, as a bearer token in the header
        Authorization.
      </Text>
      <Code className={classes.token ?? ''}>{token}</Code>
      <Group gap="sm" mt="xs">
        <CopyText text={token} what="token" />
        <Button size="compact-sm" variant="default" onClick={onDone}>
          Done, hide it
        </Button>
      </Group>
    </Alert>
  )
}
