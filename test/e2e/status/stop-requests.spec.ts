import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

interface Call {
  method?: string;
  body?: object;
  accept?: string;
  /** By default each request comes on a connection of its own. */
  agent?: Agent;
  signal?: AbortSignal;
}

describe('a stop with requests in progress', () => {
  let gateway: TestGateway;
  let anthropic: AnthropicFake;

  beforeEach(async () => {
    anthropic = await new AnthropicFake().start();
  });

  afterEach(() => anthropic.stop());

  /** Resolves with the head of the answer. */
  async function open(path: string, { method = 'GET', body, accept, agent, signal }: Call = {}) {
    const headers = {
      authorization: `Bearer ${gateway.liveKey}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(accept && { accept }),
    };
    const request = httpRequest(`${gateway.url}${path}`, { method, headers, agent: agent ?? new Agent(), signal });
    request.end(body && JSON.stringify(body));
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    return answer;
  }

  async function call(path: string, options?: Call) {
    const answer = await open(path, options);
    return { status: answer.statusCode, connection: answer.headers.connection, body: await text(answer) };
  }

  const generate = (options: Call = {}) => ({ method: 'POST', body: { message: 'Hello' }, ...options });

  /**
   * Resolves when nothing is left to do but to close the listener, with the promise of the end.
   * @param meanwhile runs from the first moment of the stop on
   */
  async function beginStop(meanwhile = () => Promise.resolve()): Promise<{ stopped: Promise<void> }> {
    const closing = jest.spyOn(gateway.app.getHttpAdapter(), 'close');
    const stopped = gateway.stop();
    await meanwhile();
    await eventually('the stop has come to the listener', () => expect(closing).toHaveBeenCalled());
    return { stopped };
  }

  const refused = () => expect(call('/health/live')).rejects.toThrow('ECONNREFUSED');

  it('fails readiness at once, stays alive, and serves requests until they are answered', async () => {
    gateway = await startTestGateway({ anthropic });
    const agent = new Agent({ keepAlive: true });
    expect(await call('/health/ready', { agent })).toMatchObject({ status: 200, connection: 'keep-alive' });
    anthropic.hold();
    const generated = call('/api/v1/ai/generate', generate());
    await anthropic.waitForInFlight(1);

    const { stopped } = await beginStop(async () => {
      expect(await call('/health/ready')).toMatchObject({ status: 503, connection: 'close' });
    });
    expect(await call('/health/ready')).toMatchObject({ status: 503, connection: 'close' });
    expect(await call('/health/live')).toMatchObject({ status: 200, connection: 'close' });
    expect(await call('/health/ready', { agent })).toMatchObject({ status: 503, connection: 'close' });
    expect(await call('/api/v1/messages')).toMatchObject({ status: 200, connection: 'close' });
    expect(await call('/api/v1/nowhere')).toMatchObject({ status: 404, connection: 'close' });

    anthropic.release();
    expect(await generated).toMatchObject({ status: 200, body: expect.stringContaining('You said: Hello') as string });
    await stopped;
    await refused();
  });

  it('closes the listener after the requests of its beginning, and answers later ones', async () => {
    gateway = await startTestGateway({ anthropic });
    anthropic.hold();
    const gone = new AbortController();
    const first = call('/api/v1/ai/generate', generate({ signal: gone.signal })).catch(String);
    await anthropic.waitForInFlight(1);
    const { stopped } = await beginStop();
    const second = call('/api/v1/ai/generate', generate());
    await anthropic.waitForInFlight(2);
    gone.abort();
    expect(await first).toContain('AbortError');
    await eventually('no connection is taken any more', refused);
    anthropic.release();
    expect(await second).toMatchObject({ status: 200, connection: 'close' });
    await stopped;
  });

  it('continues serving for SHUTDOWN_DELAY_SECONDS, platforms included, and then closes the listener', async () => {
    const telegram = await new TelegramFake().start();
    gateway = await startTestGateway({ telegram, env: { SHUTDOWN_DELAY_SECONDS: '4' } });
    await gateway.connected('telegram');
    const agent = new Agent({ keepAlive: true });
    expect((await call('/health/live', { agent })).connection).toBe('keep-alive');
    const startedAt = performance.now();
    const stopped = gateway.stop();
    expect(await call('/health/ready', { agent })).toMatchObject({ status: 503, connection: 'close' });
    const send = { method: 'POST', body: { platform: 'telegram', recipient: '7', message: 'still served' } };
    while (performance.now() - startedAt < 2_000) {
      expect(await call('/api/v1/messages/send', send)).toMatchObject({ status: 200, connection: 'close' });
      await sleep(100);
    }
    await stopped;
    expect(performance.now() - startedAt).toBeGreaterThan(4_000);
    await refused();
    await telegram.stop();
  });

  it('ends the connection with the response to an earlier request', async () => {
    gateway = await startTestGateway({ anthropic });
    anthropic.hold();
    const generated = call('/api/v1/ai/generate', generate({ agent: new Agent({ keepAlive: true }) }));
    await anthropic.waitForInFlight(1);
    const { stopped } = await beginStop();
    anthropic.release();
    expect(await generated).toMatchObject({ status: 200, connection: 'close' });
    await stopped;
  });

  it('treats a stream as a request, until its client disconnects', async () => {
    gateway = await startTestGateway({ anthropic });
    // By far longer than the test.
    anthropic.replyWith(() => 'on '.repeat(1_000));
    anthropic.streamPauseMs = 50;
    const gone = new AbortController();
    const stream = await open('/api/v1/ai/generate', generate({ accept: 'text/event-stream', signal: gone.signal }));
    stream.on('error', () => undefined);
    const { stopped } = await beginStop();
    expect((await call('/health/ready')).status).toBe(503);
    gone.abort();
    await stopped;
    await refused();
  });

  it('releases platform leases before the requests are answered', async () => {
    const telegram = await new TelegramFake().start();
    gateway = await startTestGateway({ anthropic, telegram });
    await gateway.connected('telegram');
    anthropic.hold();
    const generated = call('/api/v1/ai/generate', generate());
    await anthropic.waitForInFlight(1);
    const { stopped } = await beginStop();
    expect(await gateway.sql(`SELECT holder FROM integrations WHERE platform = 'telegram'`)).toEqual([
      { holder: null },
    ]);
    anthropic.release();
    expect((await generated).status).toBe(200);
    await stopped;
    await telegram.stop();
  });

  it('begins at once without requests, whatever connections are idle', async () => {
    gateway = await startTestGateway();
    const agent = new Agent({ keepAlive: true });
    expect((await call('/health/live', { agent })).status).toBe(200);
    const startedAt = performance.now();
    await gateway.stop();
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    await refused();
  });
});
