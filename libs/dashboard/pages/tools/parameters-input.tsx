import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  Input,
  NativeSelect,
  SegmentedControl,
  Textarea,
  TextInput,
} from '@mantine/core';
import { PlusIcon, TrashIcon } from '@radix-ui/react-icons';
import { useId } from 'react';
import { parsedJson } from './json-text';
import classes from './parameters-input.module.css';
import { ROW_TYPES, rowsOf, schemaOf, type ParameterRow, type Schema } from './parameter-rows';

/** The schema in the form: as rows, or as JSON. In rows, `json` is the schema that they change. */
export interface Parameters {
  view: 'rows' | 'json';
  rows: readonly ParameterRow[];
  json: string;
}

export function parametersOf(schema: Schema): Parameters {
  const rows = rowsOf(schema);
  return { view: rows ? 'rows' : 'json', rows: rows ?? [], json: JSON.stringify(schema, null, 2) };
}

/** @throws SyntaxError if it is no JSON */
export function schemaIn({ view, rows, json }: Parameters): Schema {
  const schema = JSON.parse(json) as Schema;
  return view === 'rows' ? schemaOf(rows, schema) : schema;
}

/** Why the schema cannot be saved; null if it can. */
export function parametersFault({ view, rows, json }: Parameters): string | null {
  if (parsedJson(json) === undefined) return 'is not valid JSON';
  const names = rows.map(({ name }) => name.trim());
  if (view === 'rows' && names.includes('')) return 'must have a name in each row';
  return view === 'rows' && new Set(names).size < names.length ? 'must not have a name twice' : null;
}

interface ParametersInputProps {
  value?: Parameters;
  onChange?: (value: Parameters) => void;
  error?: React.ReactNode;
}

/** The arguments of a tool: a row for each, or their JSON Schema. */
export function ParametersInput({ value = parametersOf({}), onChange, error }: ParametersInputProps) {
  const id = useId();
  const { view, rows, json } = value;
  const change = (part: Partial<Parameters>) => onChange?.({ ...value, ...part });
  const show = (next: Parameters['view']) => {
    if (next === 'json') return change({ view: next, json: JSON.stringify(schemaIn(value), null, 2) });
    return change({ view: next, rows: rowsOf(parsedJson(json)) ?? rows });
  };
  const isPlain = view === 'rows' || rowsOf(parsedJson(json)) !== undefined;
  const set = (index: number, part: Partial<ParameterRow>) =>
    change({ rows: rows.map((row, at) => (at === index ? { ...row, ...part } : row)) });
  return (
    <Input.Wrapper
      label="Parameters"
      labelElement="div"
      labelProps={{ id }}
      description="The arguments that the model chooses. The form shows plain lists; any other JSON Schema is written as JSON."
      error={error}
    >
      <SegmentedControl<Parameters['view']>
        aria-labelledby={id}
        size="xs"
        mt="xs"
        value={view}
        onChange={show}
        data={[
          { value: 'rows', label: 'Form', disabled: !isPlain },
          { value: 'json', label: 'JSON Schema' },
        ]}
      />
      {view === 'json' ? (
        <Textarea
          aria-label="JSON Schema"
          aria-invalid={error ? true : undefined}
          classNames={{ input: 'mono' }}
          mt="xs"
          autosize
          minRows={6}
          maxRows={16}
          value={json}
          onChange={({ currentTarget }) => change({ json: currentTarget.value })}
        />
      ) : (
        <>
          <ul className={classes.rows}>
            {rows.map((row, index) => (
              <li key={index} className={classes.row}>
                <TextInput
                  aria-label={`Name of row ${index + 1}`}
                  placeholder="name"
                  aria-invalid={error ? true : undefined}
                  value={row.name}
                  onChange={({ currentTarget }) => set(index, { name: currentTarget.value })}
                />
                <NativeSelect
                  aria-label={`Type of ${named(row, index)}`}
                  data={[...ROW_TYPES]}
                  value={row.type}
                  onChange={({ currentTarget }) => set(index, { type: currentTarget.value as ParameterRow['type'] })}
                />
                <TextInput
                  className={classes.description}
                  aria-label={`Description of ${named(row, index)}`}
                  placeholder="Description, for the model"
                  value={row.description}
                  onChange={({ currentTarget }) => set(index, { description: currentTarget.value })}
                />
                <Group gap="xs" wrap="nowrap" className={classes.end}>
                  <Checkbox
                    label="Required"
                    aria-label={`${named(row, index)} is required`}
                    checked={row.required}
                    onChange={({ currentTarget }) => set(index, { required: currentTarget.checked })}
                  />
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size="lg"
                    aria-label={`Remove ${named(row, index)}`}
                    onClick={() => change({ rows: rows.filter((_, at) => at !== index) })}
                  >
                    <TrashIcon />
                  </ActionIcon>
                </Group>
              </li>
            ))}
          </ul>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<PlusIcon />}
            onClick={() => change({ rows: [...rows, { name: '', type: 'string', required: true, description: '' }] })}
          >
            Add a parameter
          </Button>
        </>
      )}
    </Input.Wrapper>
  );
}

function named({ name }: ParameterRow, index: number): string {
  return name || `row ${index + 1}`;
}
