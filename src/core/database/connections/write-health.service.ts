import { Injectable } from '@nestjs/common';
import type { DatabaseError } from 'pg';
import { DataSource } from 'typeorm';
import { databaseErrorOf } from './data-fault';
import { poolOf } from './gateway-pool';

/** SQLSTATE of a refused write: read_only_sql_transaction, disk_full, io_error. */
const CANNOT_WRITE = /^(25006|53100|58030)$/;
/** A refused write counts for at least this long, in milliseconds: a probe may find room where a table finds none. */
const MEMORY_MS = 3_000;
/** How often a database that accepts writes is probed, in milliseconds. */
const PROBE_MS = 10_000;
/** 64 KiB of new pages: a small update finds room in its page even on a full disk. */
const PROBE = `CREATE TEMPORARY TABLE gateway_write_probe ON COMMIT DROP AS
  SELECT repeat('x', 1000) AS filler FROM generate_series(1, 64)`;

/** A client of the pool with pg's inner connection, which pg's types omit. */
interface Connected {
  connection: { on(event: 'errorMessage', listener: (error: DatabaseError) => void): void };
}

/**
 * Whether the database accepts writes. A failure begins when the database refuses a statement of the pool, for lack of space
 * or because it is read-only, and ends when a probe succeeds. A database that is unavailable is an outage instead.
 */
@Injectable()
export class WriteHealth {
  private refusedAt = -Infinity;
  private probedAt = -Infinity;
  private readonly resumed: (() => void)[] = [];
  isFailing = false;

  constructor(private readonly dataSource: DataSource) {
    const heard = new WeakSet<object>();
    poolOf(dataSource).on('acquire', (client) => {
      if (heard.has(client)) return;
      heard.add(client);
      // pg's types omit the connection of a client.
      (client as unknown as Connected).connection.on('errorMessage', (error) => this.note(error));
    });
  }

  /** @param handler called when the database takes writes again */
  onResumed(handler: () => void): void {
    this.resumed.push(handler);
  }

  /** Writes at most every `PROBE_MS`, and on every call while writes fail. Never rejects. */
  async probe(): Promise<void> {
    if (!this.isFailing && performance.now() - this.probedAt < PROBE_MS) return;
    this.probedAt = performance.now();
    try {
      await this.dataSource.query(PROBE);
    } catch (error) {
      // Any other refusal, such as a missing right to make temporary tables, proves nothing.
      const { code = '' } = databaseErrorOf(error) ?? {};
      if (CANNOT_WRITE.test(code) || !databaseErrorOf(error)) return;
    }
    this.recovered();
  }

  private note({ code }: DatabaseError): void {
    if (!CANNOT_WRITE.test(code ?? '')) return;
    this.refusedAt = performance.now();
    this.isFailing = true;
  }

  private recovered(): void {
    if (!this.isFailing || performance.now() - this.refusedAt < MEMORY_MS) return;
    this.isFailing = false;
    for (const handler of this.resumed) handler();
  }
}
