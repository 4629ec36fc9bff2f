import { Button, Stack, Text } from '@mantine/core'

import { FormError } from '@/components/form-error'
import { Section } from '@/components/section'

import { NewToken } from './new-token'
import { type Session, useMakeToken } from './queries'
import { SessionList } from './session-list'

type Props = { tokens: Session[]; founder: boolean }

/** The API tokens of this account. Only founders can create them. */
export function Programs({ tokens, founder }: Props) {
  const make = useMakeToken()
  if (!founder && tokens.length === 0) return null
  return (
    <Section title="Programs">
      <Stack gap="md" align="flex-start">
        <Text size="sm" c="dimmed">
          A token lets a program of yours set the bot's credentials, and nothing else. It lasts a quarter of an hour.
        </Text>
        {tokens.length > 0 && <SessionList sessions={tokens} name="Tokens" />}
        <FormError error={make.error} />
        {make.data && <NewToken token={make.data} onDone={make.reset} />}
        {founder && make.data === undefined && (
          <Button variant="default" loading={make.isPending} onClick={() => make.mutate()}>
            Make a token for a program
          </Button>
        )}
      </Stack>
    </Section>
  )
}
