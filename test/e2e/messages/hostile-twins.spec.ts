import { connect, type Server, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { Database } from '../../../src/core/database/database.service';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { expectAtMost } from '../../hostile/figures';
import { eventually } from '../../support/eventually';
import { startTestGateway, useGateway, type TestGateway } from '../../support/gateway';

const TWINS = 150;
const ANSWER_MS = 3_000;

describe('repeated requests during a slow answer', () => {
  const anthropic = new AnthropicFake();
  const gateway = useGateway({ anthropic });
  let other: TestGateway;
  let next = 0;

  beforeAll(async () => {
    other = await startTestGateway({ anthropic, databaseUrl: gateway.databaseUrl });
  });

  beforeEach(() => anthropic.delay(ANSWER_MS));

  const freshKey = () => `twins ${(next += 1)}`;
  const generate = (key: string, instance = gateway, message = 'Hello') =>
    instance.api<{ response: string }>(
      'POST',
      '/ai/generate',
      { message },
      { key: gateway.liveKey, headers: { 'idempotency-key': key } },
    );

  /** Statements on the rows of idempotent requests, by instance. */
  function count(instance: TestGateway): () => number {
    let statements = 0;
    const database = instance.app.get<{
      query: (statement: { name: string }, values: unknown[]) => unknown;
      together: (statement: { name: string }, sets: unknown[][]) => unknown;
    }>(Database);
    const [query, together] = [database.query.bind(database), database.together.bind(database)];
    database.query = (statement, values) => {
      if (statement.name.startsWith('idempotency-')) statements += 1;
      return query(statement, values);
    };
    database.together = (statement, sets) => {
      // `query` counts a single one.
      if (statement.name.startsWith('idempotency-') && sets.length > 1) statements += sets.length;
      return together(statement, sets);
    };
    return () => statements;
  }

  const begun = async (calls: number) =>
    eventually('the provider is asked', () => expect(anthropic.requests.length).toBeGreaterThan(calls));

  it('requests with one Idempotency-Key share one wait per instance, and are answered when the first one ends', async () => {
    const statements = [count(gateway), count(other)];
    const key = freshKey();
    const calls = anthropic.requests.length;
    const first = generate(key);
    await begun(calls);
    const twins = Array.from({ length: TWINS }, (_, index) => generate(key, index % 2 ? gateway : other));
    const [answer, ...repeated] = await Promise.all([first, ...twins]);
    const told = performance.now();
    expect(answer).toMatchObject({ status: 200 });
    for (const { status, headers, body } of repeated) {
      expect({ status, replayed: headers['idempotent-replayed'], data: body.data }).toEqual({
        status: 200,
        replayed: 'true',
        data: answer.body.data,
      });
    }
    expect(anthropic.requests.length).toBe(calls + 1);
    for (const [index, done] of statements.entries()) {
      const name = `statements of ${TWINS} twins of a call of ${ANSWER_MS / 1_000} s, instance ${index + 1}`;
      // At worst each of them comes while the one before it claims; then they share a look every 250 ms.
      expectAtMost({ name, value: done(), unit: 'statements', most: TWINS + ANSWER_MS / 250 });
    }
    expect(performance.now() - told).toBeLessThan(ANSWER_MS);
  }, 90_000);

  it('a repeated request stops waiting when its client disconnects, and reads nothing more', async () => {
    const key = freshKey();
    const calls = anthropic.requests.length;
    const first = generate(key);
    await begun(calls);
    const body = JSON.stringify({ message: 'Hello' });
    const head = [
      'POST /api/v1/ai/generate HTTP/1.1',
      'Host: gateway',
      `Authorization: Bearer ${gateway.liveKey}`,
      `Idempotency-Key: ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    const server = other.app.getHttpServer() as Server;
    const open = promisify(server.getConnections.bind(server));
    const kept = await open();
    const asked = count(other);
    const sockets: Socket[] = [];
    for (let index = 0; index < TWINS; index += 1) {
      const socket = connect({ host: '127.0.0.1', port: Number(new URL(other.url).port) });
      socket.on('error', () => undefined).write([...head, '', body].join('\r\n'));
      sockets.push(socket);
    }
    await eventually('they wait', () => expect(asked()).toBeGreaterThanOrEqual(TWINS));
    for (const socket of sockets) socket.destroy();
    await eventually('they are in the audit log', async () => {
      const [row] = await gateway.sql<{ n: number }>(
        `SELECT count(*)::int AS n FROM audit_log WHERE path = '/api/v1/ai/generate' AND status <> 200`,
      );
      expect(row!.n).toBeGreaterThan(0);
    });
    await eventually('their connections have ended', async () => expect(await open()).toBeLessThanOrEqual(kept));
    const done = count(other);
    await first;
    expectAtMost({ name: `statements of ${TWINS} abandoned twins`, value: done(), unit: 'statements', most: 2 });
  });

  it('a request that repeats an Idempotency-Key with another body is refused at once', async () => {
    const key = freshKey();
    const calls = anthropic.requests.length;
    const first = generate(key);
    await begun(calls);
    const started = performance.now();
    const refused = await Promise.all([generate(key, other, 'Goodbye'), generate(key, gateway, 'Goodbye')]);
    for (const { status, body } of refused) expect([status, body.error.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(performance.now() - started).toBeLessThan(ANSWER_MS - 1_000);
    await first;
  });

  it('a repeated request to another instance is answered within a moment', async () => {
    anthropic.delay(1_000);
    const key = freshKey();
    const calls = anthropic.requests.length;
    const first = generate(key).then(() => performance.now());
    await begun(calls);
    const told = generate(key, other).then(() => performance.now());
    const lag = (await told) - (await first);
    expectAtMost({ name: 'lag of the twin on another instance', value: lag, unit: 'ms', most: 1_000 });
  });
});
