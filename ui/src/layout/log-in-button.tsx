import { Button } from '@mantine/core'
import { Link } from 'react-router'

import { signInPath } from '@/api/session'
import { IconPerson } from '@/components/icons'
import { useHere } from '@/lib/use-here'

export function LogInButton({ onClick }: { onClick?: () => void }) {
  return (
    <Button
      component={Link}
      to={signInPath(useHere())}
      size="xs"
      variant="default"
      fullWidth
      leftSection={<IconPerson size={15} />}
      {...(onClick && { onClick })}
    >
      Log in
    </Button>
  )
}
