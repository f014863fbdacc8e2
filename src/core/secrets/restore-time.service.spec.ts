import type { Repository } from 'typeorm';
import type { DeploymentEntity } from './deployment.entity';
import { RestoreTime } from './restore-time.service';

describe(RestoreTime, () => {
  it.each([
    ['2026-11-23T10:00:00.900Z', '2026-11-23T09:59:59Z', true],
    // A platform that reports whole seconds gives this time for a message 50 ms after the restore.
    ['2026-11-23T10:00:00.900Z', '2026-11-23T10:00:00Z', false],
    [undefined, '1970-01-01T00:00:00Z', false],
  ])('with a restore at %s dates a message of %s as older: %s', async (value, sentAt, expected) => {
    const rows = { findOneBy: async () => (value === undefined ? null : { value }) };
    const restore = new RestoreTime(rows as unknown as Repository<DeploymentEntity>);
    await restore.onModuleInit();
    expect(restore.isFromBefore(new Date(sentAt))).toBe(expected);
  });
});
