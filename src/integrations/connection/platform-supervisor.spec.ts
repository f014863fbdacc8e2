import { Logger } from '@nestjs/common';
import { ConnectionError, type ConnectionObserver } from '#platforms';
import { accountOf } from '../../../test/support/accounts';
import { eventually } from '../../../test/support/eventually';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway';
import { Clock } from '../../core/clock/clock.service';
import { DomainEvents } from '../../core/events/domain-events.service';
import { IntegrationHealth } from '../health/integration-health.service';
import { IntegrationStore } from './integration-store.service';
import { PlatformSupervisor, type AccountAdapter } from './platform-supervisor';

describe(PlatformSupervisor.name, () => {
  let gateway: TestGateway;
  let store: IntegrationStore;
  let sut: PlatformSupervisor;
  /** Connections so far, each proven when its `proven` is called. */
  let connections: ConnectionObserver[];
  let adapter: AccountAdapter;
  /** The errors of the next connections. */
  let refusals: ConnectionError[];

  beforeAll(async () => {
    // No platform is configured, so no other supervisor runs.
    gateway = await startTestGateway();
  });
  beforeEach(() => {
    connections = [];
    refusals = [];
    store = gateway.app.get(IntegrationStore);
    adapter = {
      platform: 'telegram',
      at: accountOf('live', 'telegram'),
      capabilities: { livenessMs: 90_000, receivesBy: 'connection' },
      run: (_sink: unknown, observer: ConnectionObserver, signal: AbortSignal) => {
        connections.push(observer);
        const refused = refusals.shift();
        if (refused) return Promise.reject(refused);
        return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    } as unknown as AccountAdapter;
    sut = supervisor();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await sut.stop();
    await gateway.sql('DELETE FROM integrations');
    await gateway.sql('DELETE FROM events');
  });

  const supervisor = () => {
    const started = new PlatformSupervisor(adapter, {
      store,
      health: gateway.app.get(IntegrationHealth),
      events: gateway.app.get(DomainEvents),
      clock: gateway.app.get(Clock),
      sink: {} as never,
      shown: () => ({ id: 'acc_1', name: 'default' }),
      changed: () => undefined,
    });
    started.start();
    return started;
  };
  /** Requests a reconnect; the next `times` connections are refused. */
  const refuse = async (code: string, message: string, times = 1) => {
    for (let time = 0; time < times; time += 1) refusals.push(new ConnectionError({ code, message }, true));
    await store.requestReconnect(accountOf('live', 'telegram'));
    await sut.checkRequests();
  };

  const connecting = (count: number) =>
    eventually(`${count} connections were begun`, () => expect(connections).toHaveLength(count));
  const rowIs = (status: string) =>
    eventually(`the row says ${status}`, async () => {
      expect(await gateway.sql('SELECT status FROM integrations')).toEqual([{ status }]);
    });

  it('reconnects for a request that arrives while it records the connection', async () => {
    await connecting(1);
    const change = store.change.bind(store);
    jest.spyOn(store, 'change').mockImplementationOnce(async (...args) => {
      const held = await change(...args);
      // The row says `connected` already; this process does not know yet.
      await store.requestReconnect(accountOf('live', 'telegram'));
      const checked = sut.checkRequests();
      await Promise.race([checked, rowIs('reconnecting')]);
      return held;
    });
    connections[0]!.proven({});
    await connecting(2);
    connections[1]!.proven({});
    await rowIs('connected');
  });

  it('restores `connected` in a row that was left at `reconnecting`', async () => {
    await connecting(1);
    connections[0]!.proven({});
    await rowIs('connected');
    await gateway.sql(`UPDATE integrations SET status = 'reconnecting', reason = 'a reconnect was requested'`);
    await sut.checkRequests();
    expect(await gateway.sql('SELECT status, reason FROM integrations')).toEqual([
      { status: 'connected', reason: null },
    ]);
    expect(connections).toHaveLength(1);
  });

  it('does not warn of a takeover after it released the lease itself', async () => {
    await connecting(1);
    const warned = jest.spyOn(Logger.prototype, 'warn');
    const { promise: released, resolve } = Promise.withResolvers<void>();
    const [renew, release] = [store.renew.bind(store), store.release.bind(store)];
    // The pending renewal is answered after the release of the lease, and before the supervisor has ended.
    jest.spyOn(store, 'renew').mockImplementationOnce(async (...args) => {
      await released;
      return renew(...args);
    });
    const renewed = sut.checkRequests();
    jest.spyOn(store, 'release').mockImplementationOnce(async (...args) => {
      await release(...args);
      resolve();
      await renewed;
    });
    await sut.stop();
    expect(warned).not.toHaveBeenCalled();
  });

  it('reconnects once for many simultaneous requests', async () => {
    await connecting(1);
    connections[0]!.proven({});
    await rowIs('connected');
    await Promise.all(Array.from({ length: 50 }, () => store.requestReconnect(accountOf('live', 'telegram'))));
    await sut.checkRequests();
    await connecting(2);
    await sut.checkRequests();
    connections[1]!.proven({});
    await rowIs('connected');
    await sut.checkRequests();
    expect(connections).toHaveLength(2);
  });
  it('records a refusal whose text the database cannot store unchanged', async () => {
    await connecting(1);
    connections[0]!.proven({ name: 'a\u0000b\uD83D' });
    await rowIs('connected');
    await refuse('unauthorized', 'Unauthorized\u0000');
    await rowIs('disconnected');
    expect(await gateway.sql('SELECT reason, details FROM integrations')).toEqual([
      { reason: 'Unauthorized', details: { name: 'ab\uFFFD' } },
    ]);
  });

  it('records a refusal later if that failed at first, and then publishes its event', async () => {
    await connecting(1);
    connections[0]!.proven({});
    await rowIs('connected');
    const change = store.change.bind(store);
    jest.spyOn(store, 'change').mockImplementation(async (...args) => {
      if (connections.length === 2) throw new Error('the database is away');
      return change(...args);
    });
    await refuse('forbidden', 'Forbidden', 2);
    await rowIs('disconnected');
    expect(connections).toHaveLength(3);
    expect(await gateway.sql(`SELECT type FROM events WHERE type = 'integration.error'`)).toHaveLength(1);
  });

  it('clears the error of an unreachable platform at the next success, also after a restart', async () => {
    await connecting(1);
    await sut.stop();
    Object.assign(adapter.capabilities, { receivesBy: 'callback' });
    const health = gateway.app.get(IntegrationHealth);
    const sending = () => health.of(accountOf('live', 'telegram'), 'sending').lastErrorCode;
    const receiving = () => health.of(accountOf('live', 'telegram'), 'receiving').lastErrorCode;
    refusals.push(new ConnectionError({ code: 'unauthorized', message: 'Unauthorized' }, true));
    sut = supervisor();
    await rowIs('disconnected');
    expect(sending()).toBe('unauthorized');

    await sut.stop();
    sut = supervisor();
    await connecting(3);
    connections[2]!.proven({});
    expect(sending()).toBeNull();

    connections[2]!.warning({ code: 'unreachable', message: 'For a moment' });
    connections[2]!.warning({ code: 'webhook_undelivered', message: 'Not a proof’s business', direction: 'receiving' });
    expect([sending(), receiving()]).toEqual(['unreachable', 'webhook_undelivered']);
    connections[2]!.proven({});
    expect([sending(), receiving()]).toEqual([null, 'webhook_undelivered']);
    await rowIs('connected');
  });
});
