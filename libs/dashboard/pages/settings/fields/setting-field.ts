/** How to show a setting. `name` is its dotted path, as in the API's error details; `byDefault` null is no value. */
export type SettingField = { name: string; label: string; meaning: string } & (
  | NumberSetting
  | { kind: 'text'; max: number; byDefault: string; nullable?: boolean }
  | { kind: 'choice'; of: readonly string[]; byDefault: string }
  | { kind: 'model'; max: number; byDefault: string }
  | { kind: 'longText'; max: number; byDefault: string | null; nullable?: boolean }
  | { kind: 'switch'; byDefault: boolean }
  | { kind: 'words'; most: number; byDefault: readonly string[] | null; nullable?: boolean }
  | { kind: 'prices'; of: string; columns: readonly PriceColumn[] }
);

export interface NumberSetting {
  kind: 'number';
  min: number;
  max: number;
  byDefault: number | null;
  decimal?: boolean;
  unit?: string;
  /** How many units of the API one shown unit is. */
  scale?: number;
  nullable?: boolean;
}

export interface PriceColumn {
  name: string;
  label: string;
}

export interface SettingGroup {
  title: string;
  description: string;
  fields: readonly SettingField[];
}
