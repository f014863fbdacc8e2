import { GatewayError, type MessagingGateway } from '#client';
import { LiveEvents } from './live-events';

/** Longer than any pause before the next attempt. */
const LONG_MS = 60_000;

/** Reads a stream that fails with this error. @returns the number of attempts, and the state that the page shows */
async function readStream(error: GatewayError): Promise<{ reads: number; state: string }> {
  let reads = 0;
  // oxlint-disable-next-line require-yield -- it is refused before an event
  const stream = async function* () {
    reads += 1;
    throw error;
  };
  const events = new LiveEvents({ events: { stream } } as unknown as MessagingGateway, 'key', {
    onGap: () => undefined,
    onRefused: (code) => code === 'INVALID_API_KEY',
  });
  await jest.advanceTimersByTimeAsync(LONG_MS);
  events.close();
  return { reads, state: events.state.get() };
}

const refused = (status: number, code: string) =>
  GatewayError.of(status, { error: { code, message: 'No.', details: null }, meta: { request_id: 'req_1' } });

beforeEach(() => {
  jest.useFakeTimers();
  // As over plain HTTP, where each tab reads its own stream.
  Object.assign(globalThis, { isSecureContext: false });
});
afterEach(() => jest.useRealTimers());

describe(LiveEvents.name, () => {
  it('does not retry a stream that the key may not open', async () => {
    expect(await readStream(refused(403, 'INSUFFICIENT_PERMISSIONS'))).toEqual({ reads: 1, state: 'off' });
  });

  it('ends when the key is revoked while the stream is open', async () => {
    const error = GatewayError.inStream({ error: { code: 'INVALID_API_KEY', message: 'No.', details: null } });
    expect((await readStream(error)).reads).toBe(1);
  });

  it('retries a stream that was refused for another reason', async () => {
    const { reads, state } = await readStream(refused(429, 'RATE_LIMIT_EXCEEDED'));
    expect({ isRepeated: reads > 1, state }).toEqual({ isRepeated: true, state: 'lost' });
  });
});
