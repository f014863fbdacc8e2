import { NumberInput, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKey } from '#client';
import { useGateway } from '../../api/gateway';
import { FormModal } from '../../components/form-modal';
import { counted } from '../../format/number';
import { CreatedKey } from './created-key';

const DEFAULT_HOURS = 24;
const MOST_HOURS = 168;

/** Gives a key a new value. The old value works until the end of the grace period. */
export function RollKey({ apiKey: { id, name, masked_key }, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const gateway = useGateway();
  const client = useQueryClient();
  const [hours, setHours] = useState<number | string>(DEFAULT_HOURS);
  const grace = Number(hours);
  const roll = useMutation({
    mutationFn: () => gateway.apiKeys.roll(id, { grace_hours: grace }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['api-keys'] }),
  });
  if (roll.data) {
    return (
      <CreatedKey created={roll.data} title="The key has a new value" onClose={onClose}>
        {grace === 0 ? 'The old value is refused already.' : `The old value works for ${counted(grace, 'hour')} more.`}
      </CreatedKey>
    );
  }
  return (
    <FormModal
      title="Roll the key?"
      submit="Roll the key"
      request={roll}
      disabled={hours === ''}
      onSubmit={() => roll.mutate()}
      onClose={onClose}
    >
      <Text size="sm">
        <b dir="auto">{name}</b> ({masked_key}) gets a new value. Id, scopes and limits stay as they are.
      </Text>
      <NumberInput
        label="Grace period"
        description={`How long the old value still works, 0 to ${MOST_HOURS} hours. A value replaced by an earlier roll stops working at once.`}
        min={0}
        max={MOST_HOURS}
        suffix=" hours"
        allowDecimal={false}
        value={hours}
        onChange={setHours}
        data-autofocus
      />
    </FormModal>
  );
}
