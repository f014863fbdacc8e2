import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { broken, failed, meta, ok, ScriptedServer, silent, type Reaction } from '../../../test/client/scripted-server';
import { eventually } from '../../../test/support/eventually';
import { GatewayConnectionError, GatewayError, GatewayTimeoutError, MessagingGateway } from '../index';
import type { IdempotentOptions } from '../options';

const RESULT = { response: 'We open at nine.', model: 'm', tokens: { input: 1, output: 2 }, latency_ms: 3 };

const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const delta = (text: string) => event('delta', { text });
const result = event('result', { success: true, data: RESULT, meta });

/** An answer of these pieces, each sent separately. */
function streaming(...pieces: (string | Uint8Array)[]): Reaction {
  return (response) =>
    void (async () => {
      begin(response);
      for (const piece of pieces) await new Promise((resolve) => response.write(piece, resolve));
      response.end();
    })();
}

function begin(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
}

describe('an AI answer stream', () => {
  let server: ScriptedServer;

  beforeEach(async () => {
    server = await new ScriptedServer().start();
    // No jitter: no wait before a retry.
    jest.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterEach(() => server.stop());

  const stream = (options: IdempotentOptions = {}) =>
    new MessagingGateway({ apiKey: 'key', baseUrl: server.url }).ai.stream({ message: 'Hello' }, options);

  async function collect(pieces: AsyncIterable<string>): Promise<string[]> {
    const all: string[] = [];
    for await (const piece of pieces) all.push(piece);
    return all;
  }

  it('gives its text piece by piece, then the result', async () => {
    server.will(streaming(delta('We open'), delta(' at nine.'), result));
    const answer = stream();
    expect(await collect(answer)).toEqual(['We open', ' at nine.']);
    expect(await answer.result()).toEqual(RESULT);
    expect(server.requests).toMatchObject([{ method: 'POST', headers: { accept: 'text/event-stream' } }]);
    expect(server.requests[0]!.headers['idempotency-key']).toBeUndefined();
  });

  it('gives the same text wherever a chunk ends, even within a character', async () => {
    const bytes = Buffer.from(delta('Grüße, 😀') + result);
    server.will(streaming(...Array.from(bytes, (byte) => new Uint8Array([byte]))));
    expect(await collect(stream())).toEqual(['Grüße, 😀']);
  });

  it('gives its result without iterating over it', async () => {
    server.will(streaming(delta('We open at nine.'), result));
    const answer = stream();
    expect(await Promise.all([answer.result(), answer.result()])).toEqual([RESULT, RESULT]);
    expect(server.requests).toHaveLength(1);
  });

  it('gives its result at the end if the caller also iterates over it', async () => {
    server.will(streaming(delta('a'), delta('b'), result));
    const answer = stream();
    const pieces = collect(answer);
    expect(await answer.result()).toEqual(RESULT);
    expect(await pieces).toEqual(['a', 'b']);
  });

  it('sends no request until it is read', async () => {
    server.will();
    stream();
    await expect(collect(stream())).rejects.toThrow('not from a messaging gateway');
    expect(server.requests).toHaveLength(1);
  });

  it('can be read only once', async () => {
    server.will(streaming(delta('a'), result));
    const answer = stream();
    await collect(answer);
    await expect(collect(answer)).rejects.toThrow(TypeError);
    expect(await answer.result()).toEqual(RESULT);
  });

  it('ends the request when the reader leaves the loop', async () => {
    let closed = false;
    server.will((response) => {
      begin(response).write(delta('We open'));
      response.on('close', () => (closed = true));
    });
    const answer = stream();
    for await (const piece of answer) {
      expect(piece).toBe('We open');
      break;
    }
    await eventually('the request has ended', () => expect(closed).toBe(true));
    await expect(answer.result()).rejects.toMatchObject({ name: 'AbortError' });
  });

  it("ends with the caller's signal", async () => {
    const caller = new AbortController();
    const reason = new Error('changed my mind');
    server.will((response) => void begin(response).write(delta('We open')));
    const answer = stream({ signal: caller.signal });
    const reading = async () => {
      for await (const _ of answer) caller.abort(reason);
    };
    await expect(reading()).rejects.toBe(reason);
    await expect(answer.result()).rejects.toBe(reason);
  });

  it('throws the error of an error event, with the status of its code', async () => {
    const details = { provider: 'anthropic', type: 'overloaded', retryable: true };
    const error = { code: 'AI_PROVIDER_ERROR', message: 'No.', details };
    server.will(streaming(delta('We'), event('error', { success: false, error, meta })));
    const answer = stream();
    const thrown = await collect(answer).catch((caught: unknown) => caught);
    expect(thrown).toBeInstanceOf(GatewayError);
    expect(thrown).toMatchObject({ status: 500, code: 'AI_PROVIDER_ERROR', details, requestId: 'req_1' });
    await expect(answer.result()).rejects.toBe(thrown);
    expect(server.requests).toHaveLength(1);
  });

  it('throws an ordinary error if the request fails before the stream begins', async () => {
    server.will(failed(400, 'INVALID_PARAMETER', { parameter: 'message', reason: 'must not be empty' }));
    await expect(stream().result()).rejects.toMatchObject({ status: 400, code: 'INVALID_PARAMETER' });
  });

  it('retries before the stream begins, and not after', async () => {
    server.will(broken, failed(500, 'INTERNAL_ERROR'), streaming(delta('a'), result));
    expect(await collect(stream())).toEqual(['a']);
    server.will((response) => begin(response).write(delta('a'), () => response.destroy()));
    await expect(collect(stream())).rejects.toBeInstanceOf(GatewayConnectionError);
    expect(server.requests).toHaveLength(1);
  });

  it('throws a connection error if it ends without a result', async () => {
    server.will(streaming(delta('We open')));
    await expect(stream().result()).rejects.toBeInstanceOf(GatewayConnectionError);
  });

  it('times out when the gateway pauses too long, but not when its reader does', async () => {
    server.will((response) => void begin(response).write(delta('We open')));
    await expect(collect(stream({ timeout: 100, maxRetries: 0 }))).rejects.toBeInstanceOf(GatewayTimeoutError);
    server.will(silent);
    await expect(collect(stream({ timeout: 100, maxRetries: 0 }))).rejects.toBeInstanceOf(GatewayTimeoutError);
    server.will((response) => {
      begin(response).write(delta('a'));
      setTimeout(() => response.end(delta('b') + result), 50);
    });
    const slowly: string[] = [];
    for await (const piece of stream({ timeout: 1_000 })) {
      await sleep(1_200);
      slowly.push(piece);
    }
    expect(slowly).toEqual(['a', 'b']);
  });

  it('throws an error if the answer is not a stream', async () => {
    server.will(ok(RESULT));
    await expect(stream().result()).rejects.toMatchObject({ code: 'UNKNOWN' });
  });

  it('uses the Idempotency-Key of the caller', async () => {
    server.will(streaming(result));
    await stream({ idempotencyKey: 'order-4711' }).result();
    expect(server.requests[0]!.headers['idempotency-key']).toBe('order-4711');
  });
});
