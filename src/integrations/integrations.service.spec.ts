import type { AccountKey } from '#contracts';
import type { Accounts } from '../accounts/accounts.service';
import type { AccountEntity } from '../accounts/entities/account.entity';
import type { IntegrationStates } from './connection/integration-states.service';
import type { IntegrationStore } from './connection/integration-store.service';
import { Integrations } from './integrations.service';
import type { Adapters } from './platforms/adapters.service';

const accountNamed = (id: string) =>
  ({ id, environment: 'live', platform: 'telegram', source: 'api', enabled: true }) as AccountEntity;
const [BROKEN, SHOP, BAKERY] = ['broken', 'shop', 'bakery'].map(accountNamed) as [
  AccountEntity,
  AccountEntity,
  AccountEntity,
];
const NOT_CONNECTED = { code: 'PLATFORM_NOT_CONNECTED', details: { reason: 'unreadable' } };

describe(Integrations, () => {
  let reconnected: string[];
  beforeEach(() => (reconnected = []));

  const withAccounts = (...accounts: AccountEntity[]) =>
    new Integrations(
      {
        of: ({ account }: AccountKey) => (account === BROKEN.id ? { unconfigured: 'unreadable' } : {}),
      } as unknown as Adapters,
      { refresh: () => Promise.resolve() } as unknown as IntegrationStates,
      {
        requestReconnect: ({ account }: AccountKey) => Promise.resolve(reconnected.push(account)),
      } as unknown as IntegrationStore,
      undefined as never,
      {
        enabledIn: () => accounts,
        defaultOf: () => accounts[0],
      } as unknown as Accounts,
      undefined as never,
    );

  it('reconnects the usable accounts of a platform beside an unusable one', async () => {
    const { status } = await withAccounts(BROKEN, SHOP, BAKERY).reconnect('live', 'telegram');
    expect(status).toBe('reconnecting');
    expect(reconnected).toEqual([SHOP.id, BAKERY.id]);
  });

  it('refuses to reconnect an unusable account, or a platform that has no other', async () => {
    await expect(withAccounts(BROKEN, SHOP).reconnect('live', 'telegram', BROKEN)).rejects.toMatchObject(NOT_CONNECTED);
    await expect(withAccounts(BROKEN).reconnect('live', 'telegram')).rejects.toMatchObject(NOT_CONNECTED);
    expect(reconnected).toEqual([]);
  });
});
