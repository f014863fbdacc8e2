import { Injectable } from '@nestjs/common';
import { toPublicId, type ShownAccount } from '#contracts';
import { Accounts } from '../../../accounts/accounts.service';
import { Database } from '../../../core/database/database.service';
import type { WorkPlace } from '../../../core/work/work-places';
import type { AiAnswer } from '../../ai-call';
import type { ReplyContext } from '../../assistant/reply-context.service';
import { LeaseLostError, type ReplyTask } from '../../assistant/reply-tasks.service';
import { subjectOf } from '../../call-range';
import { callRows, type CallOrigin } from '../calls/tool-call.rows';
import type { CalledFrom } from '../calls/tool-client.service';
import type { AnswerTurn } from './answer-turn.port';
import { IS_WANTED, STORE_ROUND, STORED_CALLS, type StoredCallRow } from './reply-round.rows';
import type { Round } from './round';
import { ToolRounds } from './tool-rounds.service';

interface TaskRow extends Record<string, unknown> {
  is_assistants: boolean;
}

/** The rounds of an answer to a person. They are stored, so that an answer that is tried again continues from them. */
@Injectable()
export class ReplyRounds {
  constructor(
    private readonly database: Database,
    private readonly accounts: Accounts,
    private readonly tools: ToolRounds,
  ) {}

  /** As `ToolRounds.complete`. */
  async complete(task: ReplyTask, context: ReplyContext, place: WorkPlace, signal: AbortSignal) {
    const { environment, conversation_id: conversationId } = task;
    const turn: AnswerTurn = {
      environment,
      toolNames: this.accounts.settingsOf(context).ai?.tools,
      from: calledFrom(task, context, this.accounts.shown(context)),
      subject: subjectOf(conversationId, context.range),
      rounds: task.called_for === null ? [] : await this.stored(task),
      store: (answer, round) => this.store(task, context, answer, round),
      isWanted: () => this.isWanted(task, context),
      leave: (work) => place.leave(work),
    };
    return this.tools.complete(context.call, turn, signal);
  }

  private async stored({ conversation_id, answered_seq }: ReplyTask): Promise<Round[]> {
    const rows = await this.database.query<StoredCallRow>(STORED_CALLS, [conversation_id, answered_seq + 1]);
    const rounds = new Map<number, Round>();
    for (const { round: number, said, tool_id: toolId, ...call } of rows) {
      const round = rounds.get(number) ?? { number, said, calls: [] };
      rounds.set(number, round);
      const { id, name, arguments: given, status, ms, result, error } = call;
      round.calls.push({ id, toolId, name, arguments: given, status, ms, result, error });
    }
    return [...rounds.values()];
  }

  private async store(task: ReplyTask, context: ReplyContext, answer: AiAnswer, round: Round): Promise<boolean> {
    const { environment, conversation_id } = task;
    const { lastMessageId: message_id } = context.range;
    const origin: CallOrigin = {
      environment,
      conversation_id,
      message_id,
      answers_from: task.answered_seq + 1,
      answers_to: task.requested_seq,
    };
    const values = [conversation_id, task.fence, context.handlingSeq, ...answer.billRows(), callRows(round, origin)];
    return isAssistants(await this.database.query<TaskRow>(STORE_ROUND, values));
  }

  private async isWanted({ conversation_id, fence }: ReplyTask, { handlingSeq }: ReplyContext): Promise<boolean> {
    return isAssistants(await this.database.query<TaskRow>(IS_WANTED, [conversation_id, fence, handlingSeq]));
  }
}

/** @throws LeaseLostError, also after an erasure */
function isAssistants([task]: TaskRow[]): boolean {
  if (!task) throw new LeaseLostError('another instance has the reply');
  return task.is_assistants;
}

function calledFrom(
  { conversation_id }: ReplyTask,
  { platform, participantId, participantName, participantUsername, range }: ReplyContext,
  account: ShownAccount,
): CalledFrom {
  return {
    conversation: { id: toPublicId('conversation', conversation_id), platform, account },
    participant: { id: participantId, name: participantName, username: participantUsername },
    message_id: toPublicId('message', range.lastMessageId),
  };
}
