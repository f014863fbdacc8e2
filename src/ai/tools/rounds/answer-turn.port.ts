import type { Environment } from '#contracts';
import type { EventSubject } from '../../../core/events/domain-event';
import type { AiAnswer } from '../../ai-call';
import type { CalledFrom } from '../calls/tool-client.service';
import type { Round } from './round';

/** An answer that is being made: how its rounds are stored, and whether it is still wanted. */
export interface AnswerTurn {
  environment: Environment;
  /** Names of the tools that may be called; undefined: those of the setting `ai.tools`. */
  toolNames?: readonly string[] | undefined;
  /** The origin of the calls, as receivers get it. */
  from: CalledFrom;
  /** The subject of the events about the calls. */
  subject: EventSubject | undefined;
  /** Rounds of earlier attempts to make the answer. */
  rounds: readonly Round[];
  /** Bills the model's part of the round and stores its calls, before any of them is sent. @returns false if the answer is not wanted */
  store(answer: AiAnswer, round: Round): Promise<boolean>;
  isWanted(): Promise<boolean>;
  /** Waits for receivers without a place of the AI. */
  leave<T>(work: () => Promise<T>): Promise<T>;
}
