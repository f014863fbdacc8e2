import { ROOT, ScratchTree } from './scratch-tree';
import { sourceFiles } from './source-rules';
import { OWED, TABLE_OWNERS, TABLE_RULES } from './table-owners';
import { findWrites, type Writes } from './table-writes';

const FRAMEWORK = `import { Entity, type EntityManager, type Repository } from 'typeorm';
declare const TypeOrmModule: { forFeature(entities: unknown[]): void };
declare function InjectRepository(entity: unknown): ParameterDecorator;
`;

const entity = (name: string, table: string) => `${FRAMEWORK}
@Entity('${table}')
export class ${name} { id!: string; }`;

const service = (imports: string, body: string) => `${FRAMEWORK}${imports}
export class Service {
  constructor(@InjectRepository(1) private readonly rows: Repository<Row>, private readonly manager: EntityManager) {}
  async write() { ${body} }
}`;

const registering = (name: string, path: string) => `${FRAMEWORK}import { ${name} } from '${path}';
TypeOrmModule.forFeature([${name}]);`;

/** Two rooms that keep every rule, with each way to write. */
const SURROUNDINGS = {
  'src/ai/entities/reply-task.entity.ts': entity('ReplyTaskEntity', 'reply_tasks'),
  'src/ai/ai.module.ts': registering('ReplyTaskEntity', './entities/reply-task.entity'),
  'src/ai/a.ts': service(
    `import { ReplyTaskEntity as Row } from './entities/reply-task.entity';`,
    `await this.rows.update({ id: '1' }, {});
     await this.rows.createQueryBuilder().delete().where('true').execute();
     await this.manager.insert(Row, {});
     await this.manager.createQueryBuilder().update(Row).set({}).execute();`,
  ),
  'src/ai/b.ts': 'export const sql = `UPDATE reply_tasks t SET id = ${1} FROM messages FOR UPDATE OF t`;',
  'src/messages/entities/message.entity.ts': entity('MessageEntity', 'messages'),
  'src/messages/messages.module.ts': registering('MessageEntity', './entities/message.entity'),
  'src/messages/owed.ts':
    'export const sql = `INSERT INTO reply_tasks (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET id = excluded.id`;',
  'src/messages/reads.ts': service(
    `import { ReplyTaskEntity as Row } from '../ai/entities/reply-task.entity';
     const forgotten = new Set<string>();`,
    `forgotten.delete('1');
     await this.rows.findOneBy({ id: '1' });
     return this.manager.query('SELECT id FROM reply_tasks FOR UPDATE');`,
  ),
  'src/core/work/due.rows.ts': 'export const claim = (table: string) => `UPDATE ${table} SET id = 1`;',
};

const MESSAGES = `import { MessageEntity as Row } from '../messages/entities/message.entity';`;

/** What each file breaks: file → text. */
const BROKEN: Readonly<Record<string, string>> = {
  'src/webhooks/sql.ts': 'export const sql = `WITH a AS (SELECT 1) DELETE FROM messages WHERE id = ${1}`;',
  'src/webhooks/due.ts': "export const due = { table: 'messages' };",
  'src/webhooks/repository.ts': service(MESSAGES, `await this.rows.save({ id: '1' });`),
  'src/webhooks/manager.ts': service(MESSAGES, `await this.manager.delete(Row, '1');`),
  'src/webhooks/builder.ts': service(
    MESSAGES,
    'await this.manager.createQueryBuilder().insert().into(Row).values({}).execute();',
  ),
  'src/webhooks/helper.ts': service(
    `${MESSAGES} declare function deleteFirstUnlocked(rows: unknown, count: number): Promise<number>;`,
    `await deleteFirstUnlocked(this.rows.createQueryBuilder('old'), 1);`,
  ),
  'src/webhooks/retention.ts': service(
    `${MESSAGES} declare class Retention { keepDays(days: number, old: () => unknown): void }`,
    `new Retention().keepDays(1, () => this.rows.createQueryBuilder('old'));`,
  ),
  'src/messages/more.ts': "export const sql = 'UPDATE reply_tasks SET id = 1';",
  'src/ai/back.ts': "export const sql = 'INSERT INTO messages VALUES (1)';",
  'src/ai/computed.ts': 'export const sql = (table: string) => `INSERT INTO ${table} VALUES (1)`;',
  'src/ai/generic.ts': `${FRAMEWORK}export const clear = <Row extends object>(rows: Repository<Row>) => rows.delete({});`,
  'src/ai/unknown.ts': "export const sql = 'INSERT INTO nothing_known VALUES (1)';",
  'src/ai/owned.entity.ts': entity('OwnedEntity', 'owned'),
  'src/admin/usage.entity.ts': entity('UsageEntity', 'ai_usage'),
  'src/admin/usage.module.ts': registering('UsageEntity', './usage.entity'),
};

