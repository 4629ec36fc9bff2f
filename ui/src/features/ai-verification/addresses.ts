export const runPath = (id: string) => `/ai-verification/runs/${encodeURIComponent(id)}`
