import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import * as fc from 'fast-check';
import { Pool } from 'undici';
import { mergeChanges } from '../../../src/core/settings/settings';
import { valid, withFault } from '../../openapi/arbitraries';
import { costlyBodies } from '../../openapi/costly-bodies';
import { examplesOf, operationsOf, type OpenApiDocument, type Operation } from '../../openapi/document';
import { escaped, LONGEST_BODIES } from '../../openapi/longest-bodies';
import { expectAtMost } from '../../hostile/figures';
import { contractOf } from '../../support/contract';
import { useGateway } from '../../support/gateway';
import { resolveNoNames } from '../../support/no-names';

/** Longest that a request may keep the event loop, in milliseconds. */
const LONGEST_PAUSE_MS = 50;
/** The collector of garbage, of which a test leaves much, stops a thread for as long, too: the best of so many tries counts. */
const TRIES = 8;

const longestOf = ({ operationId }: Operation) => LONGEST_BODIES[operationId]?.bytes ?? 65_536;

/** As long as a query may be: Node takes 16 KiB of headers, the request line among them. */
const LONGEST_QUERY = 15_000;

const DESCRIBED = 'the event loop is blocked for less than 50 ms';

jest.setTimeout(120_000);

const gateway = useGateway();
let pool: Pool;
let document: OpenApiDocument;
let operations: Operation[];
/** Of everything that a test sent. */
let longestPause = 0;

beforeAll(async () => {
  pool = new Pool(gateway.url, { connections: 1 });
  resolveNoNames(gateway);
  ({ document } = await contractOf(gateway.url));
  operations = operationsOf(document).filter(({ path }) => path.startsWith('/api/'));
});

afterAll(() => pool.close());

beforeEach(() => (longestPause = 0));
afterEach(() => {
  const name = `longest pause of the event loop ${expect.getState().currentTestName!.slice(DESCRIBED.length + 1)}`;
  expectAtMost({ name, value: longestPause, unit: 'ms', most: LONGEST_PAUSE_MS });
});

const operationOf = (id: string) => operations.find(({ operationId }) => operationId === id)!;
/** All of an operation's examples in one. */
const exampleOf = ({ requestBody }: Operation) =>
  examplesOf(document, requestBody!.content['application/json']!).reduceRight<Record<string, unknown>>(
    (merged, [, value]) => mergeChanges(merged, value as Record<string, unknown>),
    {},
  );
/** The operations that take a body. */
/** With a body of JSON. */
const withBody = () => operations.filter(({ requestBody }) => requestBody?.content['application/json']);

/**
 * @returns the longest pause of the event loop meanwhile, in milliseconds, what this test does included; at most the time
 *   that the thread ran: a busy machine stops it for longer
 */
async function pauseOf({ method, path }: Operation, body?: Buffer, query = ''): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const before = process.threadCpuUsage();
  const answer = await pool.request({
    method,
    // No such id: whatever is accepted has no effect.
    path: path.replaceAll(/\{\w+\}/g, 'nothing') + query,
    headers: { authorization: `Bearer ${gateway.testKey}`, ...(body && { 'content-type': 'application/json' }) },
    body,
  });
  await answer.body.dump();
  await setImmediate();
  delays.disable();
  const { user, system } = process.threadCpuUsage(before);
  expect(answer.statusCode).toBeLessThan(500);
  return Math.min(delays.max / 1e6, (user + system) / 1e3);
}

/** Fails where each try pauses the event loop for too long. */
async function expectQuick(name: string, operation: Operation, body?: Buffer, query?: string): Promise<void> {
  let best = Infinity;
  for (let tries = 0; tries < TRIES && best > LONGEST_PAUSE_MS; tries += 1) {
    best = Math.min(best, await pauseOf(operation, body, query));
  }
  longestPause = Math.max(longestPause, best);
  if (best > LONGEST_PAUSE_MS) throw new Error(`${operation.operationId}: ${best.toFixed()} ms for ${name}`);
}

describe(DESCRIBED, () => {
  it('by any body that an operation accepts', async () => {
    expect(withBody().length).toBeGreaterThan(9);
    for (const operation of withBody()) {
      for (const [name, json] of costlyBodies(exampleOf(operation), longestOf(operation))) {
        const body = Buffer.from(json);
        expect(body.length).toBeLessThanOrEqual(longestOf(operation));
        await expectQuick(name, operation, body);
      }
    }
  });

  it.each(Object.entries(LONGEST_BODIES))('by the longest valid body of %s', async (id, { body }) => {
    await expectQuick('it', operationOf(id), Buffer.from(escaped(body)));
  });

  it('by any body if the operation accepts none', async () => {
    const bare = operations.filter(({ method, requestBody }) => method === 'POST' && !requestBody);
    expect(bare.length).toBeGreaterThan(2);
    for (const operation of bare) {
      for (const [name, json] of costlyBodies({}, longestOf(operation))) {
        await expectQuick(name, operation, Buffer.from(json));
      }
    }
  });

  it('by any query', async () => {
    const fill = (part: string) => part.repeat(LONGEST_QUERY / part.length);
    const many = Array.from({ length: LONGEST_QUERY / 5 }, (_, index) => index.toString(36).padStart(4, 'a')).join('&');
    for (const operation of operations) {
      const known = operation.parameters?.filter((parameter) => parameter.in === 'query') ?? [];
      const queries = [
        many,
        fill('a&'),
        fill('n'),
        fill('%f0%9f%a6%8a'),
        fill('__proto__=1&'),
        ...known.flatMap(({ name }) => [
          fill(`${name}=1&`),
          ...['x', '9', ':', '%20', '-created_at,', '%f0%9f%a6%8a'].map(
            (unit) => `${name}=${fill(unit).slice(0, -30)}`,
          ),
        ]),
      ];
      for (const query of queries) await expectQuick(query.slice(0, 50), operation, undefined, `?${query}`);
    }
  });

  it('by random bodies', async () => {
    const hostile = fc.oneof(
      fc.array(fc.jsonValue(), { maxLength: 500 }),
      fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 500 }),
      fc.string({ unit: 'binary', maxLength: 5_000, size: 'max' }),
    );
    const requests = fc.constantFrom(...withBody()).chain((operation) =>
      fc.record({
        operation: fc.constant(operation),
        value: valid(document, operation.requestBody!.content['application/json']!.schema),
        fault: fc.record({
          place: fc.nat(50),
          kind: fc.constantFrom('replace' as const, 'add' as const),
          value: hostile,
          name: fc.string(),
        }),
      }),
    );
    const property = fc.asyncProperty(requests, async ({ operation, value, fault }) => {
      await expectQuick('what was drawn', operation, Buffer.from(JSON.stringify(withFault(value, fault))));
    });
    await fc.assert(property, { numRuns: 100, seed: 20_260_101, endOnFailure: true });
  });
});
