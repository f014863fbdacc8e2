import { Database } from '../../../src/core/database/database.service';
import { READ_USAGE } from '../../../src/media/media-file.rows';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';
import { sha256 } from '../../support/media';
import { png } from '../../support/png';

const STRANGER = 500;
const OTHER = 501;
const GROUP = { id: -1_500, type: 'group', title: 'Group' };
const FILE_BYTES = 10_000;
/** Room for ten files of a person. */
const QUOTA_BYTES = 100 * FILE_BYTES;
const FILES = 40;

const telegram = new TelegramFake();
const gateway = useGateway({ telegram });
let files = 0;

/** A person sends a picture that no one has sent before. */
function photo(person: number, content: object = {}, bytes = png((files += 1), 1, FILE_BYTES)): Buffer {
  const file = { file_id: telegram.addFile(bytes), file_unique_id: sha256(bytes), width: 1, height: 1 };
  telegram.receiveContent(person, { photo: [{ ...file, file_size: bytes.length }], ...content });
  return bytes;
}

/** How many files ended in each way, once all have. */
function outcomes(of: number): Promise<Record<string, number>> {
  return eventually(`the downloads of ${of} files have ended`, async () => {
    const rows = await gateway.sql<{ outcome: string }>(
      `SELECT concat_ws(' ', status, reason) AS outcome FROM attachments WHERE status <> 'pending'`,
    );
    expect(rows).toHaveLength(of);
    const groups = Map.groupBy(rows, ({ outcome }) => outcome);
    return Object.fromEntries([...groups].map(([outcome, { length }]) => [outcome, length]));
  });
}

const heldBy = async () =>
  (
    await gateway.sql<{ person: string | null; bytes: number }>(
      'SELECT person, sum(size_bytes)::float8 AS bytes FROM media_files GROUP BY person ORDER BY bytes DESC',
    )
  ).map(({ person, bytes }) => [person === null, bytes]);

describe('One person', () => {
  beforeAll(async () => {
    const media = { quota_bytes: QUOTA_BYTES };
    expect((await gateway.api('PATCH', '/admin/settings', { media })).status).toBe(200);
  });

  it('may fill a tenth of the media quota, also with simultaneous files, without affecting others', async () => {
    for (let index = 0; index < FILES; index += 1) photo(STRANGER);
    expect(await outcomes(FILES)).toEqual({ stored: 10, 'failed quota': FILES - 10 });
    photo(OTHER);
    expect(await outcomes(FILES + 1)).toEqual({ stored: 11, 'failed quota': FILES - 10 });
    expect(await heldBy()).toEqual([
      [false, QUOTA_BYTES / 10],
      [false, FILE_BYTES],
    ]);
  });

  it('has the same share in a group, where others have their own', async () => {
    photo(STRANGER, { chat: GROUP });
    photo(OTHER, { chat: GROUP });
    expect(await outcomes(FILES + 3)).toEqual({ stored: 12, 'failed quota': FILES - 9 });
  });

  it('loses it with an erasure, even if another person sent the same bytes', async () => {
    const bytes = photo(OTHER);
    await outcomes(FILES + 4);
    photo(OTHER + 1, {}, bytes);
    await outcomes(FILES + 5);
    const { body } = await gateway.api<{ id: string }[]>('GET', `/conversations?q=${OTHER}`);
    const [conversation] = body.data;
    // Files that came within the last 30 seconds would delay the erasure.
    await gateway.sql(`UPDATE media_files SET touched_at = now() - interval '1 minute'`);
    await gateway.api('DELETE', `/conversations/${conversation!.id}`);
    await eventually('the bytes that stay count for no person', async () => {
      const rows = await gateway.sql('SELECT person FROM media_files WHERE sha256 = $1', [sha256(bytes)]);
      expect(rows).toEqual([{ person: null }]);
    });
  });

  it('with 100,000 files needs less than 100 ms for another', async () => {
    await gateway.sql(
      `INSERT INTO media_files (environment, sha256, size_bytes, touched_at, person)
       SELECT 'live', 'x' || n, 1, now(), 'person:x' FROM generate_series(1, 100000) n`,
    );
    const times = [];
    for (let index = 0; index < 5; index += 1) {
      const startedAt = performance.now();
      const [usage] = await gateway.app.get(Database).query(READ_USAGE, ['live', 'person:x']);
      times.push(performance.now() - startedAt);
      expect(usage).toMatchObject({ ofPerson: 100_000 });
    }
    process.stderr.write(`sum of 100,000 files: ${times.map((ms) => ms.toFixed(1)).join(', ')} ms\n`);
    expect(Math.min(...times)).toBeLessThan(100);
  });
});
