import type { List } from '../list';
import type { RequestOptions } from '../options';
import type { GatewayPromise } from '../response';
import type { Transport } from '../transport/transport';
import type {
  ClearedConversation,
  Conversation,
  ConversationUpdateParams,
  ConversationItem,
  ConversationListParams,
  ConversationGetParams,
  ErasedConversation,
  ConversationTakeOverParams,
  HandoverListParams,
  PastHandover,
} from '../types';

export class Conversations {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** A page is sorted by newest message. Iterating sorts by newest conversation, because new messages do not change that order. */
  list(query?: ConversationListParams, options?: RequestOptions): List<ConversationItem> {
    const traits = { isDated: true, iteratedSort: '-created_at' };
    return this.transport.list('/api/v1/conversations', { query }, options, traits);
  }

  get(conversationId: string, query?: ConversationGetParams, options?: RequestOptions): GatewayPromise<Conversation> {
    const input = { path: { conversation_id: conversationId }, query };
    return this.transport.call('get', '/api/v1/conversations/{conversation_id}', input, options);
  }

  /** Archives it, pauses the assistant in it, or sets its labels and metadata. */
  update(
    conversationId: string,
    change: ConversationUpdateParams,
    options?: RequestOptions,
  ): GatewayPromise<Conversation> {
    const input = { path: { conversation_id: conversationId }, body: change };
    return this.transport.call('patch', '/api/v1/conversations/{conversation_id}', input, options);
  }

  /** Asks the assistant again about the messages of an unanswered conversation. */
  answer(conversationId: string, options?: RequestOptions): GatewayPromise<Conversation> {
    const input = { path: { conversation_id: conversationId } };
    return this.transport.call('post', '/api/v1/conversations/{conversation_id}/answer', input, options);
  }

  /** Its requests for a person and takeovers, newest first. */
  listHandovers(conversationId: string, query?: HandoverListParams, options?: RequestOptions): List<PastHandover> {
    const input = { path: { conversation_id: conversationId }, query };
    return this.transport.list('/api/v1/conversations/{conversation_id}/handovers', input, options, {});
  }

  /** The assistant forgets the conversation; the messages stay. */
  clear(conversationId: string, options?: RequestOptions): GatewayPromise<ClearedConversation> {
    const input = { path: { conversation_id: conversationId } };
    return this.transport.call('post', '/api/v1/conversations/{conversation_id}/clear', input, options);
  }

  /** Erases the person's data in it, for good. */
  erase(conversationId: string, options?: RequestOptions): GatewayPromise<ErasedConversation> {
    const input = { path: { conversation_id: conversationId } };
    return this.transport.call('delete', '/api/v1/conversations/{conversation_id}', input, options);
  }

  /** A person takes it over from the assistant. Call it again to change assignee, note and timer. */
  takeOver(
    conversationId: string,
    terms: ConversationTakeOverParams = {},
    options?: RequestOptions,
  ): GatewayPromise<Conversation> {
    const input = { path: { conversation_id: conversationId }, body: terms };
    return this.transport.call('post', '/api/v1/conversations/{conversation_id}/handover', input, options);
  }

  /** The assistant gets it back. */
  resume(conversationId: string, options?: RequestOptions): GatewayPromise<Conversation> {
    const input = { path: { conversation_id: conversationId } };
    return this.transport.call('post', '/api/v1/conversations/{conversation_id}/resume', input, options);
  }
}
