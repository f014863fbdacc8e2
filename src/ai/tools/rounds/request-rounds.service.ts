import { Injectable } from '@nestjs/common';
import type { Environment } from '#contracts';
import { Database } from '../../../core/database/database.service';
import { callRows, STORE_CALLS } from '../calls/tool-call.rows';
import { FROM_NOWHERE } from '../calls/tool-client.service';
import type { AiCompletion } from '../../provider/ai-provider.port';
import type { AnswerTurn } from './answer-turn.port';

/** The turn, and what the model was asked in it before the answer. */
export interface RequestTurn extends AnswerTurn {
  earlier: AiCompletion[];
}

/** The rounds of `POST /ai/generate`. They belong to no conversation. */
@Injectable()
export class RequestRounds {
  constructor(private readonly database: Database) {}

  turnOf(environment: Environment): RequestTurn {
    const earlier: AiCompletion[] = [];
    return {
      earlier,
      environment,
      from: FROM_NOWHERE,
      subject: undefined,
      rounds: [],
      store: async (answer, round) => {
        await answer.record();
        earlier.push(answer.completion);
        await this.database.query(STORE_CALLS, [callRows(round, { environment })]);
        return true;
      },
      isWanted: () => Promise.resolve(true),
      leave: (work) => work(),
    };
  }
}
