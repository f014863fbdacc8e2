import { Store } from '../store';

const DISABLED = 'gateway.shortcuts-off';
/** Time between `g` and the page's key, in milliseconds. */
const SEQUENCE_MS = 1_500;
const TYPED_INTO = 'input, textarea, select, [contenteditable], [role="textbox"]';

export interface ShortcutsState {
  shown: boolean;
  enabled: boolean;
}

const store = new Store<ShortcutsState>({ shown: false, enabled: localStorage.getItem(DISABLED) === null });

function change(next: Partial<ShortcutsState>): void {
  store.set({ ...store.get(), ...next });
}

/** Keys of one character. A person who dictates may turn them off (WCAG 2.1.4). */
export const shortcuts = {
  subscribe: store.subscribe,
  get: store.get,

  show(shown: boolean): void {
    change({ shown });
  },

  enable(enabled: boolean): void {
    if (enabled) localStorage.removeItem(DISABLED);
    else localStorage.setItem(DISABLED, '1');
    change({ enabled });
  },

  /**
   * @param goTo gets the key after `g`
   * @returns stops listening
   */
  listen(goTo: (key: string) => void): () => void {
    let prefixAt = 0;
    const onKey = (event: KeyboardEvent) => {
      if (!store.get().enabled || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (event.target instanceof Element && event.target.closest(TYPED_INTO)) return;
      if (event.key === '?') return shortcuts.show(true);
      if (store.get().shown) return;
      if (event.key === '/') return focusSearch(event);
      if (event.key !== 'g' && event.timeStamp - prefixAt < SEQUENCE_MS) goTo(event.key);
      prefixAt = event.key === 'g' ? event.timeStamp : 0;
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  },
};

function focusSearch(event: KeyboardEvent): void {
  const search = document.querySelector<HTMLInputElement>('input[type="search"]');
  if (!search) return;
  event.preventDefault();
  search.focus();
  search.select();
}
