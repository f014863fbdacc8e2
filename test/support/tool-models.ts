import type { AnthropicFake } from '../fakes/anthropic.fake';
import type { MessagesRequest } from '../fakes/anthropic-types';
import type { OpenAiFake } from '../fakes/openai.fake';
import type { ChatRequest } from '../fakes/openai-types';

/** What a scripted model answers: with tools, it calls them. */
export interface ToolReply {
  text: string;
  tools?: { name: string; input: unknown }[];
  /** Tokens of the answer; the fake's own count by default. */
  outputTokens?: number;
}

/** What a model is asked, in the words of no provider. */
export interface Asked {
  /** Rounds of calls whose results it sees. */
  rounds: number;
  mayCall: boolean;
  /** The request as text. */
  text: string;
}

/** A fake of a provider whose model calls tools. */
export interface ToolModel {
  /** The setting `ai.model`. */
  model: string;
  script(reply: (asked: Asked) => string | ToolReply | Promise<string | ToolReply>): void;
  /** The requests that it answered, with those of all scripts. */
  readonly asked: Asked[];
}

export function anthropicModel(fake: AnthropicFake): ToolModel {
  const askedIn = ({ messages, ...request }: MessagesRequest): Asked => ({
    rounds: messages.filter(
      ({ content }) => typeof content !== 'string' && content.some(({ type }) => type === 'tool_use'),
    ).length,
    mayCall: JSON.stringify(request['tool_choice']) !== '{"type":"none"}',
    text: JSON.stringify({ messages, ...request }),
  });
  const asked: Asked[] = [];
  return {
    model: 'anthropic/claude-sonnet-5-5',
    script: (reply) =>
      fake.replyWith(async (request) => {
        const question = askedIn(request);
        asked.push(question);
        const answer = await reply(question);
        if (typeof answer === 'string' || answer.outputTokens === undefined) return answer;
        return { ...answer, usage: { input_tokens: 10, output_tokens: answer.outputTokens } };
      }),
    asked,
  };
}

export function openAiModel(fake: OpenAiFake): ToolModel {
  const askedIn = (request: ChatRequest): Asked => ({
    rounds: request.messages.filter(({ tool_calls = [] }) => tool_calls.length > 0).length,
    mayCall: request['tool_choice'] !== 'none',
    text: JSON.stringify(request),
  });
  const asked: Asked[] = [];
  return {
    model: 'openai/gpt-5-mini',
    script: (reply) =>
      fake.replyWith(async (request) => {
        const question = askedIn(request);
        asked.push(question);
        const answer = await reply(question);
        if (typeof answer === 'string' || answer.outputTokens === undefined) return answer;
        const usage = { prompt_tokens: 10, completion_tokens: answer.outputTokens };
        return { ...answer, usage };
      }),
    asked,
  };
}
