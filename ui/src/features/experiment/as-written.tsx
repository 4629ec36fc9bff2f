import { Component, type ReactNode } from 'react'

type Props = { text: string; children: ReactNode }

/** Shows a text as it was written where it cannot be shown better: a hundred quotes in one another are more than a page can draw. */
export class AsWritten extends Component<Props, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError = () => ({ failed: true })

  override componentDidUpdate(before: Props) {
    if (before.text !== this.props.text && this.state.failed) this.setState({ failed: false })
  }

  override render() {
    return this.state.failed ? <p style={{ whiteSpace: 'pre-wrap' }}>{this.props.text}</p> : this.props.children
  }
}
