import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { ClockModule } from '../../src/core/clock/clock.module';
import { ConfigModule } from '../../src/core/config/config.module';
import { loadConfiguration } from '../../src/core/config/load-configuration';
import { Database, statement } from '../../src/core/database/database.service';
import { DatabaseModule } from '../../src/core/database/database.module';
import { ObservabilityModule } from '../../src/core/observability/observability.module';
import type { DueRow } from '../../src/core/work/due.rows';
import type { WorkKind } from '../../src/core/work/work-kind';
import { WorkModule } from '../../src/core/work/work.module';
import { Work } from '../../src/core/work/work.service';
import { TestSecretsModule } from './test-secrets';

export const PIECES = 'pieces';
/** After its process died, a piece waits this long until another instance claims it; in seconds. */
export const LEASE_SECONDS = 2;

/** The table of the work kind `pieces`. `runs` counts completed runs. */
export const CREATE_PIECES = `CREATE TABLE pieces (id uuid PRIMARY KEY, environment environment NOT NULL DEFAULT 'live',
  next_at timestamptz, lease_until timestamptz, fence integer NOT NULL DEFAULT 0, attempts integer NOT NULL DEFAULT 0,
  faults integer NOT NULL DEFAULT 0, faulted_at timestamptz, runs integer NOT NULL DEFAULT 0)`;

const FINISH = statement(
  'pieces-finish',
  'UPDATE pieces SET next_at = NULL, lease_until = NULL, runs = runs + 1 WHERE id = $1 AND fence = $2',
);

export interface Piece extends DueRow {
  id: string;
}

const running = new Set<WorkInstance>();

/** The part of a gateway instance that runs due work. */
export class WorkInstance {
  /** Ids of the pieces whose run began here, in order. */
  readonly begun: string[] = [];
  /** Each run awaits it before it finishes its piece. */
  gate: Promise<void> = Promise.resolve();
  private app!: INestApplicationContext;

  private constructor(readonly work: Work) {}

  static async start(
    databaseUrl: string,
    redisUrl?: string,
    kind: Partial<WorkKind<Piece>> = {},
  ): Promise<WorkInstance> {
    const module = await Test.createTestingModule({
      imports: [
        ConfigModule.forRoot(loadConfiguration(redisUrl === undefined ? {} : { REDIS_URL: redisUrl })),
        TestSecretsModule,
        ClockModule,
        ObservabilityModule,
        DatabaseModule.forRoot(databaseUrl),
        WorkModule,
        WorkModule.forKind(PIECES),
      ],
    }).compile();
    const instance = new WorkInstance(module.get(Work));
    const database = module.get(Database);
    instance.work.register<Piece>({
      name: PIECES,
      due: { table: 'pieces', key: 'id', environment: 'environment', columns: 'id', leaseSeconds: LEASE_SECONDS },
      concurrency: 4,
      run: async ({ id, fence }) => {
        instance.begun.push(id);
        await instance.gate;
        await database.query(FINISH, [id, fence]);
      },
      ...kind,
    });
    instance.app = await module.init();
    running.add(instance);
    return instance;
  }

  wake(id: string): void {
    this.work.wake(PIECES, 'live', id);
  }

  async stop(): Promise<void> {
    running.delete(this);
    await this.app.close();
  }
}

/** Stops the instances that a test left running. */
export async function stopWorkInstances(): Promise<void> {
  await Promise.all([...running].map((instance) => instance.stop()));
}

/** @returns the milliseconds until the fact is true, checked every 5 ms */
export async function msUntil(fact: () => boolean | Promise<boolean>): Promise<number> {
  const startedAt = performance.now();
  while (!(await fact())) await sleep(5);
  return performance.now() - startedAt;
}
