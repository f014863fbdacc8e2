import { sanitizeText } from '#contracts';
import { AiProviderError } from './ai-provider.error';
import type { AiFile, AiMessage, AiRequest } from './ai-provider.port';

/** The user's turn that precedes a conversation which the business began. */
const SPOKEN_TO = '(You wrote:)';

/** @throws AiProviderError `invalid_request` if no message is left to answer */
export function turnsOf({ messages, growing }: AiRequest): AiMessage[] {
  if (!messages.some((message) => message.role === 'user' && !isEmpty(message)))
    throw new AiProviderError('invalid_request', 'There is no user message to answer', { retryable: false });
  return alternate(messages, growing ?? false);
}

/** The file of a block in `turnsOf`: files come before the text. */
export function fileAt({ messages, growing }: AiRequest, message: number, block: number): AiFile | undefined {
  return alternate(messages, growing ?? false)[message]?.files?.[block];
}

function isEmpty({ content, files = [], toolCalls = [], toolResults = [] }: AiMessage): boolean {
  return content.trim() === '' && files.length + toolCalls.length + toolResults.length === 0;
}

/**
 * Puts messages in the form that the APIs accept: roles alternate, the user comes first, and no message is empty. If the business
 * wrote first, it adds a turn of the user, so that the model sees the message; in a sliding window it drops the message
 * instead. It replaces lone surrogates, because the API would refuse the conversation while one is in the context.
 * @param fromTheBeginning the conversation begins with these messages
 */
function alternate(messages: readonly AiMessage[], fromTheBeginning: boolean): AiMessage[] {
  const result: AiMessage[] = [];
  for (const message of messages) {
    if (isEmpty(message)) continue;
    const { role, files = [], toolCalls, toolResults } = message;
    const content = sanitizeText(message.content);
    const turn = { role, content, files, ...(toolCalls && { toolCalls }), ...(toolResults && { toolResults }) };
    const last = result.at(-1);
    if (!last && role === 'assistant') {
      if (fromTheBeginning) result.push({ role: 'user', content: SPOKEN_TO }, turn);
      continue;
    }
    const continues = last?.role === role && !last.toolCalls && !toolCalls && !last.toolResults && !toolResults;
    if (last && continues) {
      last.content = [last.content, content].filter((part) => part !== '').join('\n\n');
      last.files = [...(last.files ?? []), ...files];
    } else result.push(turn);
  }
  return result;
}
