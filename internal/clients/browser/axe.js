;(async () => {
  const { violations } = await axe.run(document, {
    runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
    resultTypes: ['violations'],
    iframes: false, // axe would wait for each frame
    preload: false, // axe would fetch every style sheet again
  })
  return JSON.stringify(
    violations.slice(0, 20).map((v) => ({
      id: v.id,
      impact: v.impact ?? '',
      help: v.help,
      count: v.nodes.length,
      targets: v.nodes.slice(0, 3).map((n) => n.target.join(' ')),
    })),
  )
})()
