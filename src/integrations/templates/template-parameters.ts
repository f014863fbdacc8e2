import type { PlatformTemplate, TemplateComponent, TemplateMessage } from '#platforms';

/** Parameters that a client gives for a template. */
export interface TemplateParameters {
  /** A text, or the URL of the header's file. */
  header?: string;
  body?: readonly string[];
  /** One for each button that takes a parameter, in the order of the buttons. */
  buttons?: readonly string[];
}

export interface FilledTemplate {
  message: TemplateMessage;
  /** The text as the recipient sees it: header, body and footer. */
  content: string;
}

/** A parameter does not fit the template. `parameter` is a path below `template.parameters`. */
export class TemplateFault extends Error {
  constructor(
    readonly parameter: 'header' | 'body' | 'buttons',
    readonly reason: string,
  ) {
    super(`${parameter} ${reason}`);
  }
}

type Template = Pick<PlatformTemplate, 'name' | 'language' | 'parameterFormat' | 'components'>;

/** Longest parameter, in characters: WhatsApp limits the whole body to 1,024. */
export const MAX_PARAMETER_LENGTH = 1_024;

const FILES: Readonly<Record<string, string>> = { IMAGE: 'image', VIDEO: 'video', DOCUMENT: 'document' };

interface Needs {
  /** Undefined if the template has no header, or a header without a parameter. */
  header: 'text' | 'image' | 'video' | 'document' | undefined;
  /** The placeholder of a header of text. */
  headerName: string | undefined;
  /** The placeholders of the body, in order: `1`, `2` or names. */
  body: string[];
  /** The buttons that take a parameter. */
  buttons: { index: number; subType: 'url' | 'copy_code' }[];
}

function componentOf({ components }: Template, type: string): TemplateComponent | undefined {
  return components.find((component) => component.type.toUpperCase() === type);
}

/** The placeholders of a text, each once, in the order of their first use. */
function placeholdersOf(text = ''): string[] {
  return [...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name]) => name!))];
}

function needsOf(template: Template): Needs {
  const header = componentOf(template, 'HEADER');
  const format = header?.format?.toUpperCase() ?? 'TEXT';
  const [headerName] = placeholdersOf(header?.text);
  const names = placeholdersOf(componentOf(template, 'BODY')?.text);
  const buttons = componentOf(template, 'BUTTONS')?.buttons ?? [];
  return {
    header:
      header && format in FILES ? (FILES[format] as Needs['header']) : headerName !== undefined ? 'text' : undefined,
    headerName,
    // Meta takes positional parameters in the order of their numbers, wherever they are in the text.
    body: template.parameterFormat === 'NAMED' ? names : names.toSorted((one, other) => Number(one) - Number(other)),
    buttons: buttons.flatMap(({ type, url }, index): Needs['buttons'] => {
      if (type.toUpperCase() === 'COPY_CODE') return [{ index, subType: 'copy_code' }];
      return placeholdersOf(url).length > 0 ? [{ index, subType: 'url' }] : [];
    }),
  };
}

const TEXT = { type: 'string', minLength: 1, maxLength: MAX_PARAMETER_LENGTH } as const;
const LIST = (length: number, description: string) => ({
  type: 'array',
  items: TEXT,
  minItems: length,
  maxItems: length,
  description,
});

/** The JSON Schema of a template's parameters. */
export function parameterSchema(template: Template): Record<string, unknown> {
  const { header, body, buttons } = needsOf(template);
  const properties = {
    ...(header && { header: header === 'text' ? TEXT : { type: 'string', format: 'uri', maxLength: 2_048 } }),
    ...(body.length > 0 && { body: LIST(body.length, body.map((name) => `{{${name}}}`).join(', ')) }),
    ...(buttons.length > 0 && {
      buttons: LIST(buttons.length, 'One parameter for each button that takes one, in order.'),
    }),
  };
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** Checks the parameters, and fills them in. @throws TemplateFault */
export function fillTemplate(template: Template, given: TemplateParameters): FilledTemplate {
  const { name, language, parameterFormat } = template;
  const needs = needsOf(template);
  const named = parameterFormat === 'NAMED';
  const header = headerOf(needs, given.header, named);
  const body = exactly('body', given.body ?? [], needs.body.length);
  const buttons = exactly('buttons', given.buttons ?? [], needs.buttons.length);
  const components = [
    ...(header ? [{ type: 'header', parameters: [header] }] : []),
    ...(body.length > 0
      ? [
          {
            type: 'body',
            parameters: body.map((text, index) => ({
              type: 'text',
              ...(named && { parameter_name: needs.body[index] }),
              text,
            })),
          },
        ]
      : []),
    ...buttons.map((text, position) => {
      const { index, subType } = needs.buttons[position]!;
      const parameter = subType === 'url' ? { type: 'text', text } : { type: 'coupon_code', coupon_code: text };
      return { type: 'button', sub_type: subType, index: String(index), parameters: [parameter] };
    }),
  ];
  const values = new Map(needs.body.map((placeholder, index) => [placeholder, body[index]!]));
  const headerText = componentOf(template, 'HEADER')?.text;
  const content = [
    headerText?.replaceAll(PLACEHOLDER, () => given.header ?? ''),
    componentOf(template, 'BODY')?.text?.replaceAll(PLACEHOLDER, (whole, key: string) => values.get(key) ?? whole),
    componentOf(template, 'FOOTER')?.text,
  ];
  return { message: { name, language, components }, content: content.filter(Boolean).join('\n\n') || `[${name}]` };
}

const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g;

function headerOf({ header, headerName }: Needs, given: string | undefined, named: boolean): object | undefined {
  if (header === undefined) {
    if (given !== undefined) throw new TemplateFault('header', 'is not a parameter of this template');
    return undefined;
  }
  if (given === undefined) throw new TemplateFault('header', 'is required by this template');
  if (header === 'text') return { type: 'text', ...(named && { parameter_name: headerName }), text: given };
  if (!URL.canParse(given) || !/^https?:/i.test(given))
    throw new TemplateFault('header', `must be the URL of the header's ${header}`);
  return { type: header, [header]: { link: given } };
}

function exactly(parameter: 'body' | 'buttons', given: readonly string[], count: number): readonly string[] {
  if (given.length !== count) throw new TemplateFault(parameter, `must have ${count} items, as the template requires`);
  return given;
}
