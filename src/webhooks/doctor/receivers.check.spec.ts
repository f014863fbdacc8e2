import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Logger } from '@nestjs/common';
import { newUuid } from '#contracts';
import {
  makeCertificates,
  type Certificate,
  type Certificates,
} from '../../../test/fakes/hostile-receiver-certificates';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../../test/fakes/receiver.fake';
import { sharedPostgres, withClient } from '../../../test/support/postgres';
import { loadConfiguration } from '../../core/config/load-configuration';
import { DoctorDatabase } from '../../core/doctor/doctor-database';
import { AddressGuard } from '../../core/egress/address-guard.service';
import { ReceiversCheck } from './receivers.check';

describe(ReceiversCheck.name, () => {
  const receiver = new ReceiverFake();
  const servers: Server[] = [];
  let certificates: Certificates;
  let url: string;
  let database: DoctorDatabase;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    url = await (await sharedPostgres()).createDatabase();
    certificates = await makeCertificates();
    await receiver.start();
  });
  beforeEach(() => {
    database = new DoctorDatabase(() => Promise.resolve(url));
  });
  afterEach(async () => {
    await withClient(url, (client) => client.query('DELETE FROM webhooks'));
    await database.close();
  });
  afterAll(async () => {
    for (const server of servers) server.close();
  });

  const webhook = (receiverUrl: string, status = 'active', environment = 'live') =>
    withClient(url, (client) =>
      client.query(
        `INSERT INTO webhooks (id, environment, url, events, status, secret, created_at, updated_at)
         VALUES ($1, $2, $3, '{*}', $4, '', now(), now())`,
        [newUuid(), environment, receiverUrl, status],
      ),
    );
  const https = async (certificate: Certificate): Promise<string> => {
    const server = createServer({ key: certificate.key, cert: certificate.cert }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=hush`;
  };
  /** The lines as a person reads them. */
  const check = async (env: NodeJS.ProcessEnv = LOCAL_RECEIVERS): Promise<string[]> => {
    const found = await new ReceiversCheck(loadConfiguration(env), database).check();
    return found.map(({ name, message }) => `${name}: ${message}`);
  };

  it('connects to every receiver, and posts nothing', async () => {
    expect(await check()).toEqual(['receivers: there is no live webhook']);
    await webhook(receiver.url('/a'));
    await webhook(receiver.url('/b'));
    await webhook('http://127.0.0.1:9', 'active', 'test');
    expect(await check()).toEqual(['receivers: all 2 can be reached']);
    expect(receiver.posts).toEqual([]);
  });

  it('reports an unreachable receiver, without showing its path', async () => {
    await webhook('http://127.0.0.1:9/hook?token=hush');
    expect(await check()).toEqual([
      expect.stringMatching(/^receivers\.unreachable: wh_\w+ at 127\.0\.0\.1:9: connect ECONNREFUSED 127\.0\.0\.1:9$/),
    ]);
  });

  it('reports a receiver whose address is not allowed', async () => {
    await webhook('https://127.0.0.1/hook');
    expect(await check({})).toEqual([
      expect.stringMatching(/^receivers\.not-allowed: wh_\w+ at 127\.0\.0\.1: address not allowed$/),
    ]);
  });

  it('reports a receiver with http:// and names WEBHOOK_ALLOW_HTTP', async () => {
    await webhook('http://receiver.test/hook');
    const [found] = await new ReceiversCheck(loadConfiguration({}), database).check();
    expect(found).toMatchObject({
      name: 'receivers.not-allowed',
      message: expect.stringMatching(/must begin with https:\/\/$/),
      fix: expect.stringContaining('WEBHOOK_ALLOW_HTTP=true'),
    });
  });

  it('reports a receiver whose name now leads to an address that is not allowed', async () => {
    await webhook('https://rebinding.test/hook');
    const answers = ['8.8.8.8', '127.0.0.1'];
    const guard = new AddressGuard(loadConfiguration({}).webhooks);
    guard.resolve = (_name, _options, callback) => callback(null, [{ address: answers.shift()!, family: 4 }]);
    const [found] = await new ReceiversCheck(loadConfiguration({}), database, guard).check();
    expect([answers, found]).toMatchObject([[], { name: 'receivers.not-allowed' }]);
  });

  it('connects to the receivers of failed webhooks too, and skips disabled ones', async () => {
    await webhook(receiver.url('/a'), 'failed');
    await webhook('http://127.0.0.1:9/b', 'disabled');
    expect(await check()).toEqual(['receivers: all 1 can be reached']);
  });

  it('reports invalid certificates', async () => {
    const usual = getCACertificates();
    setDefaultCACertificates([...usual, certificates.authority]);
    try {
      await webhook(await https(certificates.good));
      await webhook(await https(certificates.expired));
      await webhook(await https(certificates.selfSigned));
      await webhook(receiver.url('/').replace('http:', 'https:'));
      const lines = await check();
      expect(lines).toEqual([
        expect.stringMatching(/^receivers\.unreachable: wh_\w+ at 127\.0\.0\.1:\d+: certificate has expired$/),
        expect.stringMatching(/^receivers\.unreachable: wh_\w+ at 127\.0\.0\.1:\d+: self-signed certificate$/),
        expect.stringMatching(/^receivers\.unreachable: wh_\w+ at 127\.0\.0\.1:\d+: .*wrong version number/),
      ]);
      expect(lines.join()).not.toContain('hush');
    } finally {
      setDefaultCACertificates(usual);
    }
  });
});
