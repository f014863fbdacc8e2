import { withoutMisleading } from '#contracts';
import type { InboundAttachment } from '../media.port';

/** Leaves out fields that the platform does not send, and numbers that make no sense. */
export function attachment(kind: InboundAttachment['kind'], described: Described): InboundAttachment {
  const { ref, mimeType, filename, sizeBytes, width, height, durationSeconds } = described;
  const known: { [Name in keyof InboundAttachment]: InboundAttachment[Name] | undefined } = {
    kind,
    ref: text(ref),
    mimeType: text(mimeType),
    filename: text(filename),
    sizeBytes: whole(sizeBytes),
    width: whole(width),
    height: whole(height),
    durationSeconds: positive(durationSeconds),
  };
  // Only optional fields can be undefined.
  return Object.fromEntries(
    Object.entries(known).filter(([, value]) => value !== undefined),
  ) as unknown as InboundAttachment;
}

/** An attachment as another program describes it: unchecked. */
export type Described = { [Name in Exclude<keyof InboundAttachment, 'kind'>]?: unknown };

/** The name of a file as the text of its message shows it. */
export function fileName(value: unknown): string | undefined {
  return typeof value === 'string' ? withoutMisleading(value) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function whole(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
