import type { RequestFault } from '../provider/ai-provider.error';
import type { AiFile, AiRequest } from '../provider/ai-provider.port';
import { messageBytes } from '../provider/tokens';

/** How the model is told of a file of a person that it does not get. */
export function unreadableFile(name: string): string {
  return `[a file that you cannot read: ${name}]`;
}

/** The request without some of its files, which are named to the model instead. @returns the same object if it has none of them */
export function withoutFiles(request: AiRequest, isDropped: (file: AiFile) => boolean = () => true): AiRequest {
  if (!request.messages.some(({ files = [] }) => files.some(isDropped))) return request;
  const messages = request.messages.map((message) => {
    const { content, files = [] } = message;
    const dropped = files.filter(isDropped);
    if (dropped.length === 0) return message;
    const lines = dropped.map(({ name }) => unreadableFile(name));
    return {
      ...message,
      content: [content, ...lines].filter((line) => line.trim() !== '').join('\n'),
      files: files.filter((file) => !isDropped(file)),
    };
  });
  return { ...request, messages };
}

export function withoutDocuments(request: AiRequest): AiRequest {
  return withoutFiles(request, ({ type }) => type === 'document');
}

/** The request without what the provider refuses; undefined if nothing of it can go. */
export function lighterRequest(request: AiRequest, { of }: RequestFault): AiRequest | undefined {
  const lighter = of === 'length' ? halved(request) : withoutFiles(request);
  return lighter === request ? undefined : lighter;
}

/**
 * At most half of the context, if the messages before the question have so much: the files go first, then the oldest messages. The
 * question stays, and so do the calls of tools that follow it, with their results.
 */
function halved(request: AiRequest): AiRequest {
  const bare = withoutFiles(request);
  const { messages } = bare;
  const files = request.messages.flatMap((message) => message.files ?? []);
  const sizes = messages.map(messageBytes);
  let left = sizes.reduce((sum, size) => sum + size, 0);
  const half = files.reduce((sum, { tokens }) => sum + tokens, left) / 2;
  const firstCalls = messages.findIndex(({ toolCalls }) => toolCalls);
  const question = (firstCalls === -1 ? messages.length : firstCalls) - 1;
  let first = 0;
  for (; left > half && first < question; first += 1) left -= sizes[first]!;
  return first === 0 ? bare : { ...bare, messages: messages.slice(first), growing: false };
}
