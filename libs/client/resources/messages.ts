import type { List } from '../list';
import type { IdempotentOptions, RequestOptions } from '../options';
import type { GatewayPromise } from '../response';
import type { Transport } from '../transport/transport';
import type {
  CancelledMessage,
  Message,
  MessageItem,
  MessageListParams,
  MessageSendParams,
  SendResult,
  Timeline,
} from '../types';

export class Messages {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** A message that the platform refuses is no error: its `status` is `failed`, and `error` says why. */
  send(message: MessageSendParams, options?: IdempotentOptions): GatewayPromise<SendResult> {
    return this.transport.callOnce('/api/v1/messages/send', { body: message }, options);
  }

  /** Newest first. */
  list(query?: MessageListParams, options?: RequestOptions): List<MessageItem> {
    return this.transport.list('/api/v1/messages', { query }, options, { isDated: true });
  }

  /** Cancels a scheduled message. The gateway refuses it if the message is no longer scheduled. */
  cancel(messageId: string, options?: RequestOptions): GatewayPromise<CancelledMessage> {
    return this.transport.call('delete', '/api/v1/messages/{message_id}', { path: { message_id: messageId } }, options);
  }

  get(messageId: string, options?: RequestOptions): GatewayPromise<Message> {
    return this.transport.call('get', '/api/v1/messages/{message_id}', { path: { message_id: messageId } }, options);
  }

  /** The steps of the message, of the one that it answers, and of its answer. */
  getTimeline(messageId: string, options?: RequestOptions): GatewayPromise<Timeline> {
    const input = { path: { message_id: messageId } };
    return this.transport.read('/api/v1/messages/{message_id}/timeline', input, options, ({ data, meta }) => ({
      summary: meta.summary,
      steps: data,
      omitted: meta.omitted,
    }));
  }
}
