import { Button, Group, Select, SimpleGrid, Switch, Text, TextInput } from '@mantine/core';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import { useSearchFilter } from '../../components/hooks/use-search-filter';
import { useSearchText } from '../../components/hooks/use-search-text';
import { AUDIT_ACTIONS } from './audit-actions';
import { useKeyNames } from './use-key-names';

/** The filters in the page's URL. */
export interface AuditSearch {
  key_id?: string;
  /** The title of an action. */
  action?: string;
  /** Set: shows GET requests too. */
  reads?: string;
  request_id?: string;
  path?: string;
  status?: string;
  start_date?: string;
  end_date?: string;
}

const STATUSES = ['200', '201', '400', '401', '403', '404', '429', '500'];
const TYPING_MS = 400;

export function AuditFilters({ search }: { search: AuditSearch }) {
  const filter = useSearchFilter();
  const names = useKeyNames();
  const [path, type] = useSearchText('path', search.path, TYPING_MS);
  if (search.request_id) {
    return (
      <Group gap="sm" mb="md">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          Only the request {search.request_id}
        </Text>
        <Button size="compact-sm" variant="default" onClick={() => filter({ request_id: '' })}>
          Show all
        </Button>
      </Group>
    );
  }
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="xs" mb="md">
      <Select
        label="Key"
        placeholder="All"
        clearable
        searchable
        data={[...names].map(([value, label]) => ({ value, label }))}
        value={search.key_id ?? null}
        onChange={(value) => filter({ key_id: value ?? '' })}
        clearButtonProps={{ 'aria-label': 'All keys' }}
      />
      <Select
        label="Action"
        placeholder="All"
        clearable
        searchable
        data={AUDIT_ACTIONS.map(({ title }) => title)}
        value={search.action ?? null}
        onChange={(value) => filter({ action: value ?? '' })}
        clearButtonProps={{ 'aria-label': 'All actions' }}
      />
      <TextInput
        type="date"
        label="From (UTC)"
        value={search.start_date ?? ''}
        onChange={({ currentTarget }) => filter({ start_date: currentTarget.value })}
      />
      <TextInput
        type="date"
        label="To (UTC)"
        value={search.end_date ?? ''}
        onChange={({ currentTarget }) => filter({ end_date: currentTarget.value })}
      />
      <TextInput
        type="search"
        label="Route or path"
        placeholder="/api/v1/messages"
        leftSection={<MagnifyingGlassIcon />}
        disabled={search.action !== undefined}
        value={path}
        onChange={({ currentTarget }) => type(currentTarget.value)}
      />
      <Select
        label="Status"
        placeholder="All"
        clearable
        data={STATUSES}
        value={search.status ?? null}
        onChange={(value) => filter({ status: value ?? '' })}
        clearButtonProps={{ 'aria-label': 'All statuses' }}
      />
      <Switch
        mt={{ base: 4, lg: 30 }}
        label="Show reads (GET)"
        checked={search.reads !== undefined}
        onChange={({ currentTarget }) => filter({ reads: currentTarget.checked ? '1' : '' })}
      />
    </SimpleGrid>
  );
}
