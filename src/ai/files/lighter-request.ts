import type { AiFile, AiRequest } from '../provider/ai-provider.port';

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
