import { Box } from '@mantine/core'
import { useSearchParams } from 'react-router'

import { PageHeader } from '@/components/page-header'
import { SignIn } from '@/features/sign-in/sign-in'
import { nextPath } from '@/lib/next-path'

export function SignInPage() {
  const [params] = useSearchParams()
  return (
    <Box maw={900}>
      <PageHeader title="Log in">Everybody may look without logging in. Members and founders may also act.</PageHeader>
      <SignIn next={nextPath(params.get('next'))} />
    </Box>
  )
}
