import type { AccountKey, Attachment, Environment, MessageSender, ParseMode, Platform, SendFailure } from '#contracts';
import type { Reservation } from '../../billing/billable-limit.service';
import type { Repeat } from './repeats';
import type { Reactions } from '../receive/reactions.rows';
import type { InteractiveDto } from '../dto/interactive.dto';
import type { TemplateMessage } from '../../integrations/templates/templates.service';

/** Fields of an answer of the assistant. */
interface AnswerFigures {
  model: string;
  tokens: { input: number; output: number };
  latencyMs: number;
}

/** A message to send, from a client or the assistant. */
export interface OutboundDraft extends AccountKey {
  recipient: string;
  /** UUID of the conversation, where it is known. */
  conversationId?: string;
  content: string;
  /** Files that are stored already. */
  attachments?: readonly Attachment[];
  options: OutboundOptions;
  /** Default: at once. */
  sendAt?: Date;
  /** UUID of the message; default: a new one. */
  id?: string;
  sentBy: MessageSender;
  /** The key that sends it; undefined for a message of the assistant. */
  apiKeyId?: string;
  ai?: AnswerFigures & { costUsd: number };
  /** UUID of the request that made it; default: the current one. */
  requestId?: string;
  /** Answers only: positions of the first and last message that it answers. */
  answers?: { from: number; to: number };
}

/** As stored in `messages.options`. Recording the outcome removes the first five. */
export interface OutboundOptions {
  parse_mode: ParseMode;
  /** Left out if false: each change of the message writes this column to the WAL again. */
  disable_notification?: true;
  link_preview: boolean;
  /** The sandbox bills the message. */
  sandbox_billed?: true;
  /** The name that the client gave as the recipient: the platform decides at each send which chat has it. */
  named?: string;
  /** Options below the message. `numbered`: sent as lines of text, because the platform cannot show options. */
  interactive?: InteractiveDto & { numbered?: true };
  /** Sent instead of the content. */
  template?: TemplateMessage;
  /** The template is marketing: people can stop it. */
  marketing?: true;
  reactions?: Reactions;
  /** Billable messages that it reserved from a UTC day. */
  reserved?: Reservation;
  /** UUID of the message that this one answers. */
  reply_to?: string;
  /** A client sent it while the assistant did not have the conversation, so a colleague wrote it. */
  by_colleague?: true;
  /** The conversation's context was cleared while this answer was made: the assistant never sees it. */
  in_context?: false;
}

/** A stored outbound message that this process may work on, as long as it holds the lease under `fence`. */
export interface OutboundMessage {
  id: string;
  environment: Environment;
  platform: Platform;
  account: string;
  conversationId: string;
  recipient: string;
  recipientName: string | null;
  address: string | null;
  /** When the recipient last wrote; null if unknown. */
  lastInboundAt: Date | null;
  content: string;
  attachments: readonly Attachment[];
  options: OutboundOptions;
  sentBy: MessageSender;
  ai: AnswerFigures | null;
  fence: number;
  /** Attempts so far that were retried. */
  repeats: readonly Repeat[];
  /** When this process stored the message, by `performance.now()`: its lease counts from then. Undefined after a takeover. */
  leasedAt?: number;
  /** The W3C trace context in which it was accepted. */
  traceparent: string | null;
}

/** The state of a send when its request is answered. */
export type SendProgress =
  | { status: 'sent'; sentAt: Date }
  | { status: 'failed'; failure: SendFailure }
  /** The platform asked to wait: the message is sent after the pause. */
  | { status: 'pending' };

/** One part's status and id at the platform. */
export interface PartRecord {
  index: number;
  status: 'sent' | 'failed';
  platformMessageId: string | null;
}
