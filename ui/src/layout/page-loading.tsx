import { Center, Loader } from '@mantine/core'

export function PageLoading() {
  return (
    <Center mih="60vh">
      <Loader aria-label="Loading" role="status" />
    </Center>
  )
}
