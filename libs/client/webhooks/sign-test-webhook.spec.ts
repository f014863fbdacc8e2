import type { WebhookEvent } from '../contracts';
import { signTestWebhook } from './sign-test-webhook';
import { verifyWebhook } from './verify-webhook';

const SECRET = 'whsec_YSBzZWNyZXQgb2YgdGhlIHRlc3Rz';
const EVENT = {
  id: 'evt_1',
  type: 'system.health',
  created_at: '2026-01-31T12:00:00.000Z',
  data: { environment: 'test', status: 'healthy', previous_status: 'degraded', components: {}, at: '' },
} as unknown as WebhookEvent;

describe(signTestWebhook.name, () => {
  it.each([SECRET, 'any text'])('passes verifyWebhook under %p, by either signature', (secret) => {
    const { payload, headers } = signTestWebhook({ payload: EVENT, secret });
    expect(verifyWebhook({ payload, headers, secret })).toEqual(EVENT);
    const { 'webhook-id': _, ...service } = headers;
    expect(verifyWebhook({ payload, headers: service, secret, tolerance: Infinity })).toEqual(EVENT);
    expect(() => verifyWebhook({ payload, headers, secret: 'another' })).toThrow('None of the signatures');
  });

  it('signs with two secrets, so that a receiver that knows one accepts it', () => {
    const delivery = signTestWebhook({ payload: EVENT, secret: ['new', 'previous'] });
    for (const secret of ['new', 'previous']) {
      expect(verifyWebhook({ ...delivery, secret })).toEqual(EVENT);
      const { 'webhook-id': _, ...headers } = delivery.headers;
      expect(verifyWebhook({ payload: delivery.payload, headers, secret, tolerance: Infinity })).toEqual(EVENT);
    }
  });

  it('makes a delivery that is too old', () => {
    const delivery = signTestWebhook({ payload: EVENT, secret: SECRET, timestamp: new Date(Date.now() - 301_000) });
    expect(() => verifyWebhook({ ...delivery, secret: SECRET })).toThrow('older than 300 seconds');
  });

  it('signs a text as it is', () => {
    const delivery = signTestWebhook({ payload: '{ not JSON', secret: SECRET });
    expect(delivery.payload).toBe('{ not JSON');
    expect(() => verifyWebhook({ ...delivery, secret: SECRET })).toThrow('The body is not JSON');
  });

  it.each(['', [], undefined])('refuses %p as a secret', (secret) => {
    expect(() => signTestWebhook({ payload: EVENT, secret: secret as string })).toThrow(TypeError);
  });
});
