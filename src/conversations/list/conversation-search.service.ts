import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { lockForTransaction } from '../../core/database/advisory-locks';
import { CREATE_INDEX, CREATE_TRIGRAMS, HAS_INDEX } from './conversation-term.rows';

/** Shorter texts have no trigram of their own: they match beginnings. */
const SHORTEST_ANYWHERE = 3;

/** How `q` finds conversations: anywhere in a name where the database has pg_trgm, else at its beginning. */
@Injectable()
export class ConversationSearch implements OnModuleInit {
  private readonly logger = new Logger(ConversationSearch.name);
  private isAnywhere = false;

  constructor(private readonly dataSource: DataSource) {}

  async onModuleInit(): Promise<void> {
    try {
      this.isAnywhere = (await this.isIndexed()) || (await this.createIndex());
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.logger.warn(`The conversation search matches only beginnings: pg_trgm cannot be created (${reason})`);
    }
  }

  /** The pattern of LIKE for a text; `fold_text` folds both sides. */
  patternOf(text: string): string {
    const literal = text.replaceAll(/[\\%_]/g, String.raw`\$&`);
    return this.isAnywhere && [...text].length >= SHORTEST_ANYWHERE ? `%${literal}%` : `${literal}%`;
  }

  private async isIndexed(): Promise<boolean> {
    const [row] = await this.dataSource.query<{ isThere: boolean }[]>(HAS_INDEX);
    return row!.isThere;
  }

  private async createIndex(): Promise<true> {
    await this.dataSource.transaction(async (manager) => {
      await lockForTransaction(manager, 'conversationSearch');
      await manager.query(CREATE_TRIGRAMS);
      await manager.query(CREATE_INDEX);
    });
    return true;
  }
}
