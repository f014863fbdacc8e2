import { LapTimerIcon } from '@radix-ui/react-icons';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { limit } from '../api/limit';
import { counted } from '../format/number';
import { Notice } from '../components/feedback/notice';

/** Says that the key's limit is reached, and when the refused requests are repeated. */
export function LimitNotice() {
  const until = useSyncExternalStore(limit.subscribe, limit.get);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (until === 0) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [until]);
  if (until === 0) return null;
  const seconds = Math.max(1, Math.ceil((until - now) / 1_000));
  return (
    <Notice icon={<LapTimerIcon />} mb="md" role="status" title="A limit of the key is reached">
      Refused requests will be retried in {counted(seconds, 'second')}. Everything else continues.
    </Notice>
  );
}
