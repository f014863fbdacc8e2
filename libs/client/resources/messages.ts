import type { List } from '../list';
import type { IdempotentOptions, RequestOptions } from '../options';
import type { Transport } from '../transport/transport';
import type {
  CancelledMessage,
  Message,
  MessageItem,
  MessageQuery,
  MessageToSend,
  SendResult,
  Timeline,
} from '../types';

export class Messages {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** A message that the platform refuses is no error: its `status` is `failed`, and `error` says why. */
  send(message: MessageToSend, options?: IdempotentOptions): Promise<SendResult> {
    return this.transport.callOnce('/api/v1/messages/send', { body: message }, options);
  }

  /** Newest first. */
  list(query?: MessageQuery, options?: RequestOptions): List<MessageItem> {
    return this.transport.list('/api/v1/messages', { query }, options, { isDated: true });
  }

  /** Cancels a scheduled message. One that is not scheduled any more is refused. */
  cancel(messageId: string, options?: RequestOptions): Promise<CancelledMessage> {
    return this.transport.call('delete', '/api/v1/messages/{message_id}', { path: { message_id: messageId } }, options);
  }

  get(messageId: string, options?: RequestOptions): Promise<Message> {
    return this.transport.call('get', '/api/v1/messages/{message_id}', { path: { message_id: messageId } }, options);
  }

  /** What happened to the message, to the one that it answers, and to its answer. */
  async timeline(messageId: string, options?: RequestOptions): Promise<Timeline> {
    const path = { message_id: messageId };
    const { data, meta } = await this.transport.read('/api/v1/messages/{message_id}/timeline', { path }, options);
    return { steps: data, omitted: meta.omitted };
  }
}
