import { Pool } from 'pg';
import { fromPublicId, toPublicId, type Direction, type Platform } from '#contracts';
import { composedStatement } from '../../../src/core/database/database.service';
import { messageList } from '../../../src/messages/list/message-list';
import { BareApp } from '../bare-app';

/*
 * What somebody in a hurry would write who knows Fastify and pg well and has the gateway's statement: key check, two
 * limits, audit, and the page as it comes from the database.
 */

interface ListQuery {
  page: number;
  per_page: number;
  sort: '-created_at' | 'created_at';
  platform?: Platform;
  direction?: Direction;
  start_date?: string;
  end_date?: string;
  conversation_id?: string;
}

interface Row {
  total: string;
  id: string | null;
  conversation_id: string;
  platform: string;
  direction: string;
  content: string;
  created_at: Date;
}

const string = { type: 'string' } as const;
const integer = { type: 'integer' } as const;
const querySchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    page: { type: 'integer', minimum: 1, default: 1 },
    per_page: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    sort: { type: 'string', enum: ['-created_at', 'created_at'], default: '-created_at' },
    platform: { type: 'string', enum: ['whatsapp', 'telegram', 'discord'] },
    direction: { type: 'string', enum: ['inbound', 'outbound'] },
    start_date: { type: 'string', format: 'date' },
    end_date: { type: 'string', format: 'date' },
    conversation_id: string,
  },
};
const answerSchema = {
  type: 'object',
  properties: {
    success: { type: 'boolean' },
    data: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: string,
          conversation_id: string,
          platform: string,
          direction: string,
          content: string,
          created_at: string,
        },
      },
    },
    meta: {
      type: 'object',
      properties: {
        request_id: string,
        timestamp: string,
        pagination: {
          type: 'object',
          properties: { page: integer, per_page: integer, total: integer, total_pages: integer },
        },
      },
    },
  },
};

const DAY_MS = 86_400_000;

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 20 });
const app = new BareApp(pool);

app.fastify.get<{ Querystring: ListQuery }>(
  '/api/v1/messages',
  { schema: { querystring: querySchema, response: { 200: answerSchema } } },
  async ({ query, bare }) => {
    const { page, per_page: perPage, platform, direction, start_date: start, end_date: end } = query;
    const descending = query.sort === '-created_at';
    const { text, values } = messageList(
      {
        environment: 'test',
        platform,
        direction,
        from: start === undefined ? undefined : new Date(start),
        until: end === undefined ? undefined : new Date(Date.parse(end) + DAY_MS),
        conversationId: query.conversation_id && fromPublicId('conversation', query.conversation_id),
      },
      {
        order: ['created_at', 'id'].map((column) => ({ column, descending })),
        offset: (page - 1) * perPage,
        limit: perPage,
      },
    );
    const { rows } = await pool.query<Row>({ ...composedStatement('list', text), values });
    const total = Number(rows[0]!.total);
    return {
      success: true,
      data: rows[0]!.id === null ? [] : rows.map(item),
      meta: {
        request_id: bare.publicId,
        timestamp: new Date().toISOString(),
        pagination: { page, per_page: perPage, total, total_pages: Math.ceil(total / perPage) },
      },
    };
  },
);

function item({ id, conversation_id, platform, direction, content, created_at }: Row) {
  return {
    id: toPublicId('message', id!),
    conversation_id: toPublicId('conversation', conversation_id),
    platform,
    direction,
    content,
    created_at: created_at.toISOString(),
  };
}

app.serve();
