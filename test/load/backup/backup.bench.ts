import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { fileSource } from '../../../src/operations/backups/archive/backup-source';
import type { BackupDto } from '../../../src/operations/backups/backup.dto';
import { restoreBackup } from '../../../src/operations/backups/restore';
import { generateKey } from '../../../src/api-keys/key-format';
import { loadConfiguration } from '../../../src/core/config/load-configuration';
import { liftLimits } from '../bench-database';
import type { Bench, Contender } from '../bench.port';
import type { ChildServer } from '../child-server';
import { closedLoop } from '../load';
import { startGatewayServer } from '../gateway-server';
import { apiRequest, callGateway } from '../api-request';
import { median } from '../statistics';
import { withClient, type Stage } from '../stage';
import { undisturbed } from '../undisturbed';
import { fullDatabase } from './backup-database';
import { checksumsOf } from './checksums';
import { idleMemory, withPeakMemory } from './peak-memory';
import { pgDump } from './pg-dump';

const run = promisify(execFile);
const COMMAND = join(__dirname, '../../../bundle/cli.js');

/** BACKUP_MESSAGES sets a smaller number for a quick run. */
const MESSAGES = Number(process.env['BACKUP_MESSAGES'] ?? 1_000_000);
/** Backup and dump take turns, so that other load on the machine affects both. */
const ROUNDS = 3;
const SENDS = { connections: 32, rounds: 7, seconds: 4, warmUpSeconds: 8 };
const GOALS = { memoryMb: 130, lostSends: 0.3, timeRatio: 1.5 };
const POLL_MS = 50;

/** The database session of a backup that is copying a table. */
const COPYING = `
  SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'messaging-gateway backup' AND query LIKE 'COPY %'`;

/** Measures the cost of backups of a gateway with a million messages. */
class BackupBench {
  private readonly key = generateKey('live');
  private readonly directory: string;
  private readonly dataDir: string;
  private sendKey = '';

  private constructor(
    private readonly stage: Stage,
    private readonly url: string,
  ) {
    this.directory = join(stage.directory, 'backups');
    this.dataDir = join(stage.directory, 'gateway');
  }

  static async run(stage: Stage): Promise<void> {
    const start = performance.now();
    const bench = new BackupBench(stage, await fullDatabase(stage, MESSAGES));
    console.log(`${MESSAGES.toLocaleString('en')} messages stored with all around them in ${secondsSince(start)} s`);
    const gateway = await startGatewayServer(stage, 'gateway', bench.url, {
      BOOTSTRAP_API_KEY: bench.key,
      BACKUP_DIR: bench.directory,
      BACKUP_KEEP: '1',
    });
    bench.sendKey = await bench.createSendKey(gateway);
    await bench.compareWithDump(gateway);
    await bench.compareSends(gateway);
    await gateway.stop();
    await bench.assertRestoredEqual(await bench.backUpAlone());
  }

  /** A test key: the sandbox handles its sends. */
  private async createSendKey({ origin }: ChildServer): Promise<string> {
    const body = { name: 'Sends', scopes: ['write:messages'], environment: 'test', rate_limit: null };
    const { key } = await callGateway<{ key: string }>(origin, this.key, 'POST', '/admin/api-keys', body);
    await liftLimits(this.url);
    return key;
  }

  /** Compares the time of a backup with `pg_dump | zstd`, and measures the gateway's memory during a backup. */
  private async compareWithDump(gateway: ChildServer): Promise<void> {
    console.log(`\nBackup and pg_dump | zstd of the same database in turn, ${ROUNDS} rounds, no other work`);
    const ratios: number[] = [];
    const above: number[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const idle = await idleMemory(gateway.pid, 3);
      const { result: backup, peak } = await withPeakMemory(gateway.pid, () => this.backUp(gateway));
      const seconds = (Date.parse(backup.finished_at!) - Date.parse(backup.started_at)) / 1_000;
      const path = join(this.stage.directory, 'dump.sql.zst');
      const dump = await pgDump(this.url, path);
      await rm(path, { force: true });
      above.push(peak - idle);
      if (dump) ratios.push(seconds / dump.seconds);
      const beside = dump
        ? `pg_dump | zstd ${dump.seconds.toFixed(1)} s (${inMb(dump.bytes)} MB), ratio ${ratios.at(-1)!.toFixed(2)}`
        : 'no pg_dump of PostgreSQL 15 and zstd here';
      console.log(
        `  round ${round}: backup ${seconds.toFixed(1)} s (${backup.rows} rows, ${inMb(backup.size_bytes!)} MB), ${beside}; memory ${idle.toFixed(0)} → ${peak.toFixed(0)} MB`,
      );
    }
    const most = Math.max(...above);
    tell('memory above idle', `${most.toFixed(1)} MB`, `at most ${GOALS.memoryMb} MB`, most <= GOALS.memoryMb);
    if (ratios.length === 0) return;
    const ratio = median(ratios);
    const goal = `at most ${GOALS.timeRatio}`;
    tell('median ratio of the times', ratio.toFixed(2), goal, ratio <= GOALS.timeRatio);
  }

