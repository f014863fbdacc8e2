import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { nameOf } from '../../components/people/person-name';
import { REASONS } from './handover-reasons';
import { notifications } from './notifications';
import { useLiveEvents } from '../use-live';
import { waitingCount } from './waiting-count';
import { useMay } from '../../session/use-session';

/** Counts the conversations that wait for a person, and notifies of a new one if notifications are on. */
export function HandoverWatch() {
  const enabled = useMay('read:conversations');
  const { data = 0 } = useQuery({ ...queries.waiting(useGateway()), enabled });
  const navigate = useNavigate();
  useEffect(() => {
    waitingCount.set(data);
    return () => waitingCount.set(0);
  }, [data]);
  useLiveEvents((event) => {
    if (event.type !== 'conversation.handover_requested') return;
    const { conversation_id: conversationId, participant, reason, summary } = event.data;
    notifications.show({
      title: `${nameOf(participant)} waits for a person`,
      body: summary ?? (reason ? REASONS[reason] : ''),
      // The same tag in all tabs: the browser shows one notification.
      tag: event.id,
      onClick: () => void navigate({ to: '/conversations/$conversationId', params: { conversationId } }),
    });
  });
  return null;
}
