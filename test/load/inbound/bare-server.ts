import fastify from 'fastify';
import { Pool as PgPool } from 'pg';
import { Pool } from 'undici';
import { BareProvider } from '../bare/bare-provider';
import { serveBare } from '../bare/serve-bare';
import { BareReplies } from './bare-replies';
import { ANSWERS_AT_ONCE, BOT_TOKEN, CALLBACK_PATH, WEBHOOK_SECRET } from './conversation';

/*
 * A server as a developer who knows Fastify and pg well would write it from scratch, with the gateway's guarantees: it stores a
 * message with its due reply before it answers Telegram, and the answer as pending with its bill before it sends the answer.
 * Then it stores the outcome and events. No framework, no other platforms, no retries.
 */

interface Update {
  message: { message_id: number; chat: { id: number }; text: string };
}

const pool = new PgPool({ connectionString: process.env['DATABASE_URL'], max: 20 });
const provider = new BareProvider(process.env['PROVIDER_URL']!, ANSWERS_AT_ONCE);
const telegram = new Pool(process.env['TELEGRAM_URL']!, { connections: 128, pipelining: 1 });
const replies = new BareReplies(pool, provider, async (chat, text) => {
  const result = await callTelegram<{ message_id: number }>('sendMessage', { chat_id: Number(chat), text });
  return `${chat}:${result.message_id}`;
});
const app = fastify({ logger: false });

app.post<{ Body: Update }>(CALLBACK_PATH, async ({ headers, body }, reply) => {
  if (headers['x-telegram-bot-api-secret-token'] !== WEBHOOK_SECRET) return reply.code(401).send();
  const { chat, text, message_id: messageId } = body.message;
  const owed = await replies.receive({ chat: String(chat.id), text, messageId: `${chat.id}:${messageId}` });
  if (owed) {
    const typing = callTelegram('sendChatAction', { chat_id: chat.id, action: 'typing' });
    void Promise.all([typing, replies.reply(owed)]).catch((error: unknown) => console.error(error));
  }
  return '';
});

async function callTelegram<Result>(method: string, payload: object): Promise<Result> {
  const { body } = await telegram.request({
    method: 'POST',
    path: `/bot${BOT_TOKEN}/${method}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(payload),
  });
  const answer = (await body.json()) as { ok: boolean; result: Result };
  if (!answer.ok) throw new Error(`${method}: ${JSON.stringify(answer)}`);
  return answer.result;
}

serveBare(app, () => replies.prepare());
