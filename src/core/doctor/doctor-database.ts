import { Client, type QueryResultRow } from 'pg';
import { NotCheckable } from '#contracts';
import { Semaphore } from '#http-client';

/** Timeout of connecting and of each statement, in milliseconds. */
const TIMEOUT_MS = 5_000;

/** DATABASE_URL is unset, and DATA_DIR has no database: the first start of the gateway makes it. */
export class DatabaseNotMade extends Error {}

/** One connection to the database, which the checks share. It is opened when the first check needs it. */
export class DoctorDatabase {
  private connecting?: Promise<Client>;
  /** A connection runs one statement at a time, and a later version of pg will no longer queue statements. */
  private readonly turns = new Semaphore(1);

  /** @param address finds the URL of the database; rejects with the reason if it has none */
  constructor(private readonly address: () => Promise<string>) {}

  /** @throws as `address` and pg do */
  async connect(): Promise<Client> {
    this.connecting ??= this.address().then(connect);
    return this.connecting;
  }

  /** Keeps the connection for several statements. @throws as {@link connect} and pg do */
  async use<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = await this.connect();
    return this.turns.run(() => work(client));
  }

  /** @throws NotCheckable without a database; the check of the database reports why */
  async query<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = await this.connect().catch((error: unknown) => {
      if (error instanceof DatabaseNotMade) throw new NotCheckable('there is no database yet', true);
      throw new NotCheckable('not checked, because the database cannot be reached');
    });
    const { rows } = await this.turns
      .run(() => client.query<Row>(text, values))
      .catch((error: unknown) => {
        // The schema is missing, or of another version.
        if (['42P01', '42703'].includes((error as { code: string }).code))
          throw new NotCheckable('the database is not migrated yet', true);
        throw error;
      });
    return rows;
  }

  async close(): Promise<void> {
    const client = await this.connecting?.catch(() => undefined);
    await client?.end().catch(() => undefined);
  }
}

/** @throws pg's error */
export async function connect(connectionString: string): Promise<Client> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    application_name: 'messaging-gateway doctor',
  });
  // A connection that breaks fails its statement as well; without a listener it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
