import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ConversationItem } from '#client';
import { useGateway } from '../../api/gateway';
import { PLATFORMS } from '../../components/people/platform';
import { nameOf } from '../../components/people/person-name';
import { useMay } from '../../session/use-session';
import { PAGES } from '../navigation';
import { destinationOf, type Destination } from './destination';

const TYPING_MS = 250;
const CONVERSATIONS = 8;

/** Destinations that match a text: an id or a phone number, else pages and conversations by name or number. */
export function useDestinations(text: string): { destinations: readonly Destination[]; isSearching: boolean } {
  const gateway = useGateway();
  const wanted = text.trim();
  const byId = destinationOf(wanted);
  const [q] = useDebouncedValue(wanted, TYPING_MS);
  const mayRead = useMay('read:conversations');
  const isName = mayRead && wanted.length > 1 && byId === undefined;
  const { data, isFetching } = useQuery({
    queryKey: ['conversations-found', q],
    queryFn: async ({ signal }) => (await gateway.conversations.list({ q, per_page: CONVERSATIONS }, { signal })).data,
    enabled: isName && q.length > 1,
    placeholderData: keepPreviousData,
  });
  const pages = PAGES.filter(({ title }) => title.toLowerCase().includes(wanted.toLowerCase())).map(
    ({ title, to }): Destination => ({ title, hint: 'Page', link: { to } }),
  );
  const conversations = isName ? (data ?? []).map(conversationDestination) : [];
  return {
    destinations: byId ? [byId] : [...pages, ...conversations],
    isSearching: isName && (isFetching || q !== wanted),
  };
}

function conversationDestination({ id, participant, platform }: ConversationItem): Destination {
  return {
    title: nameOf(participant),
    hint: `${PLATFORMS[platform].name} · ${participant.id}`,
    link: { to: '/conversations/$conversationId', params: { conversationId: id } },
  };
}
