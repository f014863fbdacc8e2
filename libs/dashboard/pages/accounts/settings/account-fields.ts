import type { Integration, Settings } from '#client';
import type { SettingField } from '../../settings/fields/setting-field';
import { ASSISTANT_GROUPS } from '../../settings/fields/assistant-groups';

/** A setting of an account, with the value that it inherits. */
export interface AccountField {
  field: SettingField;
  inherited: unknown;
  /** The inherited value in words. */
  words: string;
}

/** The settings that an account may override. The default of each is what it inherits. */
export function accountFields({ ai }: Settings, { group_replies }: Integration['inherited']): AccountField[] {
  const tools = ai.tools?.join(', ') ?? 'every enabled tool';
  return [
    {
      field: { ...ofAssistant('system_prompt'), kind: 'longText', byDefault: 'that of all accounts', max: 20_000 },
      inherited: ai.system_prompt,
      words: ai.system_prompt,
    },
    {
      field: { ...ofAssistant('auto_reply'), kind: 'switch', byDefault: ai.auto_reply },
      inherited: ai.auto_reply,
      words: ai.auto_reply ? 'on' : 'off',
    },
    {
      field: { ...ofAssistant('model'), kind: 'model', byDefault: ai.model, max: 200 },
      inherited: ai.model,
      words: ai.model,
    },
    {
      field: {
        name: 'ai.tools',
        kind: 'words',
        most: 64,
        label: 'Tools',
        meaning: 'Which ones the assistant may call. Empty: none.',
        byDefault: [tools],
      },
      inherited: ai.tools ?? [],
      words: tools,
    },
    {
      field: {
        name: 'group_replies',
        kind: 'choice',
        of: ['mentions', 'all', 'none'],
        label: 'Answers in groups',
        meaning: 'Mentions of the bot and replies to it, all messages, or none.',
        byDefault: group_replies,
      },
      inherited: group_replies,
      words: group_replies,
    },
  ];
}

/** Name, label and meaning, as the settings of the environment have them. */
function ofAssistant(name: string): Pick<SettingField, 'name' | 'label' | 'meaning'> {
  const found = ASSISTANT_GROUPS.flatMap(({ fields }) => fields).find((field) => field.name === `ai.${name}`)!;
  return { name: found.name, label: found.label, meaning: found.meaning };
}
