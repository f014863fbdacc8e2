import { signStandardWebhook, signWebhookBody } from '../signatures';
import { verifyWebhook, type WebhookHeaders, type WebhookVerifyParams } from './verify-webhook';

const SECRET = 'a secret of the tests';
const EVENT = {
  id: 'evt_1',
  type: 'message.received',
  created_at: '2026-01-31T12:00:00.000Z',
  data: { content: 'ä€😀' },
};
const BODY = JSON.stringify(EVENT);
const now = () => Math.floor(Date.now() / 1_000);

function trio({ secret = SECRET, at = now(), body = BODY, id = 'evt_1' } = {}): Record<string, string> {
  const signature = signStandardWebhook(secret, id, at, body);
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signature };
}
const service = (secret = SECRET) => ({ 'x-service-signature': signWebhookBody(secret, BODY) });

const verify = (headers: WebhookHeaders, other: Partial<WebhookVerifyParams> = {}) =>
  verifyWebhook({ payload: BODY, headers, secret: SECRET, ...other });
const failing = (reason: string) => expect.objectContaining({ name: 'WebhookVerificationError', reason }) as Error;

describe(verifyWebhook.name, () => {
  it.each<[string, WebhookHeaders]>([
    ["Node's", trio()],
    ["fetch's", new Headers(trio())],
    ['a list of pairs', Object.entries(trio())],
    ['a map', new Map(Object.entries(trio()))],
    [
      'names in capitals',
      Object.fromEntries(Object.entries(trio()).map(([name, value]) => [name.toUpperCase(), value])),
    ],
    ['lists of values', Object.fromEntries(Object.entries(trio()).map(([name, value]) => [name, [value]]))],
  ])('accepts headers as %s', (_, headers) => {
    expect(verify(headers)).toEqual(EVENT);
  });

  it.each<[string, string | Uint8Array]>([
    ['a text', BODY],
    ['a Buffer', Buffer.from(BODY)],
    ['bytes', new TextEncoder().encode(BODY)],
  ])('accepts the body as %s', (_, payload) => {
    expect(verify(trio(), { payload })).toEqual(EVENT);
  });

  it('rejects a changed body', () => {
    expect(() => verify(trio(), { payload: `${BODY} ` })).toThrow(failing('signature'));
    expect(() => verify(trio(), { payload: Buffer.from(`\uFEFF${BODY}`) })).toThrow(failing('signature'));
  });

  it('rejects a changed id, time or secret', () => {
    expect(() => verify({ ...trio(), 'webhook-id': 'evt_2' })).toThrow(failing('signature'));
    expect(() => verify({ ...trio(), 'webhook-timestamp': String(now() - 1) })).toThrow(failing('signature'));
    expect(() => verify(trio({ secret: 'another secret' }))).toThrow(failing('signature'));
    expect(() => verify({ ...trio(), 'webhook-signature': 'v1,' })).toThrow(failing('signature'));
  });

  it('rejects a delivery that is too old, or too far in the future', () => {
    for (const offset of [-290, 290]) expect(verify(trio({ at: now() + offset }))).toEqual(EVENT);
    for (const offset of [-310, 310]) expect(() => verify(trio({ at: now() + offset }))).toThrow(failing('timestamp'));
    expect(verify(trio({ at: now() - 3_600 }), { tolerance: 4_000 })).toEqual(EVENT);
    expect(verify(trio({ at: 1 }), { tolerance: Infinity })).toEqual(EVENT);
  });

  it.each(['', 'now', '-1', '1e9', '0x10', ' 1', '99999999999999999999'])('rejects the time %p', (timestamp) => {
    for (const tolerance of [300, Infinity]) {
      expect(() => verify({ ...trio(), 'webhook-timestamp': timestamp }, { tolerance })).toThrow(failing('timestamp'));
    }
  });

  it('accepts the old secret, the new one, or both during a secret change', () => {
    const rotating = {
      ...trio(),
      'webhook-signature': `${trio()['webhook-signature']} ${trio({ secret: 'old secret' })['webhook-signature']}`,
    };
    expect(verify(rotating)).toEqual(EVENT);
    expect(verify(rotating, { secret: 'old secret' })).toEqual(EVENT);
    expect(verify(trio({ secret: 'old secret' }), { secret: [SECRET, 'old secret'] })).toEqual(EVENT);
  });

  it('accepts X-Service-Signature alone only with an infinite tolerance', () => {
    expect(() => verify(service())).toThrow(failing('no_timestamp'));
    expect(verify(service(), { tolerance: Infinity })).toEqual(EVENT);
    expect(() => verify(service('another secret'), { tolerance: Infinity })).toThrow(failing('signature'));
    const rotating = { ...service('new secret'), 'x-service-signature-previous': service()['x-service-signature'] };
    expect(verify(rotating, { tolerance: Infinity })).toEqual(EVENT);
  });

  it('does not fall back on X-Service-Signature if the stronger signature is wrong or incomplete', () => {
    const wrong = { ...service(), ...trio({ secret: 'another secret' }) };
    expect(() => verify(wrong, { tolerance: Infinity })).toThrow(failing('signature'));
    const { 'webhook-timestamp': _, ...incomplete } = trio();
    expect(() => verify({ ...service(), ...incomplete })).toThrow(failing('no_timestamp'));
  });

  it('rejects a request without a signature', () => {
    for (const tolerance of [300, Infinity]) expect(() => verify({}, { tolerance })).toThrow(failing('no_signature'));
  });

  it('rejects a signed body that is not an event', () => {
    expect(() => verify(trio({ body: 'hello' }), { payload: 'hello' })).toThrow(failing('payload'));
    expect(() => verify(trio(), { payload: new Uint8Array([0xff]) })).toThrow(failing('payload'));
  });

  it.each<[string, unknown]>([
    ['an empty text', ''],
    ['an empty list', []],
    ['a list with an empty text', [SECRET, '']],
    ['undefined', undefined],
    ['null', null],
    ['a list with undefined in it', [undefined]],
    ['bytes', Buffer.from(SECRET)],
  ])('rejects %s as a secret', (_, secret) => {
    const unset = { payload: BODY, headers: trio({ secret: '' }), secret: secret as string };
    for (const tolerance of [300, Infinity]) {
      expect(() => verifyWebhook({ ...unset, tolerance })).toThrow(
        new TypeError('secret must be the secret of the webhook'),
      );
    }
  });

  it('rejects a body that is already parsed', () => {
    expect(() => verify(trio(), { payload: EVENT as unknown as string })).toThrow(TypeError);
  });
});
