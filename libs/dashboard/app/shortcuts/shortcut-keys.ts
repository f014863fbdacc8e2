import { Store } from '../../store';

const DISABLED = 'gateway.shortcuts-off';
/** Maximum time between `g` and the page's key, in milliseconds. */
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

/** Shortcuts of single keys. People who use speech input can turn them off (WCAG 2.1.4). */
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
   * @param openSearch opens a page with a search field, if this page has none
   * @returns a function that stops listening
   */
  listen(goTo: (key: string) => void, openSearch: () => Promise<unknown>): () => void {
    let prefixAt = -Infinity;
    const onKey = (event: KeyboardEvent) => {
      if (!store.get().enabled || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (event.target instanceof Element && event.target.closest(TYPED_INTO)) return;
      if (event.key === '?') return shortcuts.show(true);
      if (store.get().shown) return;
      if (event.key === '/') {
        event.preventDefault();
        if (!focusSearch()) void openSearch().then(() => focusSoon());
        return;
      }
      if (event.key !== 'g' && event.timeStamp - prefixAt < SEQUENCE_MS) goTo(event.key);
      else if (moveInList(event)) return;
      prefixAt = event.key === 'g' ? event.timeStamp : -Infinity;
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  },
};

const STEPS: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/**
 * Moves the focus in the page's list of links. The arrows do so only once the focus is in the list: elsewhere they scroll.
 * @returns whether the key was one for that
 */
function moveInList(event: KeyboardEvent): boolean {
  const step = Object.hasOwn(STEPS, event.key) ? STEPS[event.key]! : 0;
  const list = document.querySelector('[data-keys="list"]');
  if (step === 0 || !list) return false;
  const links = [...list.querySelectorAll<HTMLElement>('a')];
  const at = links.findIndex((link) => link === document.activeElement);
  if (at < 0 && event.key.startsWith('Arrow')) return false;
  const open = links.findIndex((link) => link.dataset['active'] !== undefined);
  const next = links[at >= 0 ? at + step : open >= 0 ? open + step : 0];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
  event.preventDefault();
  return true;
}

/** @returns whether the page has a search field */
function focusSearch(): boolean {
  const search = document.querySelector<HTMLInputElement>('input[type="search"]');
  search?.focus();
  search?.select();
  return search !== null;
}

/** The new page renders within some frames: retries until its search field exists. */
function focusSoon(frames = 60): void {
  if (!focusSearch() && frames > 0) requestAnimationFrame(() => focusSoon(frames - 1));
}
