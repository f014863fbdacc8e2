import { Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Environment } from '#contracts';
import { Database } from '../../core/database/database.service';
import { DatabaseListener, RowsInMemory } from '../../core/database/database-listener.service';
import { ENABLED_TOOLS, type EnabledTool } from './calls/tool-call.rows';

/** Channel on which a change of a tool is announced; the payload is its environment. */
export const TOOLS_CHANGED = 'tools';

/** The tools that a model may be offered. Each answer needs them, so every instance keeps them in memory. */
@Injectable()
export class EnabledTools implements OnModuleInit, BeforeApplicationShutdown {
  private tools: readonly EnabledTool[] = [];
  private readonly memory = new RowsInMemory('tools', () => this.load());

  constructor(
    private readonly database: Database,
    private readonly listener: DatabaseListener,
  ) {}

  async onModuleInit(): Promise<void> {
    this.memory.follow(this.listener, TOOLS_CHANGED);
    await this.memory.read();
  }

  beforeApplicationShutdown(): void {
    this.memory.stop();
  }

  /** By name. @param names of those that may be called; null: all */
  of(environment: Environment, names: readonly string[] | null): EnabledTool[] {
    return this.tools.filter(
      (tool) => tool.environment === environment && (names === null || names.includes(tool.name)),
    );
  }

  /** After a change by this instance; the others read within a second. */
  reread(): Promise<void> {
    return this.memory.read();
  }

  private async load(): Promise<void> {
    this.tools = await this.database.query<EnabledTool & Record<string, unknown>>(ENABLED_TOOLS, []);
  }
}
