/** An X handle with its @. */
export const handle = (username: string) => `@${username.trim().replace(/^@+/, '')}`
