import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import type { Problem } from '#client';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';
import type { Cause } from '../../../components/problems/causes';
import { counted } from '../../../format/number';
import { durationSince } from '../../../format/time';
import { useNow } from '../../../format/use-now';
import { useMay } from '../../../session/use-session';

/** More names would make the line long, and each is a request. */
const NAMED = 2;

interface Person {
  conversationId: string;
  name: string;
}

/** "Ada, Ben and 3 others wait for a person (longest 12 min)". @param problems the longest wait first */
export function WaitingPeople({ problems }: { problems: Cause['problems'] }) {
  const people = usePeople(problems.slice(0, NAMED).map(({ subject }) => subject.id));
  const total = problems.length;
  const wait = durationSince(problems[0].first_at, useNow());
  const isOne = total === 1;
  return (
    <>
      {people ? <Names people={people} others={total - people.length} /> : counted(total, 'conversation')}
      {` ${isOne ? 'waits' : 'wait'} for a person (${isOne ? '' : 'longest '}${wait})`}
    </>
  );
}

/** The recipients of the newest failed messages. */
export function PeopleOfFailures({ problem: { samples, count: total } }: { problem: Problem }) {
  const mayReadMessages = useMay('read:messages');
  const people = usePeople(mayReadMessages ? samples.slice(0, NAMED) : []);
  if (!people) return null;
  return (
    <>
      {' · to '}
      <Names people={people} />
      {total > NAMED && ' and others'}
    </>
  );
}

/** @param ids of conversations or messages @returns undefined if the key may not read names, or they are not read yet */
function usePeople(ids: readonly string[]): readonly Person[] | undefined {
  const mayRead = useMay('read:conversations') && ids.length > 0;
  return useQuery({ ...queries.people(useGateway(), ids), enabled: mayRead }).data;
}

function Names({ people, others = 0 }: { people: readonly Person[]; others?: number }) {
  return (
    <>
      {people.map(({ conversationId, name }, index) => (
        <Fragment key={conversationId}>
          {index > 0 && (others > 0 ? ', ' : ' and ')}
          <Anchor
            inherit
            underline="always"
            renderRoot={(props) => <Link to="/conversations/$conversationId" params={{ conversationId }} {...props} />}
          >
            <bdi>{name}</bdi>
          </Anchor>
        </Fragment>
      ))}
      {others > 0 && (
        <>
          {' and '}
          <Anchor
            inherit
            underline="always"
            renderRoot={(props) => <Link to="/conversations" search={{ show: 'waiting' }} {...props} />}
          >
            {counted(others, 'other')}
          </Anchor>
        </>
      )}
    </>
  );
}
