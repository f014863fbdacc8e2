import { useNow } from '../format/use-now';
import { agoInWords, inViewersZone } from '../format/time';

interface TimeProps {
  /** ISO 8601; null shows a dash. */
  value: string | null | undefined;
  /** The format: `relative` is "3 minutes ago", the others are dates or times. */
  form?: 'relative' | 'full' | 'short' | 'clock' | 'seconds';
}

/** A time in the viewer's zone, with UTC on hover. */
export function Time({ value, form = 'full' }: TimeProps) {
  if (!value) return <span>–</span>;
  const text = form === 'relative' ? <Ago value={value} /> : inViewersZone(value, form);
  return (
    <time
      dateTime={value}
      title={`${value.replace('T', ' ').replace(/(\.\d+)?Z$/, '')} UTC`}
      className={`numeric${form === 'full' ? '' : ' nowrap'}`}
    >
      {text}
    </time>
  );
}

function Ago({ value }: { value: string }) {
  return agoInWords(value, useNow());
}
