import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { scrollPlaces } from './scroll-places';

const NEAR_END_PX = 120;

interface Wanted {
  conversationId: string;
  /** The id of the newest message. */
  newest: string | undefined;
  /** Number of messages sent from this page. */
  sent: number;
}

/** Keeps the newest message in view while the reader is at the end. Else keeps the position and reports new messages. */
export function useScroll({ conversationId, newest, sent }: Wanted) {
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(scrollPlaces.get(conversationId) === undefined);
  const seen = useRef(newest);
  const [hasNew, setHasNew] = useState(false);

  const toEnd = () => {
    const element = scroller.current;
    isAtEnd.current = true;
    setHasNew(false);
    if (element) element.scrollTop = element.scrollHeight;
  };
  useLayoutEffect(() => {
    if (sent > 0) toEnd();
  }, [sent]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || newest === undefined) return;
    const place = scrollPlaces.get(conversationId);
    if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    else if (seen.current === undefined && place !== undefined) element.scrollTop = place;
    else if (seen.current !== newest) setHasNew(true);
    seen.current = newest;
  }, [newest, conversationId]);
  useLayoutEffect(() => {
    const element = scroller.current;
    const place = scrollPlaces.get(conversationId);
    if (element && place !== undefined) element.scrollTop = place;
  }, [conversationId]);

  // Keeps the newest message in view when the reply box grows with its text.
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = scroller.current!;
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
    if (isAtEnd.current) setHasNew(false);
    scrollPlaces.keep(conversationId, isAtEnd.current ? undefined : scrollTop);
  };
  return { scroller, onScroll, hasNew, toEnd };
}
