/** The author of an AI review. */
export const analystName = (analyst: string) => (analyst === 'built-in' ? 'The built-in analysis' : analyst)
