import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { endRefusedSession } from '../api/gateway-fetch';
import { currentKey, useGateway } from '../api/gateway';
import { useSession } from '../session/use-session';
import { applyEvent } from './apply-event';
import { LiveContext } from './live-context';
import { LiveEvents } from './live-events';
import { RecentEvents } from './recent-events';
import { repeatAfterReads } from './repeat-after-reads';

/** Keeps the page up to date by the event stream, without polling. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const gateway = useGateway();
  const key = currentKey(useSession());
  const client = useQueryClient();
  const [live, setLive] = useState<{ events: LiveEvents; recent: RecentEvents }>();
  useEffect(() => {
    const events = new LiveEvents(gateway, key, {
      onGap: () => void client.invalidateQueries(),
      onRefused: (code) => endRefusedSession(key, code),
    });
    const recent = new RecentEvents();
    const stop = events.subscribe((event) => {
      recent.add(event);
      applyEvent(client, event);
    });
    const stopRepeating = repeatAfterReads(client, events);
    setLive({ events, recent });
    return () => {
      stop();
      stopRepeating();
      events.close();
    };
  }, [gateway, key, client]);
  return <LiveContext value={live}>{children}</LiveContext>;
}
