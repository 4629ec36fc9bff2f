const longest = 120

/** The start of a problem, cut between words if possible. */
export function cutProblem(text: string) {
  const whole = text.trim()
  const characters = [...whole]
  if (characters.length <= longest) return whole
  const cut = characters.slice(0, longest).join('')
  return `${cut.replace(/\s+\S*$/, '').replace(/[,;:.\s]+$/, '')}…`
}
