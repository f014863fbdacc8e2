import { Pool as PgPool } from 'pg';
import { Pool } from 'undici';
import { BareApp } from '../bare-app';
import { BareBill } from './bare-bill';
import { MODEL, providerRequest } from './exchange';

/*
 * What somebody in a hurry would put in front of a provider: key check, two limits, audit, and the answer handed on. With
 * KEEPS_BILL also what the gateway writes before it answers. No retries, no fallbacks, no error catalogue.
 */

interface GenerateBody {
  message: string;
}

interface ProviderAnswer {
  model: string;
  content: { type: string; text: string }[];
  usage: { input_tokens: number; output_tokens: number };
}

const bodySchema = {
  type: 'object',
  required: ['message'],
  additionalProperties: false,
  properties: { message: { type: 'string', minLength: 1, maxLength: 16_384 } },
};

const database = new PgPool({ connectionString: process.env['DATABASE_URL'], max: 20 });
const provider = new Pool(process.env['PROVIDER_URL']!, { connections: 128, pipelining: 1 });
const app = new BareApp(database);
const bill = process.env['KEEPS_BILL'] === 'true' ? new BareBill(database) : undefined;

app.fastify.post<{ Body: GenerateBody }>(
  '/api/v1/ai/generate',
  { schema: { body: bodySchema } },
  async (request, reply) => {
    const startedAt = performance.now();
    const { requestId, publicId } = request.bare;
    const announced = bill?.announce(requestId, MODEL);
    const { statusCode, body } = await provider.request(providerRequest(request.body.message));
    const answer = (await body.json()) as ProviderAnswer;
    if (statusCode !== 200) return reply.code(500).send({ success: false });
    const { model, usage } = answer;
    const tokens = { input: usage.input_tokens, output: usage.output_tokens };
    const latencyMs = Math.round(performance.now() - startedAt);
    await announced;
    await bill?.record(requestId, { model, ...tokens, latencyMs });
    return {
      success: true,
      data: {
        response: answer.content[0]!.text,
        model,
        tokens,
        latency_ms: latencyMs,
      },
      meta: { request_id: publicId, timestamp: new Date().toISOString() },
    };
  },
);

app.serve();
