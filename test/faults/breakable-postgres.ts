import { TestPostgres, withClient } from '../support/postgres';
import { TcpProxy } from '../support/tcp-proxy';

/** A PostgreSQL of its own, to be broken; it is always found at the same address. */
export class BreakablePostgres {
  private constructor(
    private readonly server: TestPostgres,
    private readonly proxy: TcpProxy,
  ) {}

  static async start(): Promise<BreakablePostgres> {
    const server = await TestPostgres.start();
    return new BreakablePostgres(server, await new TcpProxy(await server.createDatabase()).open());
  }

  get url(): string {
    return this.proxy.url;
  }

  /** An immediate shutdown; connections are refused from then on. */
  async crash(): Promise<void> {
    await this.server.crash();
    await this.proxy.cut();
  }

  async restart(): Promise<void> {
    await this.server.restart();
    this.proxy.follow(this.server.url);
    await this.proxy.open();
  }

  /** Connections are taken, and nothing is answered. */
  freeze(): Promise<void> {
    return this.server.pause();
  }

  /** Goes on where it was: the server now does what any client asked meanwhile. */
  thaw(): Promise<void> {
    return this.server.resume();
  }

  /** As after a failover to a standby that is not promoted yet: connections break, then reads go on and writes are refused. */
  async refuseWrites(refuse: boolean): Promise<void> {
    await withClient(this.url, async (client) => {
      await client.query('SET default_transaction_read_only = off');
      await client.query(`ALTER DATABASE ${client.database} SET default_transaction_read_only = ${refuse}`);
      await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()`,
      );
    });
  }

  async stop(): Promise<void> {
    await this.proxy.cut();
    await this.server.stop();
  }
}
