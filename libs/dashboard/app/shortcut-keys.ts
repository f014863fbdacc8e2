const DISABLED = 'gateway.shortcuts-off';
/** Time between `g` and the page's key, in milliseconds. */
const SEQUENCE_MS = 1_500;
const TYPED_INTO = 'input, textarea, select, [contenteditable], [role="textbox"]';

interface State {
  shown: boolean;
  enabled: boolean;
}

let state: State = { shown: false, enabled: localStorage.getItem(DISABLED) === null };
const listeners = new Set<() => void>();

function change(next: Partial<State>): void {
  state = { ...state, ...next };
  for (const listener of listeners) listener();
}

/** Keys of one character. A person who dictates may turn them off (WCAG 2.1.4). */
export const shortcuts = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  get: (): State => state,

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
      if (!state.enabled || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (event.target instanceof Element && event.target.closest(TYPED_INTO)) return;
      if (event.key === '?') return shortcuts.show(true);
      if (state.shown) return;
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
