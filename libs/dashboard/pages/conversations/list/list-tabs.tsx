import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';
import { useSearchFilter } from '../../../components/hooks/use-search-filter';
import { count } from '../../../format/number';
import { isMine, ownName } from '../handover/own-name';
import classes from './conversation-list.module.css';
import { TABS, type ConversationSearch } from './list-view';

/** The views of the list, with the numbers of their conversations. */
export function ListTabs() {
  const search: ConversationSearch = useSearch({ strict: false });
  const filter = useSearchFilter();
  const gateway = useGateway();
  const waiting = useQuery(queries.waiting(gateway));
  const unanswered = useQuery(queries.unanswered(gateway));
  // A viewer without a name has no conversations to count.
  const people = useQuery({ ...queries.withPeople(gateway), enabled: ownName.get() !== null });
  const numbers = {
    mine: people.data?.filter(isMine).length,
    waiting: waiting.data,
    unanswered: unanswered.data?.total,
    all: undefined,
  };
  const shown = search.show ?? 'all';
  return (
    <div className={classes.tabs} role="group" aria-label="Show">
      {TABS.map(({ value, label }) => (
        <UnstyledButton
          key={value}
          className={classes.tab}
          aria-pressed={shown === value}
          onClick={() => filter({ show: value === 'all' ? '' : value })}
        >
          {`${label} `}
          {Boolean(numbers[value]) && <span className={`numeric ${classes.number}`}>{count(numbers[value]!)}</span>}
        </UnstyledButton>
      ))}
    </div>
  );
}
