import type { QueryClient } from '@tanstack/react-query';
import type { ShownMessage } from './shown-message';
import type { LiveEvent } from '../live-event';
import type { Pages } from './pages';

export type AttachmentEvent = Extract<LiveEvent, { type: `attachment.${string}` }>;

/** Shows a downloaded file, or why the download failed. */
export function applyAttachmentEvent(client: QueryClient, { data }: AttachmentEvent): void {
  const { conversation_id, message_id, attachment } = data;
  const change = (message: ShownMessage): ShownMessage =>
    message.id === message_id
      ? { ...message, attachments: message.attachments.map((each) => (each.id === attachment.id ? attachment : each)) }
      : message;
  client.setQueryData<Pages<ShownMessage>>(
    ['messages', conversation_id],
    (list) => list && { ...list, pages: list.pages.map((page) => ({ ...page, data: page.data.map(change) })) },
  );
}
