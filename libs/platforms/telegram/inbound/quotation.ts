import type { TelegramExternalReplyInfo, TelegramMessage, TelegramMessageOrigin } from '@gramio/types/objects';
import { sanitizeText } from '#contracts';
import type { Participant, QuotedMessage } from '../../platform.port';
import { attempt } from './attempt';
import { knownContentOf } from './inbound-content';
import { taskOf } from './kinds/actions';
import { withLinks } from './kinds/links';
import { messageIdOf, ofChat, ofUser, senderOf } from './participants';

/** The message that this one quotes: https://core.telegram.org/bots/api#message. A quotation that makes no sense is left out. */
export function quotationOf(message: TelegramMessage): QuotedMessage | undefined {
  return attempt(() => read(message));
}

function read(message: TelegramMessage): QuotedMessage | undefined {
  const { external_reply: external, reply_to_story: story, quote } = message;
  const replied = repliedTo(message);
  const marked = quote && withLinks(quote.text, quote.entities);
  if (replied)
    return quoted(messageIdOf(replied), senderOf(replied), marked ?? partOf(message, replied) ?? wordsOf(replied));
  if (external) return quoted(idOf(external), authorOf(external.origin), marked ?? wordsOf(external));
  if (story) return quoted(undefined, ofChat(story.chat), marked ?? wordsOf({ story }));
  return marked === undefined ? undefined : quoted(undefined, undefined, marked);
}

function quoted(platformMessageId?: string, sender?: Participant, words?: string): QuotedMessage {
  const content = words && sanitizeText(words);
  return {
    ...(platformMessageId !== undefined && { platformMessageId }),
    ...(sender && { sender }),
    ...(content && { content }),
  };
}

/**
 * The message that this one answers. In a forum topic each message that answers no other one refers to the message that opened
 * the topic.
 */
export function repliedTo(message: TelegramMessage): TelegramMessage | undefined {
  const { reply_to_message: replied, is_topic_message, message_thread_id } = message;
  const isTopic = is_topic_message === true && replied?.message_id === message_thread_id;
  return isTopic || replied?.forum_topic_created ? undefined : replied;
}

function wordsOf(message: Partial<TelegramMessage>): string | undefined {
  return knownContentOf(message)?.content;
}

/** The task of a checklist or the option of a poll that the person answers. */
function partOf(message: TelegramMessage, { checklist, poll }: TelegramMessage): string | undefined {
  const { reply_to_checklist_task_id: task, reply_to_poll_option_id: option } = message;
  if (task !== undefined && checklist) return taskOf(checklist, task);
  return option === undefined ? undefined : poll?.options.find(({ persistent_id }) => persistent_id === option)?.text;
}

function idOf({ chat, message_id }: TelegramExternalReplyInfo): string | undefined {
  return chat && message_id !== undefined ? messageIdOf({ chat, message_id }) : undefined;
}

function authorOf(origin: TelegramMessageOrigin): Participant | undefined {
  if (origin.type === 'user') return ofUser(origin.sender_user);
  if (origin.type === 'chat') return ofChat(origin.sender_chat);
  return origin.type === 'channel' ? ofChat(origin.chat) : undefined;
}
