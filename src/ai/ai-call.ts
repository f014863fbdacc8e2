import type { Environment } from '#contracts';
import type { CallRange } from './call-range';
import type { AiCompletion, AiMessage, AiTool } from './provider/ai-provider.port';
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
  /** Replaces the model of the settings. */
  model?: string;
  maxTokens?: number;
  temperature?: number;
  system?: string;
  fallbackModels?: readonly string[];
  /** UUID of the calling key; undefined for a reply of the gateway. */
  keyId?: string;
  /** The calling key, if it has its own budget. */
  key?: BudgetedKey;
  /** The persons who get the answer, newest message first, as `personOf` names them: the first one with enough budget pays. */
  persons?: readonly string[];
  /** A later round of a reply: its `ai.request` is recorded, and each model is asked once. */
  isRepeated?: boolean;
  /** The files of the messages are only named to the model. */
  withoutFiles?: boolean;
  /** Whether the model is offered the tool by which it requests a person. */
  mayHandOver?: boolean;
  /** The tools that the model may call, besides `hand_over`. */
  tools?: readonly AiTool[];
  /** The tools are only offered because earlier messages call them. */
  mustAnswer?: boolean;
  /** Milliseconds of the answer's time that earlier rounds took. */
  waitedMs?: number;
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
  /** Bills the answer without storing it. For an answer whose record was surely rolled back: the provider bills it anyway. Never rejects. */
  billUnstored(): Promise<void>;
}
