import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sharedPostgres, stopSharedPostgres } from '../../../test/support/postgres';
import { SignalJobs } from './signal-jobs';

/** What PostgreSQL answers until its recovery is done: SQLSTATE 57P03, and the connection ends. */
function startingUp(): Buffer {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0');
  const header = Buffer.alloc(5);
  header.write('E');
  header.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([header, fields]);
}

/** Stands before a PostgreSQL that can be made to restart. */
class RestartingPostgres {
  /** Connections since the restart began. */
  connections = 0;
  private restarting = false;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server = createServer((socket) => this.accept(socket));

  constructor(private readonly url: URL) {}

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const url = new URL(this.url);
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  restart(): void {
    this.restarting = true;
    this.connections = 0;
    for (const socket of this.sockets) socket.destroy();
    this.sockets.clear();
  }

  recover(): void {
    this.restarting = false;
  }

  close(): void {
    this.restart();
    this.server.close();
  }

  private accept(socket: Socket): void {
    this.connections++;
    socket.on('error', () => undefined); // cut by the test
    if (this.restarting) {
      socket.once('data', () => socket.end(startingUp()));
      return;
    }
    const upstream = connect(Number(this.url.port), this.url.hostname);
    upstream.on('error', () => undefined);
    upstream.on('close', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
    socket.pipe(upstream).pipe(socket);
    this.sockets.add(socket).add(upstream);
  }
}

describe(SignalJobs.name, () => {
  let postgres: RestartingPostgres;
  let url: string;
  const seen = { signals: 0 };
  const instances: SignalJobs[] = [];

  function startInstance(): SignalJobs {
    const sut = new SignalJobs({ databaseUrl: url }, () => seen.signals++);
    sut.open();
    instances.push(sut);
    return sut;
  }

  async function publishUntilWoken(sut: SignalJobs): Promise<void> {
    const { signals } = seen;
    while (seen.signals === signals) {
      await sut.publish('dispatch');
      await sleep(20);
    }
  }

  beforeAll(async () => {
    postgres = new RestartingPostgres(new URL(await (await sharedPostgres()).createDatabase()));
    url = await postgres.start();
  }, 60_000);

  afterAll(async () => {
    await Promise.all(instances.map((sut) => sut.close()));
    postgres.close();
    await stopSharedPostgres();
  });

  it('does not storm a PostgreSQL that is starting up, and goes on when it is there', async () => {
    const sut = startInstance();
    startInstance();
    await publishUntilWoken(sut);
    postgres.restart();
    await sleep(3_000);
    expect(postgres.connections).toBeLessThan(30);
    postgres.recover();
    await publishUntilWoken(sut);
  });

  it('opens later when PostgreSQL was starting up at first', async () => {
    postgres.restart();
    const [sut] = [startInstance(), startInstance()];
    while (postgres.connections < 2) await sleep(5);
    postgres.recover();
    await publishUntilWoken(sut);
  });
});
