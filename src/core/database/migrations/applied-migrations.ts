interface Client {
  query(text: string): Promise<unknown>;
}

export interface MigrationsTable {
  name: 'migrations' | 'applied_migrations';
  /** Whether the schema is finished: `migrations` is a view then, which refuses older versions. */
  isFinished: boolean;
}

/** The table of the applied migrations; it is missing from an empty database. */
export async function migrationsTable(client: Client): Promise<MigrationsTable> {
  const [row] = await rowsOf<{ finished: boolean }>(
    client,
    `SELECT to_regclass('applied_migrations') IS NOT NULL AS finished`,
  );
  const { finished: isFinished } = row!;
  return { name: isFinished ? 'applied_migrations' : 'migrations', isFinished };
}

/** The names of the applied migrations, in order; none in an empty database. */
export async function appliedNames(client: Client): Promise<string[]> {
  const { name } = await migrationsTable(client);
  const [table] = await rowsOf<{ exists: boolean }>(client, `SELECT to_regclass('${name}') IS NOT NULL AS exists`);
  if (!table!.exists) return [];
  return (await rowsOf<{ name: string }>(client, `SELECT name FROM ${name} ORDER BY id`)).map((row) => row.name);
}

/** TypeORM resolves with the rows, pg with a result that holds them. */
async function rowsOf<Row>(client: Client, text: string): Promise<Row[]> {
  const result = (await client.query(text)) as Row[] | { rows: Row[] };
  return Array.isArray(result) ? result : result.rows;
}
