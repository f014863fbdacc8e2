import { sharedPostgres, withClient } from '../../../../test/support/postgres';
import { Clock } from '../../clock/clock.service';
import { claimDeadline } from '../claim-deadline';
import { dueStatements } from './due-rows';

const { claim } = dueStatements({
  table: 'pieces',
  key: 'id',
  environment: 'environment',
  columns: 'id',
  leaseSeconds: 15,
});

describe(dueStatements.name, () => {
  it('take nothing where the database gets to a claim only after it hung', async () => {
    const clock = new Clock();
    await withClient(await (await sharedPostgres()).createDatabase(), async (client) => {
      await client.query(
        `CREATE TABLE pieces (id uuid PRIMARY KEY, environment text DEFAULT 'live', next_at timestamptz, lease_until timestamptz, fence integer, attempts integer,
  faults integer DEFAULT 0, faulted_at timestamptz)`,
      );
      // Its holder lives, but could not extend the lease.
      await client.query(
        `INSERT INTO pieces (id, next_at, lease_until, fence, attempts) VALUES (gen_random_uuid(), now(), now() - interval '1 second', 1, 1)`,
      );
      const askedAt = claimDeadline(clock);
      clock.adjust(-10_000);
      expect((await client.query(claim.text, [10, 10, claimDeadline(clock)])).rows).toEqual([]);
      expect((await client.query(claim.text, [10, 10, askedAt])).rows).toMatchObject([{ fence: 2, attempts: 2 }]);
    });
  }, 60_000);
});
