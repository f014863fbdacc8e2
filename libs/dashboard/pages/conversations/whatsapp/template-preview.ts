import type { Template } from '#client';

/** The values of a template's form. */
export interface TemplateValues {
  header: string;
  body: readonly string[];
  buttons: readonly string[];
}

interface Fields {
  header: 'text' | 'address' | undefined;
  /** The placeholders of the body, in the order of its parameters. */
  body: string[];
  /** Number of buttons with a parameter. */
  buttons: number;
}

const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g;

/** The fields of a template's form, from the schema of its parameters. */
export function fieldsOf({ parameters }: Template): Fields {
  const { header, body, buttons } = parameters.properties ?? {};
  const names = [...(body?.description ?? '').matchAll(PLACEHOLDER)].map(([, name]) => name!);
  return {
    header: header && ('format' in header ? 'address' : 'text'),
    body: names,
    buttons: buttons?.minItems ?? 0,
  };
}

/** The message as the person sees it; empty fields show their placeholders. */
export function previewOf(template: Template, { header, body }: TemplateValues): { text: string; buttons: string[] } {
  const { body: names } = fieldsOf(template);
  const values = new Map(names.map((name, index) => [name, body[index]]));
  const part = (type: string) => template.components.find((component) => component.type.toUpperCase() === type);
  const texts = [
    part('HEADER')?.text?.replaceAll(PLACEHOLDER, (whole) => header || whole),
    part('BODY')?.text?.replaceAll(PLACEHOLDER, (whole, name: string) => values.get(name) || whole),
    part('FOOTER')?.text,
  ];
  const buttons = part('BUTTONS')?.buttons?.map(({ text, type }) => text ?? type ?? '') ?? [];
  return { text: texts.filter(Boolean).join('\n\n'), buttons };
}

/** Whether every parameter has a value. */
export function isFilled(template: Template, { header, body, buttons }: TemplateValues): boolean {
  const fields = fieldsOf(template);
  const all = [...(fields.header ? [header] : []), ...fields.body.map((_, index) => body[index])];
  const buttonValues = Array.from({ length: fields.buttons }, (_, index) => buttons[index]);
  return [...all, ...buttonValues].every((value) => value !== undefined && value.trim() !== '');
}
