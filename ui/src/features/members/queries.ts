import { useMutation, useQueryClient } from '@tanstack/react-query'

import { answer, api } from '@/api/client'

const foundingFee = 9 // dollars

export function useAddMember() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (newcomer: { username: string; email?: string }) =>
      answer(api.POST('/api/members', { body: { ...newcomer, paymentAmount: foundingFee } })),
    onSuccess: () => queryClient.invalidateQueries(),
  })
}
