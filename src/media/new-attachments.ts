import {
  DEFAULT_ACCOUNT,
  newUuid,
  sanitizeText,
  type AccountKey,
  type Attachment,
  type AttachmentKind,
} from '#contracts';
import { toAttachment } from './attachment.rows';
import { cleanFilename } from './files/file-kind';
import type { NewAttachment } from './message-attachments.rows';

/** The fields of an attachment that its platform sent; see `InboundAttachment` of its port. */
interface Described {
  kind: AttachmentKind;
  ref?: string;
  filename?: string;
  sizeBytes?: number;
  width?: number;
  height?: number;
  durationSeconds?: number;
}

const MAX_INTEGER = 2_147_483_647;
/** A longer reference cannot be used for a download; no platform has one. */
const MAX_REF_LENGTH = 4_096;

/** The rows of an inbound message's attachments. The platform may send anything: a value that cannot be stored counts as unknown. */
export function newAttachments(
  { platform, account }: AccountKey,
  described: readonly Described[],
  now: number,
): NewAttachment[] {
  const from = { platform, ...(account !== DEFAULT_ACCOUNT && { account }) };
  return described.map(({ kind, ref, filename, sizeBytes, width, height, durationSeconds }) => {
    const hasBytes = ref !== undefined && ref.length <= MAX_REF_LENGTH;
    const isPlace = kind === 'location' || kind === 'contact';
    return {
      id: newUuid(now),
      kind,
      mime_type: null,
      size_bytes: numberOf(sizeBytes, Number.MAX_SAFE_INTEGER),
      sha256: null,
      filename: cleanFilename(typeof filename === 'string' ? sanitizeText(filename) : undefined),
      width: numberOf(width, MAX_INTEGER),
      height: numberOf(height, MAX_INTEGER),
      duration_seconds: durationOf(durationSeconds),
      status: isPlace ? 'stored' : hasBytes ? 'pending' : 'failed',
      reason: isPlace || hasBytes ? null : 'platform',
      transcript: null,
      source: hasBytes && !isPlace ? { ...from, ref: sanitizeText(ref) } : null,
    };
  });
}

function numberOf(value: number | undefined, most: number): number | null {
  return typeof value === 'number' && value >= 0 && value <= most ? Math.round(value) : null;
}

function durationOf(value: number | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

/** Attachments as the API and the events show them. */
export function shownAttachments(rows: readonly NewAttachment[]): Attachment[] {
  return rows.map((row) => toAttachment(row));
}
