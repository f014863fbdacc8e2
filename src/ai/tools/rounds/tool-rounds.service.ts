import { Injectable } from '@nestjs/common';
import { newUuid, toPublicId } from '#contracts';
import { Clock } from '../../../core/clock/clock.service';
import { Database } from '../../../core/database/database.service';
import { DomainEvents } from '../../../core/events/domain-events.service';
import { eventRows } from '../../../core/events/event.rows';
import { isObject } from '../../../core/settings/json-object';
import { SettingsService } from '../../../core/settings/settings.service';
import type { AiAnswer, AiCall } from '../../ai-call';
import { AiCalls } from '../../ai-calls.service';
import { AiProviderError } from '../../provider/ai-provider.error';
import type { AiToolCall } from '../../provider/ai-provider.port';
import { RECORD_CALL, type EnabledTool } from '../calls/tool-call.rows';
import { ToolClient } from '../calls/tool-client.service';
import type { ToolOutcome } from '../calls/tool-outcome';
import { EnabledTools } from '../enabled-tools.service';
import { HAND_OVER, handOverOf } from '../hand-over.tool';
import { ArgumentChecks } from '../schema/argument-checks.service';
import type { AnswerTurn } from './answer-turn.port';
import { goneTools, messagesOf, type Round, type RoundCall } from './round';

const MOST_ROUNDS = 5;
const MOST_CALLS = 10;
/** Tools may be called for so long, in milliseconds: of the 90 seconds of an answer, the rest is for the model. */
const CALLS_UNTIL_MS = 55_000;

const TIME_IS_UP: ToolOutcome = { status: 'timed_out', ms: 0, result: null, error: 'The time of the answer ran out' };
const GONE: ToolOutcome = { status: 'failed', ms: 0, result: null, error: 'There is no such tool' };

interface CallingTime {
  /** Milliseconds since the answer began. */
  elapsed: () => number;
  signal: AbortSignal | undefined;
}

/** Asks the model, calls the tools that it names, and asks again with their results, until it answers. */
@Injectable()
export class ToolRounds {
  constructor(
    private readonly calls: AiCalls,
    private readonly enabled: EnabledTools,
    private readonly client: ToolClient,
    private readonly schemas: ArgumentChecks,
    private readonly database: Database,
    private readonly settings: SettingsService,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns the answer, which the caller records; `hand_over` is one too. Undefined: it is not wanted any more
   * @throws AiProviderError, BudgetSpentError
   */
  async complete(call: AiCall, turn: AnswerTurn, signal?: AbortSignal): Promise<AiAnswer | undefined> {
    const startedAt = performance.now();
    const elapsed = () => performance.now() - startedAt;
    const tools = this.toolsOf(turn);
    if (tools.length + turn.rounds.length === 0) return this.calls.complete(call, signal);
    const rounds = [...turn.rounds];
    for (let isFirst = true; ; isFirst = false) {
      const last = rounds.at(-1);
      if (last?.calls.some(({ status }) => status === null)) {
        await turn.leave(() => this.callAll(last, tools, turn, { elapsed, signal }));
        if (!(await turn.isWanted())) return undefined;
      }
      const callsLeft = MOST_CALLS - rounds.reduce((sum, round) => sum + round.calls.length, 0);
      const mayCall = tools.length > 0 && rounds.length < MOST_ROUNDS && callsLeft > 0 && elapsed() < CALLS_UNTIL_MS;
      const answer = await this.calls.complete(
        {
          ...call,
          messages: [...call.messages, ...messagesOf(rounds)],
          tools: [
            ...tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
            ...goneTools(rounds, tools),
          ],
          mustAnswer: !mayCall,
          waitedMs: elapsed(),
          isRepeated: isFirst && call.isRepeated,
        },
        signal,
      );
      const asked = (answer.completion.toolCalls ?? []).filter(({ name }) => name !== HAND_OVER.name);
      if (asked.length === 0 || handOverOf(answer.completion)) return answer;
      if (!mayCall) return insisting(answer);
      const round = this.roundOf(rounds.length + 1, answer, asked.slice(0, callsLeft), tools);
      const isWanted = await turn.store(answer, round);
      answer.publish({ isSent: isWanted });
      if (!isWanted) return undefined;
      rounds.push(round);
    }
  }

  private toolsOf({ environment, toolNames }: AnswerTurn): EnabledTool[] {
    return this.enabled.of(environment, toolNames ?? this.settings.of(environment).ai.tools);
  }

  private roundOf(
    number: number,
    { completion }: AiAnswer,
    asked: readonly AiToolCall[],
    tools: readonly EnabledTool[],
  ): Round {
    const calls = asked.map(({ name, arguments: given }): RoundCall => {
      const id = newUuid(this.clock.now());
      const toolId = tools.find((tool) => tool.name === name)?.id ?? null;
      return {
        id,
        toolId,
        name,
        arguments: isObject(given) ? given : null,
        status: null,
        ms: null,
        result: null,
        error: null,
      };
    });
    return { number, said: completion.text, calls };
  }

  /** Side by side. Each outcome is stored as soon as it is known. */
  private async callAll(
    round: Round,
    tools: readonly EnabledTool[],
    turn: AnswerTurn,
    time: CallingTime,
  ): Promise<void> {
    await Promise.all(
      round.calls
        .filter(({ status }) => status === null)
        .map(async (call) => {
          const tool = tools.find(({ id }) => id === call.toolId);
          const outcome = tool ? await this.outcomeOf(tool, call, turn, time) : GONE;
          await this.record(call, turn, outcome);
        }),
    );
  }

  private async outcomeOf(
    tool: EnabledTool,
    { id, arguments: given }: RoundCall,
    { environment, from }: AnswerTurn,
    { elapsed, signal }: CallingTime,
  ): Promise<ToolOutcome> {
    const error = this.schemas.argumentFault(tool.parameters, given);
    if (error !== undefined) return { status: 'refused', ms: 0, result: null, error };
    const leftMs = CALLS_UNTIL_MS - elapsed();
    if (leftMs <= 0) return TIME_IS_UP;
    return this.client.call(tool, { id, environment, arguments: given, from }, { leftMs, signal });
  }

  private async record(
    call: RoundCall,
    { environment, from, subject }: AnswerTurn,
    outcome: ToolOutcome,
  ): Promise<void> {
    const { status, ms, result, error } = outcome;
    const event = this.events.create(
      'ai.tool_called',
      {
        environment,
        tool: call.name,
        call_id: toPublicId('tool_call', call.id),
        conversation_id: from.conversation?.id ?? null,
        message_id: from.message_id,
        status,
        ms,
      },
      subject ?? null,
    );
    const values = [call.id, status, ms, result, error, eventRows([event])];
    const stored = await this.database.query(RECORD_CALL, values);
    Object.assign(call, outcome);
    if (stored.length > 0) this.events.publish([event]);
  }
}

/** A model that calls tools although none may be called: what it wrote beside them is the answer. */
async function insisting(answer: AiAnswer): Promise<AiAnswer> {
  if (answer.completion.text.trim() !== '') return answer;
  await answer.billUnstored();
  throw new AiProviderError('empty_response', 'The model called tools instead of answering', { retryable: false });
}
