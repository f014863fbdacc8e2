import type { EventSourceMessage } from 'eventsource-parser';

/** The events of a stream, and its `retry` fields, as they arrive. */
export async function* serverSentEvents(
  chunks: AsyncIterable<Uint8Array>,
  onRetry?: (milliseconds: number) => void,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  // An ES module: CommonJS can load it with `import()` in any version of Node.
  const { createParser } = await import('eventsource-parser');
  const parsed: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => void parsed.push(event), onRetry });
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* parsed.splice(0);
  }
}
