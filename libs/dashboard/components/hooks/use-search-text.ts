import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { useSearchFilter } from './use-search-filter';

/**
 * The text of a search field that is a parameter of the page's URL: typing writes it there after a pause; the field also follows
 * when something else changes the URL, such as Ctrl+K.
 */
export function useSearchText(parameter: string, value = '', pauseMs: number): [string, (text: string) => void] {
  const filter = useSearchFilter();
  const [typed, setTyped] = useState(value);
  const written = useRef(value);
  const write = useDebouncedCallback((text: string) => {
    written.current = text.trim();
    filter({ [parameter]: written.current });
  }, pauseMs);
  useEffect(() => {
    if (value === written.current) return;
    written.current = value;
    setTyped(value);
    write.cancel();
  }, [value, write]);
  const type = (text: string) => {
    setTyped(text);
    write(text);
  };
  return [typed, type];
}