  /** Compares the rate of sends in a closed loop with and without a concurrent backup. */
  private async compareSends(gateway: ChildServer): Promise<void> {
    const { connections, rounds, seconds, warmUpSeconds } = SENDS;
    console.log(`\nSends without and beside a backup, ${connections} connections, ${rounds} rounds of ${seconds} s`);
    const sender = this.sender(gateway);
    await closedLoop(sender, connections, warmUpSeconds);
    const ratios: number[] = [];
    const without = () => undisturbed(() => closedLoop(sender, connections, seconds));
    const beside = () => this.besideBackup(gateway, without);
    for (let round = 1; round <= rounds; round++) {
      // The order alternates between rounds.
      const first = round % 2 === 1 ? await without() : await beside();
      const second = round % 2 === 1 ? await beside() : await without();
      const [alone, shared] = round % 2 === 1 ? [first, second] : [second, first];
      ratios.push(shared / alone);
      console.log(
        `  round ${round}: without ${alone.toFixed(0)}/s, beside ${shared.toFixed(0)}/s, ratio ${(shared / alone).toFixed(2)}`,
      );
    }
    const lost = 1 - median(ratios);
    const goal = `at most ${GOALS.lostSends * 100} %`;
    tell('median loss of sends', `${(lost * 100).toFixed(1)} %`, goal, lost <= GOALS.lostSends);
  }

  /** @throws if the backup ends before the work, because part of the work was then measured without it */
  private async besideBackup<T>(gateway: ChildServer, work: () => Promise<T>): Promise<T> {
    const { id } = await this.startBackup(gateway);
    return withClient(this.url, async (client) => {
      while ((await client.query(COPYING)).rowCount === 0) await sleep(POLL_MS);
      const result = await work();
      const ended = await client.query(`SELECT pg_terminate_backend(pid) FROM (${COPYING}) session`);
      if (ended.rowCount === 0) throw new Error('The backup ended before the sends: BACKUP_MESSAGES must be greater');
      await this.ended(gateway, id);
      return result;
    });
  }

  private sender({ origin }: ChildServer): Contender {
    return {
      name: 'gateway',
      origin,
      request: () => {
        const recipient = `recipient-${randomInt(1_000)}`;
        const body = { platform: 'telegram', recipient, message: 'Your order has been shipped.' };
        return apiRequest(this.sendKey, 'POST', '/messages/send', body);
      },
      settled: () => Promise.resolve(),
    };
  }

  /** @throws if the restored tables differ from the source at the time of the backup */
  private async assertRestoredEqual(backup: BackupDto): Promise<void> {
    const path = join(
      this.directory,
      (await readdir(this.directory)).find((name) => name.includes(backup.id))!,
    );
    // The backup stored these rows after its snapshot.
    await withClient(this.url, async (client) => {
      await client.query('DELETE FROM backups WHERE started_at >= $1', [backup.started_at]);
      await client.query(`DELETE FROM events WHERE type = 'backup.completed' AND strpos(body, $1) > 0`, [backup.id]);
    });
    const restored = await this.stage.emptyDatabase('restored');
    const configuration = loadConfiguration({ DATA_DIR: this.dataDir, DATABASE_URL: restored });
    const log = { info: () => undefined, warn: console.warn };
    const start = performance.now();
    const { manifest } = await restoreBackup(configuration, { url: restored, source: fileSource(path), log }, []);
    console.log(`\n${manifest.rows} rows restored in ${secondsSince(start)} s`);
    const [expected, actual] = [
      await checksumsOf(this.url, manifest.tables),
      await checksumsOf(restored, manifest.tables),
    ];
    const differing = [...expected].filter(([name, sum]) => actual.get(name) !== sum).map(([name]) => name);
    if (differing.length > 0) throw new Error(`Not restored equal: ${differing.join(', ')}`);
    const figure = `${expected.size} of ${expected.size} tables, by SHA-256 of their ordered rows`;
    tell('restored equal', figure, 'all', true);
  }

  private async backUp(gateway: ChildServer): Promise<BackupDto> {
    const { id } = await this.startBackup(gateway);
    const backup = await this.ended(gateway, id);
    if (backup.status !== 'completed') throw new Error(`The backup failed: ${backup.error}`);
    return backup;
  }

  /** Makes a backup with the CLI, while no gateway changes the database. */
  private async backUpAlone(): Promise<BackupDto> {
    const env = { DATABASE_URL: this.url, DATA_DIR: this.dataDir, BACKUP_DIR: this.directory };
    // Otherwise rotation would change the records of earlier backups after this backup's snapshot.
    await withClient(this.url, (client) => client.query('UPDATE backups SET file = NULL'));
    const { stdout } = await run(process.execPath, [COMMAND, 'backup', 'create', '--json'], { env });
    return JSON.parse(stdout) as BackupDto;
  }

  private startBackup({ origin }: ChildServer): Promise<BackupDto> {
    return callGateway<BackupDto>(origin, this.key, 'POST', '/admin/backups');
  }

  private async ended({ origin }: ChildServer, id: string): Promise<BackupDto> {
    for (;;) {
      const backup = await callGateway<BackupDto>(origin, this.key, 'GET', `/admin/backups/${id}`);
      if (backup.status !== 'running') return backup;
      await sleep(POLL_MS);
    }
  }
}

function tell(what: string, figure: string, goal: string, met: boolean): void {
  console.log(`  ${what}: ${figure} (goal ${goal}: ${met ? 'met' : 'MISSED'})`);
}

function inMb(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}

function secondsSince(start: number): string {
  return ((performance.now() - start) / 1_000).toFixed(0);
}

export const BACKUP: Bench = {
  description:
    'a backup of a million messages: restored equal, its memory, sends beside it, its time beside pg_dump | zstd',
  run: (stage) => BackupBench.run(stage),
};
