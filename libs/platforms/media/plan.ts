import type { OutboundFile } from '../media.port';
import type { OutboundContent, OutboundPart, SendPlan } from '../platform.port';
import { splitParts } from '../text/split';

/** How a platform takes files. */
export interface FileRules {
  /** The most files of an album; 1 if the platform has no albums. */
  albumSize: number;
  /** The most bytes of one request. */
  requestBytes: number;
  /** The form in which the platform takes a file, or why it takes none, as a sentence without a full stop. */
  formOf(file: OutboundFile): FileForm | string;
}

export interface FileForm {
  takesCaption: boolean;
  /** Files of the same kind of album may be joined. */
  album?: string;
}

/** How a platform cuts a text. */
export interface TextCuts {
  texts(text: string): string[];
  /** The first is the caption. */
  captioned(text: string): string[];
}

export type PlannedPart = Omit<OutboundPart, 'index'>;

interface Group {
  form: FileForm;
  files: OutboundFile[];
  bytes: number;
}

/**
 * Plans the parts of a text with files: as few as possible. The text is the caption of the first album or file that takes
 * one. If it is too long, its beginning is the caption, and the rest follows as texts. Without such a file the text comes
 * first.
 */
function planFiles(
  text: string,
  files: readonly OutboundFile[],
  rules: FileRules,
  cuts: TextCuts,
): PlannedPart[] | { refusal: string } {
  const groups: Group[] = [];
  for (const file of files) {
    const form = rules.formOf(file);
    if (typeof form === 'string') return { refusal: `${file.filename}: ${form}` };
    join(groups, form, file, rules);
  }
  const captioned = groups.find(({ form }) => form.takesCaption);
  if (text.trim() === '') return groups.map(partOf);
  if (!captioned) return [...cuts.texts(text).map((part) => ({ text: part })), ...groups.map(partOf)];
  const [caption = '', ...rest] = cuts.captioned(text);
  return groups.flatMap((group) => {
    if (group !== captioned) return [partOf(group)];
    return [{ ...partOf(group), text: caption }, ...rest.map((part) => ({ text: part }))];
  });
}

function join(groups: Group[], form: FileForm, file: OutboundFile, { albumSize, requestBytes }: FileRules): void {
  const { sizeBytes } = file;
  const open = groups.find(
    (group) =>
      form.album !== undefined &&
      group.form.album === form.album &&
      group.files.length < albumSize &&
      group.bytes + sizeBytes <= requestBytes,
  );
  if (!open) return void groups.push({ form, files: [file], bytes: sizeBytes });
  open.files.push(file);
  open.bytes += sizeBytes;
}

function partOf({ files }: Group): PlannedPart {
  return { text: '', files };
}

/** For a platform with shorter captions than texts. A code block that is cut is closed in the caption and opened again. */
export function shortCaption(text: string, limit: number, texts: TextCuts['texts']): string[] {
  const [first, second] = splitParts(text, limit);
  if (!first || !second) return [text];
  return [first.body + first.suffix, ...texts(second.prefix + text.slice(first.body.length))];
}

export type PlannedContent = Pick<OutboundContent, 'text' | 'files'>;

export function planContent({ text, files = [] }: PlannedContent, rules: FileRules, cuts: TextCuts): SendPlan {
  if (files.length === 0) return { parts: textParts(cuts.texts(text)) };
  const parts = planFiles(text, files, rules, cuts);
  return Array.isArray(parts) ? { parts: parts.map((part, index) => ({ index, ...part })) } : parts;
}

export function textParts(texts: readonly string[]): OutboundPart[] {
  return texts.map((text, index) => ({ index, text }));
}

/** Drops parts that show nothing, but keeps at least one part. */
export function visible(parts: string[]): string[] {
  const shown = parts.filter((part) => part.trim() !== '');
  return shown.length > 0 ? shown : parts.slice(0, 1);
}
