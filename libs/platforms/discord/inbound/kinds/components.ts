import type { ComponentType } from 'discord.js';
import { fileName } from '../../../media/attachment';
import { PART, type Row } from './row';

/** The fields of all components that have words. */
export interface Component {
  type: number;
  content?: string;
  label?: string;
  url?: string;
  placeholder?: string;
  description?: string | null;
  name?: string;
  emoji?: { name?: string };
  options?: { label: string }[];
  items?: { description?: string | null }[];
  components?: Component[];
  accessory?: Component;
}

export interface ComponentRow extends Row {
  name: string;
  /** The lines of the component. */
  lines?: (component: Component) => string[];
}

/** Only in forms, and the gateway shows none. */
const inForms = (name: string): ComponentRow => ({ name, becomes: 'counted' });
const menu = (name: string): ComponentRow => ({
  name,
  becomes: 'message',
  lines: ({ placeholder, options = [] }) => [
    bracketed('menu', [placeholder, options.map(({ label }) => label).join(' / ')].filter(Boolean).join(': ')),
  ],
  form: name === 'StringSelect' ? '[menu placeholder: option / option]' : '[menu placeholder]',
});

/** https://discord.com/developers/docs/components/reference#component-object-component-types */
export const COMPONENTS: Readonly<Record<ComponentType, ComponentRow>> = {
  1: {
    name: 'ActionRow',
    becomes: 'message',
    lines: ({ components }) => [linesOf(components).join(' ')],
    form: 'its buttons or its menu in one line',
  },
  2: {
    name: 'Button',
    becomes: 'message',
    lines: ({ label, emoji, url }) => [
      bracketed('button', [label ?? emoji?.name, url && `(${url})`].filter(Boolean).join(' ')),
    ],
    form: '[button label (address)]',
  },
  3: menu('StringSelect'),
  4: inForms('TextInput'),
  5: menu('UserSelect'),
  6: menu('RoleSelect'),
  7: menu('MentionableSelect'),
  8: menu('ChannelSelect'),
  9: {
    name: 'Section',
    becomes: 'message',
    lines: ({ components, accessory }) => linesOf([...(components ?? []), ...(accessory ? [accessory] : [])]),
    form: 'its texts, and the button or picture beside them',
  },
  10: { name: 'TextDisplay', becomes: 'message', lines: ({ content }) => [content ?? ''], form: 'the text' },
  11: {
    name: 'Thumbnail',
    becomes: 'message',
    lines: ({ description }) => [bracketed('image', description)],
    form: '[image description]',
  },
  12: {
    name: 'MediaGallery',
    becomes: 'message',
    lines: ({ items = [] }) => items.map(({ description }) => bracketed('image', description)),
    form: '[image description], a line for each',
  },
  13: {
    name: 'File',
    becomes: 'message',
    lines: ({ name }) => [bracketed('document', fileName(name))],
    form: '[document name]',
  },
  14: { name: 'Separator', ...PART, lines: () => [] },
  16: { name: 'ContentInventoryEntry', becomes: 'message', lines: () => ['[activity]'], form: '[activity]' },
  17: { name: 'Container', becomes: 'message', lines: ({ components }) => linesOf(components), form: 'its components' },
  18: inForms('Label'),
  19: inForms('FileUpload'),
  21: inForms('RadioGroup'),
  22: inForms('CheckboxGroup'),
  23: inForms('Checkbox'),
};

/** The words of components in reading order. A component that is new at Discord shows its texts and its type. */
export function linesOf(components: readonly Component[] | undefined): string[] {
  return (components ?? []).flatMap((component) => {
    const row = (COMPONENTS as Readonly<Record<number, ComponentRow>>)[component.type];
    return (row?.lines ?? unknown)(component).filter((line) => line !== '');
  });
}

function unknown({ type, content, label, components }: Component): string[] {
  return [`[unsupported component: ${type}]`, content ?? '', label ?? '', ...linesOf(components)];
}

function bracketed(label: string, words: string | null | undefined): string {
  return words ? `[${label} ${words}]` : `[${label}]`;
}
