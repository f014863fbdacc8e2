import { toPublicId, type ToolCallStatus } from '#contracts';
import type { AiMessage, AiTool } from '../../provider/ai-provider.port';

/** A call of a round. It has an id before it is sent. */
export interface RoundCall {
  /** UUID */
  id: string;
  /** Null if the model calls a tool that is gone. */
  toolId: string | null;
  name: string;
  /** Null if the model wrote no object. */
  arguments: object | null;
  /** Null while the outcome is unknown. */
  status: ToolCallStatus | null;
  ms: number | null;
  result: string | null;
  error: string | null;
}

/** The text that the model wrote, and the tools that it called, before it got their results. */
export interface Round {
  /** From 1. */
  number: number;
  said: string;
  calls: RoundCall[];
}

/** The rounds as the model sees them, after the messages of the conversation. Calls have their own ids: any provider knows them. */
export function messagesOf(rounds: readonly Round[]): AiMessage[] {
  return rounds.flatMap(({ said, calls }): AiMessage[] => [
    {
      role: 'assistant',
      content: said,
      toolCalls: calls.map((call) => ({ id: publicId(call), name: call.name, arguments: call.arguments ?? {} })),
    },
    {
      role: 'user',
      content: '',
      toolResults: calls.map((call) => ({
        callId: publicId(call),
        content: call.status === 'success' ? (call.result ?? '') : `The call failed (${call.status}): ${call.error}`,
        ...(call.status !== 'success' && { isError: true }),
      })),
    },
  ]);
}

/** Definitions for tools that earlier rounds called and that are gone: providers ask for the definition of each called tool. */
export function goneTools(rounds: readonly Round[], tools: readonly { name: string }[]): AiTool[] {
  const known = new Set(tools.map(({ name }) => name));
  const names = new Set(
    rounds.flatMap(({ calls }) => calls.map(({ name }) => name)).filter((name) => !known.has(name)),
  );
  return [...names].map((name) => ({
    name,
    description: 'This tool is no longer available.',
    parameters: { type: 'object', properties: {} },
  }));
}

function publicId({ id }: RoundCall): string {
  return toPublicId('tool_call', id);
}
