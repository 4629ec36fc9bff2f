import { Box, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useId } from 'react'

type Props = { onTest: () => void; trouble: ReactNode; manualLogin: ReactNode }

export function LoggedOut({ onTest, trouble, manualLogin }: Props) {
  const [byName, { toggle }] = useDisclosure(false)
  const id = useId()
  return (
    <>
      <Stack gap="md">
        <Group gap="sm">
          <Button onClick={onTest}>Test & Login with X</Button>
          <Button variant="default" aria-expanded={byName} aria-controls={id} onClick={toggle}>
            Enter Username
          </Button>
        </Group>
        <Text size="sm" c="dimmed">
          Founders log in with X; the way there is tested first. Members, and founders when X is down, enter their
          username and get a code by e-mail.
        </Text>
        {trouble}
      </Stack>
      <Box id={id} maw={520} mt={byName ? 'lg' : 0}>
        {byName && manualLogin}
      </Box>
    </>
  )
}
