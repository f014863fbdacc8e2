import { expectedError } from '../../support/expected';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const ID = '01h455vb4pex5vsknk084sn02q';
/** Operations that have no body, with the status of their answer to none. */
const OPERATIONS: readonly [method: string, path: string, status: number][] = [
  ['GET', '/status', 200],
  ['GET', '/messages?page=1', 200],
  ['POST', `/conversations/conv_${ID}/clear`, 404],
  ['POST', '/integrations/telegram/reconnect', 200],
  ['DELETE', `/webhooks/wh_${ID}`, 404],
  ['POST', `/webhooks/wh_${ID}/test`, 404],
  ['DELETE', `/admin/api-keys/key_${ID}`, 404],
];

describe('an operation without a body', () => {
  let gateway: TestGateway;
  beforeAll(async () => void (gateway = await startTestGateway()));

  const call = (method: string, path: string, body?: string, headers?: Record<string, string>) =>
    gateway.api(method, path, body, { key: gateway.testKey, headers });

  it.each(OPERATIONS)('accepts none, or an empty object: %s %s', async (method, path, status) => {
    for (const body of [undefined, '', '{}', ' { } ']) expect(await call(method, path, body)).toMatchObject({ status });
  });

  it.each(OPERATIONS)('refuses anything else: %s %s', async (method, path) => {
    for (const body of ['[]', 'null', '0', '"text"', '[{}]']) {
      expect(await call(method, path, body)).toMatchObject(
        expectedError('INVALID_REQUEST', { reason: 'the operation takes no body' }),
      );
    }
    expect(await call(method, path, '{"a": 1, "b": {}}')).toMatchObject(
      expectedError('INVALID_REQUEST', { fields: ['a', 'b'] }),
    );
    expect(await call(method, path, '{')).toMatchObject(
      expectedError('INVALID_REQUEST', { reason: 'the body is not valid JSON' }),
    );
    expect(await call(method, path, '{}', { 'content-type': 'text/plain' })).toMatchObject(
      expectedError('INVALID_REQUEST', { reason: 'the body must be application/json' }),
    );
  });

  it('refuses a body before it reports unknown parameters', async () => {
    expect(await call('POST', '/integrations/telegram/reconnect?page=1', '{"a": 1}')).toMatchObject(
      expectedError('INVALID_REQUEST', { fields: ['a'] }),
    );
  });
});
