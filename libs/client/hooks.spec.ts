import { failed, ok, broken, ScriptedServer, silent } from '../../test/client/scripted-server';
import type { GatewayOutcome, GatewayRequest } from './hooks';
import { GatewayError, MessagingGateway } from './index';
import type { GatewayOptions } from './options';

const KEY = 'service_sk_test_0123456789abcdefghijklmnopqrstuv';

describe('a hook', () => {
  let server: ScriptedServer;
  let requests: GatewayRequest[];
  let outcomes: GatewayOutcome[];

  beforeEach(async () => {
    server = await new ScriptedServer().start();
    [requests, outcomes] = [[], []];
    // No jitter: no wait before a retry.
    jest.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterEach(() => server.stop());

  const client = (options: Partial<GatewayOptions> = {}) =>
    new MessagingGateway({
      apiKey: KEY,
      baseUrl: server.url,
      onRequest: (request) => requests.push(request),
      onResponse: (outcome) => outcomes.push(outcome),
      ...options,
    });

  it('is called for each attempt with its response, and says when it is retried', async () => {
    server.will(broken, failed(500, 'INTERNAL_ERROR'), ok({ id: 'msg_1' }));
    await client().messages.get('msg_1');
    const url = `${server.url}/api/v1/messages/msg_1`;
    const request = { method: 'GET', path: '/api/v1/messages/{message_id}', url };
    expect(requests).toEqual([1, 2, 3].map((attempt) => ({ ...request, attempt })));
    expect(outcomes.map((outcome) => outcome.request)).toEqual(requests);
    expect(outcomes).toMatchObject([
      { response: undefined, error: { code: 'CONNECTION_FAILED' }, retryInMs: 0 },
      { response: { status: 500 }, error: { code: 'INTERNAL_ERROR' }, retryInMs: 0 },
      { response: { status: 200 }, error: undefined, retryInMs: undefined },
    ]);
    for (const { durationMs } of outcomes) expect(durationMs).toBeGreaterThan(0);
  });

  it('gets the error that the call rejects with', async () => {
    const reason = new Error('changed my mind');
    const caller = new AbortController();
    server.will(failed(404, 'RESOURCE_NOT_FOUND'), silent);
    const thrown = await client()
      .messages.get('msg_1')
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(GatewayError);
    expect(outcomes.pop()).toMatchObject({ error: thrown, retryInMs: undefined });
    const aborting = client({ onRequest: () => caller.abort(reason) }).messages.get('msg_1', { signal: caller.signal });
    await expect(aborting).rejects.toBe(reason);
    expect(outcomes).toMatchObject([{ response: undefined, error: reason, retryInMs: undefined }]);
  });

  it('never gets the key', async () => {
    await client().messages.list();
    expect(JSON.stringify([requests, outcomes])).not.toContain(KEY);
  });

  it.each<[string, () => void]>([
    [
      'throws',
      () => {
        throw new Error('the log is full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('the log is full'))],
  ])('that %s does not fail the request', async (_, hook) => {
    server.will(ok({ id: 'msg_1' }));
    expect(await client({ onRequest: hook, onResponse: hook }).messages.get('msg_1')).toEqual({ id: 'msg_1' });
  });
});
