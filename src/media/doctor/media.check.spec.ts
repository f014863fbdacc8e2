import { newUuid } from '#contracts';
import { sharedPostgres, withClient } from '../../../test/support/postgres';
import { loadConfiguration } from '../../core/config/load-configuration';
import { DoctorDatabase } from '../../core/doctor/doctor-database';
import { MediaCheck } from './media.check';

describe(MediaCheck.name, () => {
  it('reports instances that do not share their files: media.not-shared', async () => {
    const url = await (await sharedPostgres()).createDatabase();
    const database = new DoctorDatabase(() => Promise.resolve(url));
    const namesWith = async (env: NodeJS.ProcessEnv) =>
      (await new MediaCheck(loadConfiguration(env), database).check()).map(({ name }) => name);
    const use = (ago: string) =>
      withClient(url, (client) =>
        client.query(`INSERT INTO media_folders (id, seen_at) VALUES ($1, now() - $2::interval)`, [newUuid(), ago]),
      );
    await use('1 second');
    await use('1 hour');
    expect(await namesWith({})).toEqual(['media']);
    await use('1 minute');
    expect(await namesWith({})).toEqual(['media.not-shared']);
    expect(await namesWith({ MEDIA_S3_URL: 'https://k:s@s3.test/bucket' })).toEqual(['media']);
    await database.close();
  });
});
