import { CopyText } from './copy-text'

export const CopyLink = ({ url }: { url: string }) => <CopyText text={url} what="link" />
