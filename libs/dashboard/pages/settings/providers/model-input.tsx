import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';
import { useSession } from '../../../session/use-session';

interface ModelInputProps {
  field: { label: string; meaning: string; max: number; byDefault: string };
  value: string;
  fault: string | undefined;
  onChange: (value: string) => void;
}

/** The name of a model, chosen from the lists of the providers, or typed: some servers have no list. */
export function ModelInput({ field: { label, meaning, max, byDefault }, value, fault, onChange }: ModelInputProps) {
  const gateway = useGateway();
  const isLive = useSession().environment === 'live';
  const { data: models = [] } = useQuery({ ...queries.aiModels(gateway), enabled: isLive });
  const id = useId();
  return (
    <>
      <TextInput
        label={label}
        description={`${meaning} Default: ${byDefault}`}
        error={fault}
        maxLength={max}
        list={id}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <datalist id={id}>
        {models.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
    </>
  );
}
