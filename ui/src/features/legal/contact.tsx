import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { botStatusQuery } from '@/api/bot-status'
import { ExternalLink } from '@/components/external-link'

/** The founding team's address. */
export function Contact({ about }: { about: string }) {
  const { data: bot } = useQuery(botStatusQuery)
  return (
    <Text>
      Questions about {about}? Write to the founding team
      {bot && (
        <>
          {' '}
          at{' '}
          <ExternalLink href={`https://x.com/${bot.username}`} inherit underline="always">
            @{bot.username}
          </ExternalLink>
        </>
      )}
      , or answer any e-mail we sent you.
    </Text>
  )
}
