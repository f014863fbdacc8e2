import { generateKey } from '../../../src/api-keys/key-format';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { sharedPostgres, withClient } from '../../support/postgres';

const [OLD, NEW] = ['the pepper of the beginning', 'the pepper from now on'];
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** What docs/keys.md says about the rotation of secrets. */
describe('rotated secrets', () => {
  let databaseUrl: string;
  let receiver: ReceiverFake;
  let oldKey: string;
  let webhook: string;

  beforeEach(async () => {
    receiver = await new ReceiverFake().start();
    databaseUrl = await (await sharedPostgres()).createDatabase();
    const first = await start({ API_KEY_PEPPER: OLD });
    oldKey = first.liveKey;
    const body = { url: receiver.url(), events: ['*'], secret: SECRET };
    webhook = (await first.api<{ id: string }>('POST', '/webhooks', body)).body.data.id;
    await first.stop();
  });

  afterEach(() => receiver.stop());

  const start = (env: NodeJS.ProcessEnv): Promise<TestGateway> =>
    startTestGateway({ databaseUrl, env: { ...LOCAL_RECEIVERS, ...env } });
  const forget = (name: string) =>
    withClient(databaseUrl, (client) =>
      client.query('DELETE FROM deployment WHERE name = $1', [`${name} fingerprint`]),
    );
  const status = async (gateway: TestGateway, key: string) =>
    (await gateway.api('GET', '/webhooks', undefined, { key })).status;
  const tested = async (gateway: TestGateway) =>
    (await gateway.api<{ status: string }>('POST', `/webhooks/${webhook}/test`)).body;

  it('a new pepper ends every API key except the configured one, and webhooks keep their secrets', async () => {
    const bootstrap = generateKey('live');
    const env = { API_KEY_PEPPER: NEW, SECRETS_KEY: OLD, BOOTSTRAP_API_KEY: bootstrap };
    await expect(start(env)).rejects.toThrow('The pepper is not the one this database was used with');
    await forget('pepper');
    const gateway = await start(env);
    expect([await status(gateway, oldKey), await status(gateway, bootstrap)]).toEqual([401, 200]);
    expect(await tested(gateway)).toMatchObject({ data: { status: 'success' } });
    expect(receiver.posts).toHaveLength(1);
  });

  it('under a new SECRETS_KEY a webhook sends nothing until it gets a new secret', async () => {
    const env = { API_KEY_PEPPER: OLD, SECRETS_KEY: 'a key of its own, at last' };
    await expect(start(env)).rejects.toThrow('The secrets key is not the one');
    await forget('secrets key');
    const gateway = await start(env);
    expect(await status(gateway, oldKey)).toBe(200);
    expect(await tested(gateway)).not.toMatchObject({ data: { status: 'success' } });
    expect(receiver.posts).toEqual([]);
    expect((await gateway.api('PATCH', `/webhooks/${webhook}`, { secret: SECRET })).status).toBe(200);
    expect(await tested(gateway)).toMatchObject({ data: { status: 'success' } });
    expect(receiver.posts[0]!.headers['x-service-signature-previous']).toBeUndefined();
  });
});
