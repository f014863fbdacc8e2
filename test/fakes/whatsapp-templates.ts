import { KNOWN_CODES, WhatsAppFailure } from './whatsapp-types';

export interface FakeTemplate {
  name: string;
  language: string;
  category?: string;
  status?: string;
  parameter_format?: 'POSITIONAL' | 'NAMED';
  components: { type: string; format?: string; text?: string; buttons?: object[] }[];
}

interface Sent {
  name?: string;
  language?: { code?: string };
  components?: { type: string; parameters: { type: string; text?: string; parameter_name?: string }[] }[];
}

/** The templates of a business account. It lists them in pages of two, and checks each send of a template. */
export class WhatsAppTemplates {
  readonly all: FakeTemplate[] = [];
  listed = 0;

  /** A page of `GET {account}/message_templates`. */
  page(query: URLSearchParams): Record<string, unknown> {
    this.listed += 1;
    const start = Number(query.get('after') ?? 0);
    const data = this.all.slice(start, start + 2).map((template, index) => ({
      id: String(start + index + 1),
      category: 'UTILITY',
      status: 'APPROVED',
      parameter_format: 'POSITIONAL',
      ...template,
    }));
    const end = start + data.length;
    const next = end < this.all.length && { next: 'https://graph.facebook.com/next' };
    return { data, paging: { cursors: { before: String(start), after: String(end) }, ...next } };
  }

  /** The text that a recipient sees. @throws WhatsAppFailure if the Graph API refuses it */
  read(sent: Sent): string {
    const template = this.all.find(({ name, language }) => name === sent.name && language === sent.language?.code);
    if (!template) throw failure(132_001);
    if (template.status === 'PAUSED') throw failure(132_015);
    if (template.status === 'DISABLED') throw failure(132_016);
    let shown = '';
    for (const { type, format, text = '' } of template.components) {
      const given = sent.components?.find((component) => component.type === type.toLowerCase())?.parameters ?? [];
      const wanted = [...new Set(text.match(/\{\{\w+\}\}/g))];
      const isFile = format !== undefined && format !== 'TEXT';
      if (given.length !== (isFile ? 1 : wanted.length) && type !== 'BUTTONS') throw failure(132_000);
      if (isFile && given[0]!.type !== format.toLowerCase()) throw failure(132_012);
      const isNamed = template.parameter_format === 'NAMED' && (type === 'HEADER' || type === 'BODY');
      // https://github.com/netflie/laravel-notification-whatsapp/issues/41: "Parameter name is missing or empty".
      if (isNamed && given.some((one) => one.type === 'text' && !wanted.includes(`{{${one.parameter_name}}}`)))
        throw failure(100);
      shown += text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
        const named = given.find(({ parameter_name: one }) => one === name);
        return (named ?? given[Number(name) - 1])?.text ?? '';
      });
    }
    return shown;
  }
}

function failure(code: number): WhatsAppFailure {
  const [status, title] = KNOWN_CODES[code]!;
  return new WhatsAppFailure(status, code, title);
}
