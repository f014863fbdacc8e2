import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sharedPostgres } from '../../../../test/support/postgres';
import { addressOf } from '../../../../test/support/tcp-proxy';
import { SignalInstance, stopSignalInstances } from '../../../../test/support/signal-instance';
import { SignalWorker } from './signal-worker';

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

  /** @param behind the server's URL */
  constructor(private readonly behind: string) {}

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const url = new URL(this.behind);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
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
    const upstream = connect(addressOf(this.behind));
    upstream.on('error', () => undefined);
    upstream.on('close', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
    socket.pipe(upstream).pipe(socket);
    this.sockets.add(socket).add(upstream);
  }
}

describe(SignalWorker.name, () => {
  let postgres: RestartingPostgres;
  let databaseUrl: string;

  const startInstance = () => SignalInstance.start({ databaseUrl });
  const reaches = (sut: SignalInstance, others: SignalInstance) => {
    const { polls } = others;
    return sut.signalUntil(() => others.polls > polls);
  };

  beforeAll(async () => {
    postgres = new RestartingPostgres(await (await sharedPostgres()).createDatabase());
    databaseUrl = await postgres.start();
  }, 60_000);

  afterEach(stopSignalInstances);

  afterAll(async () => {
    postgres.close();
  });

  it('does not storm a PostgreSQL that is starting up, and goes on when it is there', async () => {
    const [one, two] = [await startInstance(), await startInstance()];
    await reaches(one, two);
    postgres.restart();
    await sleep(3_000);
    expect(postgres.connections).toBeLessThan(30);
    postgres.recover();
    await reaches(one, two);
  });

  it('opens later when PostgreSQL was starting up at first', async () => {
    postgres.restart();
    const [one, two] = [await startInstance(), await startInstance()];
    while (postgres.connections < 2) await sleep(5);
    postgres.recover();
    await reaches(one, two);
  });
});
