import { Pool } from 'pg';
import { fromPublicId, toPublicId } from '#contracts';
import { BareApp } from '../bare/bare-app';
import { BareLists, type BareListRow } from './bare-lists';

/*
 * A server as a developer who knows Fastify and pg well would write it from scratch, with the gateway's guarantees: any page,
 * exact totals, key check, two limits, audit.
 */

interface ListQuery {
  page: number;
  per_page: number;
  sort: '-created_at' | 'created_at';
  platform?: string;
  direction?: string;
  start_date?: string;
  end_date?: string;
  conversation_id?: string;
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

const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  max: 20,
  // One plan for all values: planning each execution would take longer than the query.
  options: '-c plan_cache_mode=force_generic_plan',
});
const lists = new BareLists(pool);
const app = new BareApp(pool);

app.fastify.get<{ Querystring: ListQuery }>(
  '/api/v1/messages',
  { schema: { querystring: querySchema, response: { 200: answerSchema } } },
  async ({ query, bare }) => {
    const { start_date: start, end_date: end, conversation_id: conversation, ...rest } = query;
    const rows = await lists.list({
      ...rest,
      from: start === undefined ? undefined : new Date(start),
      until: end === undefined ? undefined : new Date(Date.parse(end) + DAY_MS),
      conversationId: conversation && fromPublicId('conversation', conversation),
    });
    const total = Number(rows[0]!.total);
    const { page, per_page } = query;
    return {
      success: true,
      data: rows[0]!.id === null ? [] : rows.map(item),
      meta: {
        request_id: bare.publicId,
        timestamp: new Date().toISOString(),
        pagination: { page, per_page, total, total_pages: Math.ceil(total / per_page) },
      },
    };
  },
);

function item({ id, conversation_id, platform, direction, content, created_at }: BareListRow) {
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
