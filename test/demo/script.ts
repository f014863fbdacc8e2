import { tableByTheWindow } from './picture';
import { lastUserText, type Reply, type MessagesRequest } from '../fakes/anthropic-types';

/** The guest. In a private Telegram chat, the chat's id equals the person's id. */
export const ADA = { id: 48213907, first_name: 'Ada', last_name: 'Byron', username: 'ada' } as const;

/** Ada's messages, in order. The second makes sense only together with the first. */
export const LINES = ['Hi! When do you open tomorrow?', 'And do you have a table for two at ten?'] as const;

/** Ada's photo, after the messages. */
export const PHOTO = { caption: 'And what does this photo show?', bytes: tableByTheWindow(640, 480) } as const;

/** Ada asks for what only the café's software knows. */
export const ORDER = 'Is my order 1042 ready?';

/** The tool by which the assistant asks the café's software. */
export const ORDER_STATUS = {
  name: 'order_status',
  description: 'Looks up whether an order is ready. Call it when a guest asks about an order.',
  parameters: {
    type: 'object',
    properties: { order_id: { type: 'string', description: 'Number on the receipt.' } },
    required: ['order_id'],
    additionalProperties: false,
  },
} as const;

/** The message that a shop system sends later through the API. */
export const NOTICE = 'Your table for two is reserved: *tomorrow, 10:00*. See you!';

const ANSWERS: Readonly<Record<string, string>> = {
  [LINES[0]]: 'Good morning! Tomorrow we open **at nine** and close at six.',
  [LINES[1]]: 'At ten **tomorrow** there is one by the window. Shall I reserve it?',
};

/** The fake AI: fixed answers, and a call of the tool for an order; for any other text, it says that it is a fake. */
export function answer(request: MessagesRequest): string | Reply {
  const said = lastUserText(request);
  const { content = '' } = request.messages.findLast(({ role }) => role === 'user') ?? {};
  const results = typeof content === 'string' ? [] : content.filter(({ type }) => type === 'tool_result');
  if (results.length > 0) return wordsOf(JSON.stringify(results));
  const order = /\border (\d+)/i.exec(said)?.[1];
  if (order) return { text: 'Let me look.', tool: { name: ORDER_STATUS.name, input: { order_id: order } } };
  if (said.endsWith(PHOTO.caption) && typeof content !== 'string' && content.some(({ type }) => type === 'image'))
    return 'A table **by the window**, laid for two.';
  return ANSWERS[said] ?? `You wrote: “${said}”. (I am the fake AI of the demonstration, and know no more.)`;
}

/** The text that the fake AI writes after the café’s answer. */
function wordsOf(result: string): string {
  const [, order, status] = /order_id\W+(\d+)\W+status\W+([\w ]+)/.exec(result) ?? [];
  return status ? `Order ${order} is **${status}**.` : 'I cannot find that order.';
}
