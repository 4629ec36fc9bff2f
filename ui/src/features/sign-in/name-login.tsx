import { Button, Group, Stack, Text } from '@mantine/core'
import { useId, useState } from 'react'

import { Section } from '@/components/section'

import { NameForm } from './name-form'

/** The backup login, collapsed by default. */
export function NameLogin({ next }: { next: string }) {
  const [open, setOpen] = useState(false)
  const id = useId()
  return (
    <Section title="Another way">
      <Stack gap="md">
        <Group gap="sm" justify="space-between">
          <Text size="sm" flex="1 1 18rem">
            Forgot which address is yours here? Tell us your username, and the code goes to it.
          </Text>
          <Button
            variant="default"
            aria-expanded={open}
            {...(open && { 'aria-controls': id })}
            onClick={() => setOpen(!open)}
          >
            Enter username
          </Button>
        </Group>
        {open && (
          <div id={id}>
            <NameForm next={next} />
          </div>
        )}
      </Stack>
    </Section>
  )
}
