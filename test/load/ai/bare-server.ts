import { Pool } from 'pg';
import { BareApp } from '../bare/bare-app';
import { BareBill, BILL_SCHEMA } from '../bare/bare-bill';
import { EVENT_SCHEMA } from '../bare/bare-events';
import { BareProvider } from '../bare/bare-provider';
import { MODEL } from './exchange';

/*
 * A proxy to a provider as a developer who knows Fastify and pg well would write it from scratch: key check, two limits, audit
 * rows. With KEEPS_BILL it gives the gateway's guarantee: it stores an event for the call, and bills the answer with its event
 * before it responds. No retries, no fallbacks, no error catalogue.
 */

interface GenerateBody {
  message: string;
}

const bodySchema = {
  type: 'object',
  required: ['message'],
  additionalProperties: false,
  properties: { message: { type: 'string', minLength: 1, maxLength: 16_384 } },
};

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 20 });
const provider = new BareProvider(process.env['PROVIDER_URL']!, 128);
const app = new BareApp(pool);
const bill = process.env['KEEPS_BILL'] === 'true' ? new BareBill(pool) : undefined;

app.fastify.post<{ Body: GenerateBody }>(
  '/api/v1/ai/generate',
  { schema: { body: bodySchema } },
  async ({ body, bare }) => {
    const { requestId, publicId } = bare;
    const announced = bill?.announce({ requestId }, MODEL);
    const answer = await provider.ask([{ role: 'user', content: body.message }]);
    await announced;
    await bill?.record({ requestId }, answer);
    const { text, model, tokens, latencyMs } = answer;
    return {
      success: true,
      data: { response: text, model, tokens, latency_ms: latencyMs },
      meta: { request_id: publicId, timestamp: new Date().toISOString() },
    };
  },
);

app.serve(async () => {
  await pool.query(`${EVENT_SCHEMA}; ${BILL_SCHEMA}`);
});
