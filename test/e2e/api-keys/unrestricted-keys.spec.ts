import { ENVIRONMENTS, type Environment } from '#contracts';
import type { ApiKeyDto, CreatedApiKeyDto } from '../../../src/api-keys/dto/api-key.dto';
import { expectedError } from '../../support/expected';
import { useGateway } from '../../support/gateway';

const RESTRICTIONS = [
  { restriction: 'addresses', bounds: { allowed_ips: ['127.0.0.0/8'] } },
  { restriction: 'an expiry', bounds: { expires_at: '2900-01-01T00:00:00.000Z' } },
  {
    restriction: 'limits below those of its tier',
    bounds: { rate_limit: { requests_per_minute: 59, requests_per_hour: 1_000 } },
  },
  { restriction: 'a daily budget', bounds: { ai_budget: { daily_usd: 1_000, monthly_usd: null } } },
  { restriction: 'a monthly budget', bounds: { ai_budget: { daily_usd: null, monthly_usd: 1_000 } } },
  { restriction: 'models', bounds: { ai_models: ['small'] } },
];
const LOOSE = { rate_limit: { requests_per_minute: 60, requests_per_hour: 1_000_000 } };

/** ADR 19: without such a key, only the command line could free the keys of an environment. */
describe('The last unrestricted key with the scope *', () => {
  const gateway = useGateway();
  let environment: Environment;
  /** The only one of its environment. */
  let last: CreatedApiKeyDto;

  const refused = expectedError('INSUFFICIENT_PERMISSIONS', { required_scope: '*', key_scopes: ['*'] });
  const kept = { status: 400, body: { error: { code: 'INVALID_REQUEST' } } };
  const post = (body: object, key?: string) =>
    gateway.api<CreatedApiKeyDto>(
      'POST',
      '/admin/api-keys',
      { name: 'A key', scopes: ['*'], environment, ...body },
      { key },
    );
  const create = async (body: object) => (await post(body, last?.key)).body.data;
  const patch = (target: ApiKeyDto, body: object, by: { key: string }) =>
    gateway.api<ApiKeyDto>('PATCH', `/admin/api-keys/${target.id}`, body, { key: by.key });
  const roll = (target: ApiKeyDto, by: { key: string }) =>
    gateway.api<CreatedApiKeyDto>('POST', `/admin/api-keys/${target.id}/roll`, { grace_hours: 0 }, { key: by.key });
  const revoke = (target: ApiKeyDto, by: { key: string }) =>
    gateway.api('DELETE', `/admin/api-keys/${target.id}`, undefined, { key: by.key });
  const read = async ({ id }: ApiKeyDto) => {
    const { body } = await gateway.api<ApiKeyDto[]>('GET', '/admin/api-keys?per_page=100', undefined, {
      key: last.key,
    });
    return body.data.find((key) => key.id === id);
  };
  const unchanged = async () => {
    const { key: _, last_used_at: __, ...record } = last;
    expect(await read(last)).toMatchObject(record);
  };

  describe.each(ENVIRONMENTS)('of the %s environment', (of) => {
    beforeEach(async () => {
      environment = of;
      const maker = await gateway.createKey();
      last = (await post(LOOSE, maker)).body.data;
      await gateway.sql(`UPDATE api_keys SET revoked_at = now() WHERE environment = $1 AND name <> 'A key'`, [of]);
      await gateway.sql(`UPDATE api_keys SET revoked_at = now() WHERE environment = $1 AND created_at < $2`, [
        of,
        last.created_at,
      ]);
      await gateway.sql(`SELECT pg_notify('gateway', 'api_keys:')`);
    });

    describe.each(RESTRICTIONS)('beside a key with $restriction', ({ bounds }) => {
      let bound: CreatedApiKeyDto;

      beforeEach(async () => {
        bound = await create(bounds);
        expect(bound).toMatchObject(bounds);
      });

      it('is not changed by that key', async () => {
        for (const change of [{ name: 'Mine' }, bounds, { allowed_ips: ['127.0.0.1'] }, { tier: 'pro' }]) {
          expect(await patch(last, change, bound)).toMatchObject(refused);
        }
        await unchanged();
      });

      it('is neither rolled nor revoked by that key', async () => {
        expect(await roll(last, bound)).toMatchObject(refused);
        expect(await revoke(last, bound)).toMatchObject(refused);
        await unchanged();
      });

      it('neither restricts nor revokes itself, and rolls itself', async () => {
        expect(await patch(last, bounds, last)).toMatchObject(kept);
        expect(await revoke(last, last)).toMatchObject(kept);
        await unchanged();
        const rolled = await roll(last, last);
        expect(rolled).toMatchObject({ status: 200, body: { data: { id: last.id, ...LOOSE } } });
        last = rolled.body.data;
      });

      it('removes the restrictions of that key, which may then revoke it', async () => {
        const freed = { allowed_ips: [], expires_at: null, rate_limit: null, ai_budget: null, ai_models: [] };
        expect(await patch(bound, freed, last)).toMatchObject({ status: 200, body: { data: freed } });
        expect(await revoke(last, bound)).toMatchObject({ status: 200 });
        expect(await patch(bound, bounds, bound)).toMatchObject(kept);
        last = bound;
      });

      it('may be restricted by a second unrestricted key, which is the last one then', async () => {
        const second = await create(LOOSE);
        expect(await patch(last, bounds, second)).toMatchObject({ status: 200, body: { data: bounds } });
        expect(await patch(second, bounds, second)).toMatchObject(kept);
        last = second;
      });
    });

    it('remains, or another one does, when requests restrict and revoke all of them at once', async () => {
      const all = [last, await create(LOOSE), await create(LOOSE)];
      const changes = [
        (index: number) => patch(all[index]!, { allowed_ips: ['127.0.0.1'] }, all[index]!),
        (index: number) => revoke(all[index]!, all[(index + 1) % 3]!),
      ];
      await Promise.all([0, 1, 2].flatMap((index) => changes.map((change) => change(index))));
      const { body } = await gateway.api<ApiKeyDto[]>('GET', '/admin/api-keys?per_page=100&status=active', undefined, {
        key: await gateway.createKey({ environment: of, allowedIps: ['127.0.0.1'] }),
      });
      const left = body.data.filter((key) => all.some(({ id }) => id === key.id) && key.allowed_ips.length === 0);
      expect(left).toHaveLength(1);
      last = all.find(({ id }) => id === left[0]!.id)!;
    });
  });
});
