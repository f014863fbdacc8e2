import { text } from 'node:stream/consumers';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { AnthropicFake } from '../fakes/anthropic.fake';
import { eventually } from '../support/eventually';
import { startTestGateway, type TestGateway } from '../support/gateway';

describe('a stop with requests in progress', () => {
  let gateway: TestGateway;
  let anthropic: AnthropicFake;

  beforeEach(async () => {
    anthropic = await new AnthropicFake().start();
    gateway = await startTestGateway({ anthropic });
  });
  afterEach(() => anthropic.stop());

  /** On a connection of its own. */
  async function generate(): Promise<string> {
    const request = httpRequest(`${gateway.url}/api/v1/ai/generate`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.liveKey}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      agent: new Agent(),
    });
    request.end(JSON.stringify({ message: 'Hello' }));
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    return text(answer);
  }

  it('aborts unanswered requests after 30 s, also those that arrived during the stop', async () => {
    anthropic.hold();
    const first = generate().catch(String);
    await anthropic.waitForInFlight(1);
    const startedAt = performance.now();
    const closing = jest.spyOn(gateway.app.getHttpAdapter(), 'close');
    const stopped = gateway.stop();
    await eventually('the stop has come to the listener', () => expect(closing).toHaveBeenCalled());
    const second = generate().catch(String);
    expect(await Promise.all([first, second])).toEqual(['Error: socket hang up', 'Error: socket hang up']);
    await stopped;
    const tookMs = performance.now() - startedAt;
    expect(tookMs).toBeGreaterThan(29_000);
    expect(tookMs).toBeLessThan(33_000);
    await expect(generate()).rejects.toThrow('ECONNREFUSED');
  }, 60_000);
});
