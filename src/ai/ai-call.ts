import type { Environment } from '#contracts';
import type { CallRange } from './call-range';
import type { AiCompletion, AiMessage } from './provider/ai-provider.port';
import type { BudgetedKey } from './usage/budgets.service';

export interface AiCall {
  environment: Environment;
  /** UUID; its public form links `ai.request` to the later events. */
  requestId: string;
  /** UUID, or null for a call that belongs to no conversation. */
  conversationId: string | null;
  messages: AiMessage[];
  /** True if the next call probably begins with these messages. */
  growing: boolean;
  /** Replies only: the messages of the conversation that it answers. */
  range?: CallRange;
  /** Instead of the settings'. */
  model?: string;
  maxTokens?: number;
  temperature?: number;
  system?: string;
  fallbackModels?: readonly string[];
  /** UUID of the key that asks; undefined: the gateway asks, to reply. */
  keyId?: string;
  /** The key that asks, if it has a budget of its own. */
  key?: BudgetedKey;
  /** Who is answered, newest message first, as `personOf` names them: the first of them with enough left pays. */
  persons?: readonly string[];
  /** A later round of a reply: its `ai.request` is recorded, and each model is asked once. */
  isRepeated?: boolean;
  /** Whether the model is offered the tool by which it requests a person. */
  mayHandOver?: boolean;
}

/** An answered call. The caller records it by `record`, or by a statement of its own with `billRows`. */
export interface AiAnswer {
  /** UUID of the call. */
  requestId: string;
  completion: AiCompletion;
  /** US dollars, as in the bill. */
  costUsd: number;
  record(): Promise<void>;
  /**
   * The parameters of `billAnswers`, for a caller that records it by a statement of its own. `notSent`: the events of an answer
   * that is not sent because a person took the conversation over.
   */
  billRows(): [answers: string, events: string, notSent: string];
  /** Publishes the recorded event. Call it after the commit. */
  publish(outcome?: { isSent: boolean }): void;
  /** Bills the answer alone, if its record is certainly rolled back: the provider bills it nevertheless. Never rejects. */
  waste(): Promise<void>;
}
