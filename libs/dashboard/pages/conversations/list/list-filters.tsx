import { Group, Select, TextInput, Title } from '@mantine/core';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useGateway } from '../../../api/gateway';
import { accountsOf } from '../../../api/accounts';
import { queries } from '../../../api/queries';
import { PLATFORM_OPTIONS } from '../../../components/people/platform';
import { useSearchFilter } from '../../../components/hooks/use-search-filter';
import { useSearchText } from '../../../components/hooks/use-search-text';
import { count } from '../../../format/number';
import { useMay } from '../../../session/use-session';
import classes from './conversation-list.module.css';
import { NotifySwitch } from '../handover/notify-switch';
import { ListTabs } from './list-tabs';
import { FURTHER_VIEWS, type ConversationSearch } from './list-view';

const TYPING_MS = 300;
const LONGEST_SEARCH = 100;
const STATUSES = [{ value: 'active', label: 'Active' }, { value: 'archived', label: 'Archived' }, ...FURTHER_VIEWS];

/** @param wasView whether the list shows one of the further views */
function filterOf(value: string | null, wasView: boolean): ConversationSearch {
  if (FURTHER_VIEWS.some((view) => view.value === value)) return { show: value!, status: '' };
  return { status: value ?? '', ...(wasView && { show: '' }) };
}

/** The platforms, and the accounts of those that have several. */
function useOrigins(): { value: string; label: string }[] {
  const { data } = useQuery({ ...queries.status(useGateway()), enabled: useMay('read:status') });
  return PLATFORM_OPTIONS.flatMap((platform) => {
    const accounts = accountsOf(data, platform.value);
    if (accounts.length < 2) return [platform];
    return [platform, ...accounts.map(({ id, name }) => ({ value: id, label: `${platform.label} · ${name}` }))];
  });
}

/** Search and filters of the list. Their state is in the page's URL. */
export function ListFilters({ total }: { total: number | undefined }) {
  const search: ConversationSearch = useSearch({ strict: false });
  const filter = useSearchFilter();
  const further = FURTHER_VIEWS.find(({ value }) => value === search.show)?.value;
  const origins = useOrigins();
  const [typed, type] = useSearchText('q', search.q, TYPING_MS);
  return (
    <div className={classes.head}>
      <Group justify="space-between" mb={10}>
        <Title order={1} size="h4">
          Conversations
        </Title>
        <span className={`numeric ${classes.total}`}>{total !== undefined && count(total)}</span>
      </Group>
      <TextInput
        type="search"
        aria-label="Search conversations"
        placeholder="Name, number or words of a message"
        leftSection={<MagnifyingGlassIcon />}
        maxLength={LONGEST_SEARCH}
        value={typed}
        onChange={({ currentTarget }) => type(currentTarget.value)}
      />
      <ListTabs />
      <Group gap="xs" mt="xs" grow>
        <Select
          aria-label="Platform"
          placeholder="All platforms"
          clearable
          data={origins}
          value={search.account_id ?? search.platform ?? null}
          onChange={(origin) =>
            filter(
              origin?.startsWith('acc_')
                ? { account_id: origin, platform: '' }
                : { platform: origin ?? '', account_id: '' },
            )
          }
          clearButtonProps={{ 'aria-label': 'All platforms' }}
        />
        <Select
          aria-label="Status"
          placeholder="All statuses"
          clearable
          data={STATUSES}
          value={further ?? search.status ?? null}
          onChange={(value) => filter(filterOf(value, further !== undefined))}
          clearButtonProps={{ 'aria-label': 'All statuses' }}
        />
      </Group>
      {search.show === 'waiting' && (
        <div className={classes.notify}>
          <NotifySwitch />
        </div>
      )}
    </div>
  );
}
