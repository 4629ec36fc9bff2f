import { Alert, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

import { statusQuery } from '@/api/verification'
import { IconWarning } from '@/components/icons'

/** Explains how to install a browser. All other checks ran and are shown. */
export function BrowserMissing() {
  const { data } = useQuery(statusQuery)
  return (
    <Alert variant="outline" color="red" icon={<IconWarning />} title="The browser is not available" role="alert">
      <Text size="sm" className="wrap-anywhere">
        {data?.browser.message ||
          'Whoever runs this server has to install Chromium, or say in its settings where it is.'}
      </Text>
      <Text size="sm" mt={4}>
        So there are views without a picture. The endpoints were asked all the same, and everything else works.
      </Text>
    </Alert>
  )
}
