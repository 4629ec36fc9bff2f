import { Component, type ReactNode } from 'react'

type Props = { text: string; children: ReactNode }

/** Shows the raw text if rendering fails: a page cannot render hundreds of nested quotes. */
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