/** The faults that each rule finds in them. */
const FAULTS: Readonly<Record<string, readonly string[]>> = {
  'writes no table of another room': [
    'src/ai/back.ts:1: ai, insert messages',
    'src/messages/more.ts:1: messages, update reply_tasks',
    'src/webhooks/builder.ts:7: webhooks, insert messages',
    'src/webhooks/due.ts:1: webhooks, update messages',
    'src/webhooks/helper.ts:7: webhooks, delete messages',
    'src/webhooks/manager.ts:7: webhooks, delete messages',
    'src/webhooks/repository.ts:7: webhooks, update messages',
    'src/webhooks/retention.ts:7: webhooks, delete messages',
    'src/webhooks/sql.ts:1: webhooks, delete messages',
  ],
  'names the table that it writes': ['src/ai/computed.ts:1', 'src/ai/generic.ts:4'],
  'gives each table an owner': ['src/ai/unknown.ts:1: nothing_known has no entity', 'owned has no owner'],
  'declares an entity in the room of its owner': ['src/admin/usage.entity.ts:5'],
  'registers an entity once, in the room of its owner': ['ai_usage: src/admin/usage.module.ts:5'],
  'writes across rooms in no circle': ['ai → messages', 'messages → ai'],
};

async function writesIn(files: Record<string, string>): Promise<Writes> {
  const tree = await ScratchTree.plant(files);
  try {
    return findWrites(tree.path, Object.keys(files).toSorted());
  } finally {
    await tree.fell();
  }
}

describe('the rules for who writes which table', () => {
  it('accept files that follow them', async () => {
    const found = await writesIn(SURROUNDINGS);
    expect(found.writes.length).toBeGreaterThan(5);
    expect(Object.values(TABLE_RULES).flatMap((faultsOf) => faultsOf(found))).toEqual([]);
  });

  it('report each violation, and nothing else', async () => {
    const found = await writesIn({ ...SURROUNDINGS, ...BROKEN });
    const faults = Object.entries(TABLE_RULES).map(([rule, faultsOf]) => [rule, faultsOf(found)]);
    expect(Object.fromEntries(faults)).toEqual(FAULTS);
  });
});

describe('the source code', () => {
  let found: Writes;

  beforeAll(() => {
    const paths = [...sourceFiles(ROOT, ['src'])].map(({ path }) => path);
    found = findWrites(
      ROOT,
      paths.filter((path) => !/\.(spec|fixture)\.ts$|\/migrations\//.test(path)),
    );
  }, 60_000);

  it.each(Object.entries(TABLE_RULES))('%s', (_, faultsOf) => {
    expect(faultsOf(found)).toEqual([]);
  });

  it('has an entity for each listed table', () => {
    expect(found.entities.map(({ table }) => table).toSorted()).toEqual(Object.keys(TABLE_OWNERS));
    expect(Object.keys(OWED).filter((table) => !TABLE_OWNERS[table])).toEqual([]);
  });
});
