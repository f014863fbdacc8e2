import type { Platform } from './platforms';

/** The participant id of a topic of a Telegram chat: `<chat id>/<thread id>`. Its conversation is another one than the chat's. */
export function topicId(chatId: string, threadId: number): string {
  return `${chatId}/${threadId}`;
}

/** The id of the chat whose topic a participant is; undefined if it is no topic. */
export function chatOfTopic(platform: Platform, participantId: string): string | undefined {
  const [chatId, threadId] = participantId.split('/');
  return platform === 'telegram' && threadId !== undefined ? chatId : undefined;
}
