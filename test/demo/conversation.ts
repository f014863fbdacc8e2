import { textOf, type MessagesRequest } from '../fakes/anthropic-types';
import { eventLine } from './event-line';
import type { Printer } from './printer';
import { RestClient } from './rest-client';
import { ADA, LINES, NOTICE, ORDER, ORDER_STATUS, PHOTO } from './script';
import type { Stage } from './stage';

/** How long a step may take before the demonstration counts as failed, in milliseconds. */
const TIMEOUT_MS = 15_000;

/** Plays a short conversation and prints each step with data that the gateway recorded. Rejects if a step does not happen. */
export async function playConversation(stage: Stage, printer: Printer): Promise<void> {
  printer.step('The gateway connects to Telegram');
  printer.fact('Event', eventLine(await stage.events.waitFor('integration.connected', () => true, TIMEOUT_MS)));
  await stage.events.news();

  let conversationId = '';
  const { telegram } = stage;
  for (const text of LINES) {
    const write = () => telegram.receiveText({ chatId: ADA.id, from: ADA, text });
    conversationId = await playExchange(stage, printer, text, write);
  }
  await playExchange(stage, printer, PHOTO.caption, () => {
    const file_id = telegram.addFile(PHOTO.bytes);
    const photo = [{ file_id, file_unique_id: 'photo', width: 640, height: 480, file_size: PHOTO.bytes.length }];
    return telegram.receiveContent(ADA.id, { from: ADA, photo, caption: PHOTO.caption });
  });

  const client = new RestClient(stage.gateway.url, stage.apiKey);
  await playTool(stage, printer, client);
  await playNotice(stage, printer, client);
  await playReading(printer, client, conversationId);
}

/** One message of Ada and its answer. @param write sends the message @returns the id of the conversation */
async function playExchange(
  { telegram, anthropic, events }: Stage,
  printer: Printer,
  text: string,
  write: () => { update_id: number },
): Promise<string> {
  const sentBefore = telegram.sent.length;
  const askedBefore = anthropic.requestsOf('messages').length;

  printer.step(`${ADA.first_name} writes on Telegram`);
  const { update_id } = write();
  printer.fact('Inbound', `update ${update_id}, chat ${ADA.id}: “${text}”`);
  const received = await events.waitFor('message.received', ({ content }) => content.endsWith(text), TIMEOUT_MS);
  const { message_id, conversation_id } = received.data;
  printer.fact('Event', eventLine(received));
  printer.fact('Stored', `${message_id} and ${received.id}`);
  printer.fact('', `in ${conversation_id}`);

  printer.step('The assistant asks the AI');
  const { model, messages } = (await anthropic.waitForRequests(askedBefore + 1, TIMEOUT_MS)).at(-1)!.body;
  printer.fact('Request', `POST /v1/messages, ${model}, ${messages.length} message(s):`);
  for (const { role, content } of messages) printer.fact(`  ${role}`, `${filesOf(content)}“${textOf(content)}”`);

  printer.step('The answer arrives on Telegram');
  const reply = (await telegram.waitForSent(sentBefore + 1, TIMEOUT_MS)).at(-1)!;
  printer.fact('Reply', `message ${reply.message_id}, chat ${reply.chat_id}: “${reply.text}”`);
  await events.waitFor('message.delivered', (data) => data.conversation_id === conversation_id, TIMEOUT_MS);
  for (const event of await events.news()) if (event.id !== received.id) printer.fact('Event', eventLine(event));
  return conversation_id;
}

/** The types of the files in a message to the AI, as `[image] `. */
function filesOf(content: MessagesRequest['messages'][number]['content']): string {
  if (typeof content === 'string') return '';
  return content.map(({ type }) => (type === 'text' ? '' : `[${type}] `)).join('');
}

/** The café registers a tool, and Ada asks for what only its software knows. */
async function playTool(stage: Stage, printer: Printer, client: RestClient): Promise<void> {
  printer.step('The café registers a tool');
  const made = await client.post<{ id: string }>('/tools', { ...ORDER_STATUS, ...stage.orderDesk });
  printer.fact('API', `${made.request} → ${made.status}`);
  printer.fact('Tool', `${made.data.id}, ${ORDER_STATUS.name}(order_id)`);
  const write = () => stage.telegram.receiveText({ chatId: ADA.id, from: ADA, text: ORDER });
  await playExchange(stage, printer, ORDER, write);
  const calls = await client.get<{ arguments: object; result: string }[]>(`/tools/${made.data.id}/calls`);
  printer.fact('API', `${calls.request} → ${calls.status}`);
  for (const call of calls.data) printer.fact('Call', `${JSON.stringify(call.arguments)} → ${call.result}`);
}

/** A client of the API sends a message, without a question before it. */
async function playNotice({ telegram, events }: Stage, printer: Printer, client: RestClient): Promise<void> {
  const sentBefore = telegram.sent.length;
  printer.step('A client sends a message through the API');
  const sending = await client.post<{ message_id: string; status: string }>('/messages/send', {
    platform: 'telegram',
    recipient: String(ADA.id),
    message: NOTICE,
    options: { parse_mode: 'markdown' },
  });
  printer.fact('API', `${sending.request} → ${sending.status}`);
  printer.fact('Answer', `${sending.data.message_id} is ${sending.data.status}`);
  const notice = (await telegram.waitForSent(sentBefore + 1, TIMEOUT_MS)).at(-1)!;
  printer.fact('Telegram', `message ${notice.message_id}, chat ${notice.chat_id}: “${notice.text}”`);
  const { message_id: sentId } = sending.data;
  await events.waitFor('message.delivered', ({ message_id }) => message_id === sentId, TIMEOUT_MS);
  for (const event of await events.news()) printer.fact('Event', eventLine(event));
}

interface ListedMessage {
  id: string;
  direction: 'inbound' | 'outbound';
  content: string;
}

async function playReading(printer: Printer, client: RestClient, conversationId: string): Promise<void> {
  printer.step('A client reads it all through the API');
  const list = await client.get<ListedMessage[]>(`/messages?conversation_id=${conversationId}&sort=created_at`);
  printer.fact('API', `${list.request} → ${list.status}`);
  for (const { direction, content } of list.data) printer.fact(direction === 'inbound' ? '  ←' : '  →', content);
  const expected = (LINES.length + 2) * 2 + 1;
  const total = list.meta.pagination?.total;
  if (total !== expected) throw new Error(`the API lists ${total} messages instead of ${expected}`);
  const ai = await client.get<{ usage: { today: { requests: number; cost_usd: number } } }>('/ai/status');
  const { requests, cost_usd } = ai.data.usage.today;
  printer.fact('API', `${ai.request} → ${ai.status}, ${requests} answers today, $${cost_usd.toFixed(6)}`);
}
