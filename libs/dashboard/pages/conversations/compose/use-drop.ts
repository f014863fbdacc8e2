import { useEffect, useEffectEvent, useRef, useState } from 'react';

/** Accepts files that a person drops on the element's parent. */
export function useDrop<T extends HTMLElement>(take: (files: FileList) => void) {
  const ref = useRef<T>(null);
  const [isOver, setOver] = useState(false);
  const onDrop = useEffectEvent(take);
  useEffect(() => {
    const place = ref.current?.parentElement;
    if (!place) return undefined;
    const ending = new AbortController();
    const on = (type: 'dragover' | 'dragleave' | 'drop', listener: (event: DragEvent) => void) =>
      place.addEventListener(type, listener, { signal: ending.signal });
    on('dragover', (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOver(true);
    });
    on('dragleave', (event) => {
      if (!place.contains(event.relatedTarget as Node | null)) setOver(false);
    });
    on('drop', (event) => {
      setOver(false);
      if (!event.dataTransfer?.files.length) return;
      event.preventDefault();
      onDrop(event.dataTransfer.files);
    });
    return () => ending.abort();
  }, []);
  return { ref, isOver };
}
