import type { AnthropicFake } from '../fakes/anthropic.fake';
import type { MessagesRequest } from '../fakes/anthropic-types';
import type { OpenAiFake } from '../fakes/openai.fake';
import type { ChatRequest } from '../fakes/openai-types';

/** The answer of a scripted model: with tools, it calls them. */
export interface ToolReply {
  text: string;
  tools?: { name: string; input: unknown }[];
  /** Tokens of the answer; the fake's own count by default. */
  outputTokens?: number;
}

/** A request to a model, in the words of no provider. */
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
      fake.replyWith((request) =>
        noted(asked, askedIn(request), reply, (output) => ({ input_tokens: 10, output_tokens: output })),
      ),
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
      fake.replyWith((request) =>
        noted(asked, askedIn(request), reply, (output) => ({ prompt_tokens: 10, completion_tokens: output })),
      ),
    asked,
  };
}

/** Notes what was asked, and answers it as the script says, with the provider's form of the tokens that it names. */
async function noted<Usage>(
  asked: Asked[],
  question: Asked,
  reply: Parameters<ToolModel['script']>[0],
  usageOf: (outputTokens: number) => Usage,
): Promise<string | ToolReply | (ToolReply & { usage: Usage })> {
  asked.push(question);
  const answer = await reply(question);
  if (typeof answer === 'string' || answer.outputTokens === undefined) return answer;
  return { ...answer, usage: usageOf(answer.outputTokens) };
}
