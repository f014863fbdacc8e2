import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useGateway } from '../../../api/gateway';
import { PLATFORMS } from '../../../components/people/platform';
import { nameOf } from '../../../components/people/person-name';

const TYPING_MS = 300;
const SHOWN = 20;

/** Chooses a conversation by the person's name or number. */
export function ConversationPicker({
  accountId,
  value,
  onChange,
}: {
  /** Undefined: conversations of all accounts. */
  accountId: string | undefined;
  value: string | null;
  onChange: (id: string | null) => void;
}) {
  const gateway = useGateway();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<{ value: string; label: string }>();
  const [q] = useDebouncedValue(typed === chosen?.label ? '' : typed.trim(), TYPING_MS);
  const { data } = useQuery({
    queryKey: ['conversations-found', q, accountId],
    queryFn: async ({ signal }) =>
      (await gateway.conversations.list({ ...(q && { q }), account_id: accountId, per_page: SHOWN }, { signal })).data,
    placeholderData: keepPreviousData,
  });
  const found = (data ?? []).map(({ id, participant, platform }) => ({
    value: id,
    label: `${nameOf(participant)} · ${PLATFORMS[platform].name} · ${participant.id}`,
  }));
  const options = chosen && !found.some((each) => each.value === chosen.value) ? [chosen, ...found] : found;
  return (
    <Select
      label="Conversation"
      placeholder="A name or a number"
      searchable
      data={options}
      // No filter here: the gateway has already searched.
      filter={({ options: all }) => all}
      searchValue={typed}
      onSearchChange={setTyped}
      nothingFoundMessage="No conversation matches."
      value={value}
      onChange={(id) => {
        setChosen(options.find((each) => each.value === id));
        onChange(id);
      }}
      data-autofocus
    />
  );
}
