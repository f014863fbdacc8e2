import { tableByTheWindow } from './picture';
import { lastUserText, type MessagesRequest } from '../fakes/anthropic-types';

/** The guest. In a private Telegram chat, the chat's id equals the person's id. */
export const ADA = { id: 48213907, first_name: 'Ada', last_name: 'Byron', username: 'ada' } as const;

/** Ada's messages, in order. The second makes sense only together with the first. */
export const LINES = ['Hi! When do you open tomorrow?', 'And do you have a table for two at ten?'] as const;

/** Ada's photo, after the messages. */
export const PHOTO = { caption: 'And what does this photo show?', bytes: tableByTheWindow(640, 480) } as const;

/** The message that a shop system sends later through the API. */
export const NOTICE = 'Your table for two is reserved: *tomorrow, 10:00*. See you!';

const ANSWERS: Readonly<Record<string, string>> = {
  [LINES[0]]: 'Good morning! Tomorrow we open **at nine** and close at six.',
  [LINES[1]]: 'At ten **tomorrow** there is one by the window. Shall I reserve it?',
};

/** The fake AI: fixed answers; for any other text, it says that it is a fake. */
export function answer(request: MessagesRequest): string {
  const said = lastUserText(request);
  const { content = '' } = request.messages.findLast(({ role }) => role === 'user') ?? {};
  if (said.endsWith(PHOTO.caption) && typeof content !== 'string' && content.some(({ type }) => type === 'image'))
    return 'A table **by the window**, laid for two.';
  return ANSWERS[said] ?? `You wrote: “${said}”. (I am the fake AI of the demonstration, and know no more.)`;
}
