import { ActionIcon, Button, Input, NumberInput, TextInput } from '@mantine/core';
import { PlusIcon, TrashIcon } from '@radix-ui/react-icons';
import { useId, useState } from 'react';
import type { PriceColumn } from './fields/setting-field';
import { pricesOf, rowsOf, type PriceRow, type Prices } from './price-rows';
import { isSame } from './setting-values';
import classes from './settings.module.css';

interface PricesInputProps {
  label: string;
  meaning: string;
  of: string;
  columns: readonly PriceColumn[];
  value: Prices;
  fault: string | undefined;
  onChange: (value: Prices) => void;
}

/** A table of prices: a row for each model or prefix. */
export function PricesInput({ label, meaning, of, columns, value, fault, onChange }: PricesInputProps) {
  const [typed, setTyped] = useState<readonly PriceRow[]>([]);
  const id = useId();
  // Something else sets the value, too: the loaded settings, and Discard.
  const rows = isSame(pricesOf(typed), value) ? typed : rowsOf(value);
  const change = (next: readonly PriceRow[]) => {
    setTyped(next);
    onChange(pricesOf(next));
  };
  const set = (index: number, row: PriceRow) => change(rows.map((each, at) => (at === index ? row : each)));
  return (
    <Input.Wrapper
      className={classes.wide}
      label={label}
      labelElement="div"
      labelProps={{ id }}
      description={meaning}
      error={fault}
    >
      {rows.length > 0 && (
        <div className="scroll-x">
          <table className={classes.prices} aria-labelledby={id}>
            <thead>
              <tr>
                <th>{of}</th>
                {columns.map((column) => (
                  <th key={column.name}>{column.label}</th>
                ))}
                <th aria-label="Remove" />
              </tr>
            </thead>
            <tbody>
              {rows.map((row, index) => (
                <tr key={index}>
                  <td>
                    <TextInput
                      size="sm"
                      aria-label={`${of} of row ${index + 1}`}
                      aria-invalid={fault !== undefined || undefined}
                      value={row.name}
                      onChange={({ currentTarget }) => set(index, { ...row, name: currentTarget.value })}
                    />
                  </td>
                  {columns.map((column) => (
                    <td key={column.name}>
                      <NumberInput
                        size="sm"
                        hideControls
                        min={0}
                        clampBehavior="none"
                        aria-label={`${column.label} of ${row.name || `row ${index + 1}`}`}
                        value={row.prices[column.name] ?? ''}
                        onChange={(next) => set(index, { ...row, prices: { ...row.prices, [column.name]: next } })}
                      />
                    </td>
                  ))}
                  <td>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      size="lg"
                      aria-label={`Remove ${row.name || `row ${index + 1}`}`}
                      onClick={() => change(rows.filter((_, at) => at !== index))}
                    >
                      <TrashIcon />
                    </ActionIcon>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Button
        variant="default"
        size="compact-sm"
        mt="xs"
        leftSection={<PlusIcon />}
        onClick={() => setTyped([...rows, { name: '', prices: {} }])}
      >
        Add a price
      </Button>
    </Input.Wrapper>
  );
}
